package webhook

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestAdd(t *testing.T) {
	w := onSQLite(t)
	own := w.add(&w.company, hookURL)
	if !strings.HasPrefix(own.Secret, "whsec_") || len(own.Secret) != 50 {
		t.Errorf("secret = %q, want 50 characters that begin with whsec_", own.Secret)
	}
	if own.ID == 0 {
		t.Error("the added webhook has no number")
	}
	refuse := func(url string, code fault.Code) {
		t.Helper()
		if _, err := w.Add(t.Context(), trail.Entry{}, &w.company, url); !fault.Is(err, code) {
			t.Errorf("%s: err = %v, want %s", url, err, code)
		}
	}
	refuse("http://hook.example/", CodeInvalidWebhook)
	refuse(hookURL, CodeTooManyWebhooks)
	for _, more := range []string{"b", "c", "d", "e"} {
		w.add(&w.company, hookURL+more)
	}
	refuse(hookURL+"f", CodeTooManyWebhooks)
	found, err := w.Owned(t.Context(), w.company, own.ID)
	w.ok(err)
	if found.Secret != own.Secret {
		t.Errorf("stored secret = %q, want %q", found.Secret, own.Secret)
	}
}

func TestTrailOfWebhooks(t *testing.T) {
	w := onSQLite(t)
	by := trail.Entry{UserID: new(int64(7)), RequestID: "req-1"}
	var want []trail.Entry
	for i, company := range []*int64{&w.company, nil} {
		hook, err := w.Add(t.Context(), by, company, hookURL)
		w.ok(err)
		_, err = w.Rotate(t.Context(), by, hook.ID)
		w.ok(err)
		w.publish(1)
		w.deliver()
		_, err = w.Replay(t.Context(), by, hook.ID, Selection{From: start})
		w.ok(err)
		w.status = http.StatusGone
		w.deliver()
		w.status = http.StatusOK
		_, err = w.Test(t.Context(), by, hook.ID)
		w.ok(err)
		w.ok(w.Remove(t.Context(), by, hook.ID))
		if list := w.all(hook); len(list) != 0 {
			t.Errorf("deliveries of a removed webhook are left: %+v", list)
		}
		if err := w.Remove(t.Context(), by, hook.ID); !fault.Is(err, CodeNoWebhook) {
			t.Errorf("removed twice: err = %v, want %s", err, CodeNoWebhook)
		}
		for _, action := range []string{"webhook add", "webhook rotate", "webhook replay", "webhook enable",
			"webhook remove"} {
			line := trail.Entry{At: start, UserID: by.UserID, RequestID: "req-1", Action: action,
				Detail: fmt.Sprint("webhook ", i+1)}
			if company != nil {
				line.CompanyID = *company
			}
			want = append(want, line)
		}
	}
	got, err := trail.Find(t.Context(), w.DB, trail.Search{Limit: 99})
	w.ok(err)
	slices.Reverse(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
}

func TestAddAtOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		var adding sync.WaitGroup
		var added atomic.Int64
		for i := range 4 * webhooksMax {
			adding.Go(func() {
				_, err := w.Add(t.Context(), trail.Entry{}, &w.company, fmt.Sprint(hookURL, i))
				if err == nil {
					added.Add(1)
				} else if !fault.Is(err, CodeTooManyWebhooks) {
					t.Error(err)
				}
			})
		}
		adding.Wait()
		if n := added.Load(); n != webhooksMax {
			t.Errorf("%d added, want %d", n, webhooksMax)
		}
		list, err := w.List(t.Context(), &w.company)
		w.ok(err)
		if len(list) != webhooksMax {
			t.Errorf("%d listed, want %d", len(list), webhooksMax)
		}
	})
}

func TestRotate(t *testing.T) {
	w := onSQLite(t)
	before := w.add(&w.company, hookURL)
	after, err := w.Rotate(t.Context(), trail.Entry{UserID: new(int64(7))}, before.ID)
	w.ok(err)
	if after.Secret == before.Secret {
		t.Fatal("the secret is the same after its rotation")
	}
	for wait, want := range map[time.Duration][]string{
		0: {after.Secret, before.Secret}, 24*time.Hour - time.Second: {after.Secret, before.Secret},
		24 * time.Hour: {after.Secret},
	} {
		w.now = start.Add(wait)
		stored := w.reload(before)
		if got := stored.secrets(w.now); !slices.Equal(got, want) {
			t.Errorf("after %s: %q, want %q", wait, got, want)
		}
		_, err := w.Test(t.Context(), trail.Entry{}, before.ID)
		w.ok(err)
		sent := w.received()
		if len(sent) != 1 {
			t.Fatalf("after %s: %d requests, want one", wait, len(sent))
		}
		signature := sent[0].Header.Get("webhook-signature")
		if n := strings.Count(signature, "v1,"); n != len(want) {
			t.Errorf("after %s: %d signatures, want one for each of %d secrets: %s", wait, n, len(want), signature)
		}
	}
	var stored string
	w.ok(w.db.Raw(t).QueryRow("SELECT secret || ' ' || old_secret FROM webhooks").Scan(&stored))
	if len(stored) < 100 {
		t.Errorf("stored %q, want two encrypted secrets", stored)
	}
	for _, secret := range []string{before.Secret, after.Secret} {
		if strings.Contains(stored, secret) {
			t.Errorf("the secret %s is stored in the clear", secret)
		}
	}
}

func TestTestIsSentOnce(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.during = func(*http.Request) int {
		if next, err := first(w.DB.Read(t.Context()), hook.ID); err != nil || next != nil {
			t.Errorf("a job would send the test, too: next = %v, err = %v", next, err)
		}
		return refused
	}
	d, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
	w.ok(err)
	if d.State != Parked || d.Result != Refused {
		t.Errorf("refused test: %s, %s, want %s, %s", d.State, d.Result, Parked, Refused)
	}
	w.during = nil
	w.received()
	w.now = w.now.Add(time.Hour)
	if w.deliver(); len(w.received()) != 0 {
		t.Error("a test was retried")
	}
	for range testsMax {
		_, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
	}
	if _, err := w.Test(t.Context(), trail.Entry{}, hook.ID); !fault.Is(err, limit.CodeTooMuchWork) {
		t.Errorf("above the limit: err = %v, want %s", err, limit.CodeTooMuchWork)
	}
	if n := len(w.received()); n != testsMax {
		t.Errorf("%d tests were sent, want %d", n, testsMax)
	}
	if _, err := w.Test(t.Context(), trail.Entry{}, 99); !fault.Is(err, CodeNoWebhook) {
		t.Errorf("unknown webhook: err = %v, want %s", err, CodeNoWebhook)
	}
	if actions := w.actions(); len(actions) != 1 {
		t.Errorf("trail %q: a test changes nothing", actions)
	}
}

func TestTestOutlivesItsCaller(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	ctx, cancel := context.WithCancel(t.Context())
	w.during = func(*http.Request) int { cancel(); return http.StatusOK }
	d, err := w.Test(ctx, trail.Entry{}, hook.ID)
	w.ok(err)
	if d.State != Delivered {
		t.Errorf("returned as %s, want %s", d.State, Delivered)
	}
	stored := w.all(hook)[0]
	if stored.State != Delivered {
		t.Errorf("stored as %s, want %s", stored.State, Delivered)
	}
	if stored.AttemptedAt == nil {
		t.Error("stored without the time of the attempt")
	}
}

func TestTestDisablesAndEnables(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		w.publish(2)
		w.status = http.StatusGone
		d, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
		if d.Result != ReceiverGone {
			t.Errorf("result of the test = %s, want %s", d.Result, ReceiverGone)
		}
		if reason := w.reload(hook).Disabled; reason != Gone {
			t.Fatalf("disabled as %q, want %q", reason, Gone)
		}
		w.publish(1) // is not for a disabled webhook
		if n := len(w.all(hook)); n != 3 {
			t.Fatalf("%d deliveries, want the test and two events from before", n)
		}
		w.received()
		w.status = http.StatusNoContent
		_, err = w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
		w.deliver()
		if reason := w.reload(hook).Disabled; reason != "" {
			t.Errorf("still disabled as %q after an accepted test", reason)
		}
		if n := len(w.received()); n != 3 {
			t.Errorf("%d requests, want the test and two events from before", n)
		}
		if diff := cmp.Diff([]string{"webhook add", "webhook enable"}, w.actions()); diff != "" {
			t.Errorf("trail (-want +got):\n%s", diff)
		}
	})
}

func TestUnreadableSecret(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		w.db.Exec(t, "UPDATE webhooks SET secret = 'lost:AAAA'")
		listed, err := w.List(t.Context(), nil)
		w.ok(err)
		if len(listed) != 1 || listed[0].URL != hookURL {
			t.Errorf("listed %+v, want the webhook", listed)
		}
		w.publish(1)
		w.deliver()
		if n := len(w.received()); n != 0 {
			t.Errorf("%d requests were sent without a signature", n)
		}
		if d := w.all(hook)[0]; d.State != Pending || d.Result != NoSecret {
			t.Errorf("the delivery is %s, %s, want %s, %s", d.State, d.Result, Pending, NoSecret)
		}
	})
}
