package webhook

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/trail"
)

func TestDeliver(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(3)
	w.during = func(*http.Request) int {
		w.now = w.now.Add(250 * time.Millisecond)
		return http.StatusOK
	}
	w.deliver()
	if sent := w.received(); len(sent) != 3 || sent[0].URL.String() != hook.URL || w.closed != 3 {
		t.Errorf("sent %+v, %d bodies closed", sent, w.closed)
	}
	if took := w.all(hook)[0].DurationMs; took != 250 {
		t.Errorf("took %d ms, want 250", took)
	}
	w.now = w.now.Add(48 * time.Hour)
	if w.deliver(); len(w.received()) != 0 {
		t.Error("sent again")
	}
}

// TestTurnEnds checks that a receiver with more deliveries has a turn of five seconds, and
// gets what has been due for longest first.
func TestTurnEnds(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.now = start.Add(time.Hour)
	w.publish(9)
	w.now = start
	w.publish(1)
	w.now = start.Add(2 * time.Hour)
	w.during = func(*http.Request) int {
		w.now = w.now.Add(time.Second)
		return http.StatusOK
	}
	w.deliver()
	sent := w.received()
	if len(sent) != 5 || sent[0].Header.Get("webhook-id") != w.all(hook)[0].EventID {
		t.Errorf("%d deliveries in a turn, want five, beginning with the last one", len(sent))
	}
}

// TestWaitAfterAFailure checks that a receiver waits for as long as it has been failing, but
// not for less than five seconds and not for more than an hour.
func TestWaitAfterAFailure(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(1)
	w.now, w.status = start.Add(24*time.Hour), refused
	for _, test := range []struct{ failing, wait time.Duration }{
		{0, 5 * time.Second}, {4 * time.Second, 5 * time.Second}, {6 * time.Second, 6 * time.Second},
		{59 * time.Minute, 59 * time.Minute},
		{61 * time.Minute, time.Hour}, {20 * time.Hour, time.Hour},
	} {
		since := w.now.Add(-test.failing)
		w.ok(setFailing(w.DB.Write(t.Context()), hook.ID, &since))
		wait, err := w.deliverOne(t.Context(), w.all(hook)[0])
		w.ok(err)
		if now := w.reload(hook); *wait != test.wait || !now.FailingSince.Equal(since) {
			t.Errorf("failing for %s: a wait of %s, failing since %s, want %s", test.failing, wait, now.FailingSince,
				test.wait)
		}
	}
	w.status = http.StatusOK
	wait, err := w.deliverOne(t.Context(), w.all(hook)[0])
	w.ok(err)
	if now := w.reload(hook); wait != nil || now.FailingSince != nil {
		t.Errorf("accepted: a wait of %s, %+v", wait, now)
	}
}

// TestReceiverAsksToWait checks that Retry-After and 429 delay all deliveries of a receiver.
func TestReceiverAsksToWait(t *testing.T) {
	for _, test := range []struct {
		status int
		retry  string
		want   time.Duration
	}{
		{http.StatusTooManyRequests, "", time.Minute},
		{http.StatusTooManyRequests, "600", 10 * time.Minute},
		{http.StatusServiceUnavailable, "600", 10 * time.Minute},
		{http.StatusServiceUnavailable, start.Add(time.Hour).Format(http.TimeFormat), time.Hour},
		{http.StatusServiceUnavailable, start.Add(-time.Hour).Format(http.TimeFormat), shortestWait},
		{http.StatusServiceUnavailable, "99999999999999", 24 * time.Hour},
		{http.StatusServiceUnavailable, "-1", shortestWait},
	} {
		w := onSQLite(t)
		w.add(&w.company, hookURL)
		w.publish(2)
		w.status, w.retry = test.status, test.retry
		w.deliver()
		w.publish(1)
		w.now, w.status = start.Add(test.want-time.Second), http.StatusOK
		w.deliver()
		early := len(w.received()) - 1
		w.now = start.Add(test.want)
		w.deliver()
		if sent := len(w.received()); early != 0 || sent < 2 {
			t.Errorf("%d, Retry-After %q: %d sent early, %d after %s", test.status, test.retry, early, sent, test.want)
		}
	}
}

// TestRetries follows one delivery that is never accepted: the waits grow to a day, the
// event stays the same, and in the end it is parked and its webhook disabled. Once the webhook
// is enabled again, the attempts of the delivery begin at one.
func TestRetries(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(1)
	w.status = refused
	id := w.all(hook)[0].EventID
	for i, wait := range []time.Duration{
		5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour,
		24 * time.Hour,
	} {
		w.deliver()
		sent, d := w.received(), w.all(hook)[0]
		if len(sent) != 1 || sent[0].Header.Get("webhook-id") != id {
			t.Fatalf("attempt %d: sent %+v, stored %+v", i+1, sent, d)
		}
		if d.State != Pending || d.Attempts != i+1 {
			t.Fatalf("attempt %d: sent %+v, stored %+v", i+1, sent, d)
		}
		if d.Result != Refused || d.Status != refused {
			t.Fatalf("attempt %d: sent %+v, stored %+v", i+1, sent, d)
		}
		if until := d.NextRetry().Sub(w.now); until < wait || until > wait*6/5 {
			t.Errorf("attempt %d: the next one in %s, want about %s", i+1, until, wait)
		}
		w.now = d.NextRetry().Add(-time.Millisecond)
		if w.deliver(); len(w.received()) != 0 {
			t.Errorf("attempt %d came early", i+2)
		}
		w.now = w.now.Add(time.Millisecond)
	}
	w.deliver()
	if d := w.all(hook)[0]; d.State != Parked || w.reload(hook).Disabled != Failing {
		t.Errorf("in the end: %+v", d)
	}
	w.status = http.StatusOK
	_, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
	w.ok(err)
	w.status = refused
	w.deliver()
	if d := w.all(hook)[1]; d.State != Pending || d.Attempts != 1 {
		t.Errorf("once more: %+v", d)
	}
}

func TestFinish(t *testing.T) {
	for name, test := range map[string]struct {
		state    State
		disable  DisabledReason
		accepted time.Duration // when another delivery was accepted, after this one was created; 0: never
		disabled DisabledReason
		others   State // of deliveries that wait
	}{
		"delivered":                  {state: Delivered, others: Pending},
		"to be retried":              {state: Pending, others: Pending},
		"given up":                   {state: Parked, disable: Failing, disabled: Failing, others: Parked},
		"given up, another accepted": {state: Parked, disable: Failing, accepted: time.Minute, others: Pending},
		"given up, accepted long ago": {state: Parked, disable: Failing, accepted: -time.Minute, disabled: Failing,
			others: Parked},
		"gone":                   {state: Parked, disable: Gone, disabled: Gone, others: Parked},
		"gone, another accepted": {state: Parked, disable: Gone, accepted: time.Minute, disabled: Gone, others: Parked},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, w *world) {
				hook := w.add(nil, hookURL)
				w.publish(3)
				sent := w.all(hook)
				if test.accepted != 0 {
					w.now = start.Add(test.accepted)
					sent[0].State = Delivered
					w.ok(w.finish(t.Context(), sent[0], ""))
				}
				w.now = start.Add(time.Hour)
				d := sent[2]
				d.State = test.state
				d.Result = Refused
				d.Status = refused
				w.ok(w.finish(t.Context(), d, test.disable))
				now := w.all(hook)
				if now[2].State != test.state || now[2].Status != refused {
					t.Errorf("stored %+v", now[2])
				}
				if now[1].State != test.others || w.reload(hook).Disabled != test.disabled {
					t.Errorf("another one is %s, disabled %q", now[1].State, w.reload(hook).Disabled)
				}
				next, err := first(w.DB.Read(t.Context()), hook.ID)
				if err != nil || (next != nil) != (test.others == Pending) {
					t.Errorf("next: %v, %v", next, err)
				}
			})
		})
	}
}

// TestLateAttempt: the attempt of a replica that was frozen does not overwrite "delivered".
func TestLateAttempt(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(nil, hookURL)
		w.publish(1)
		late := w.all(hook)[0]
		w.deliver()
		late.Result = Unreachable
		late.Status = 0
		w.ok(w.finish(t.Context(), late, ""))
		if d := w.all(hook)[0]; d.State != Delivered || d.Result != Accepted || d.Status != http.StatusOK {
			t.Errorf("%+v", d)
		}
	})
}

func TestPublish(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		stranger := w.db.AddCompany(t, "inna")
		own := w.add(&w.company, hookURL)
		all := w.add(nil, hookURL)
		other := w.add(&stranger, hookURL)
		w.publish(1)
		broken := errors.New("the change fails")
		err := w.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
			return errors.Join(Publish(w.DB, tx, "audit.completed", w.company, nil), broken)
		})
		if !errors.Is(err, broken) {
			t.Fatal(err)
		}
		if len(w.all(own)) != 1 || len(w.all(all)) != 1 || len(w.all(other)) != 0 {
			t.Fatalf("%d, %d, %d deliveries", len(w.all(own)), len(w.all(all)), len(w.all(other)))
		}
		d := w.all(own)[0]
		if d.EventID != w.all(all)[0].EventID || len(d.EventID) < 20 {
			t.Fatalf("%+v", d)
		}
		if d.Type != "audit.completed" || *d.CompanyID != w.company {
			t.Fatalf("%+v", d)
		}
		if !d.At.Equal(start) || d.Data != `{"n":1}` {
			t.Fatalf("%+v", d)
		}
		if d.State != Pending {
			t.Errorf("%+v", d)
		}
		w.now = start.Add(time.Hour)
		w.publish(1)
		if n, err := w.DeleteBefore(t.Context(), start.Add(time.Second)); n != 2 || err != nil {
			t.Errorf("%d deleted, %v, want the old event of two webhooks", n, err)
		}
	})
}
