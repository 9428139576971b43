package webhook

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestAdd(t *testing.T) {
	w := onSQLite(t)
	own := w.add(&w.company, hookURL)
	if !strings.HasPrefix(own.Secret, "whsec_") || len(own.Secret) != 50 || own.ID == 0 {
		t.Errorf("added %+v", own)
	}
	refuse := func(url string, code fault.Code) {
		t.Helper()
		if _, err := w.Add(t.Context(), trail.Entry{}, &w.company, url); !fault.Is(err, code) {
			t.Errorf("%s: %v, want %s", url, err, code)
		}
	}
	refuse("http://hook.example/", CodeInvalidWebhook)
	refuse(hookURL, CodeTooManyWebhooks)
	for _, more := range []string{"b", "c", "d", "e"} {
		w.add(&w.company, hookURL+more)
	}
	refuse(hookURL+"f", CodeTooManyWebhooks)
	if found, err := w.Owned(t.Context(), w.company, own.ID); err != nil || found.Secret != own.Secret {
		t.Errorf("%+v, %v", found, err)
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
			t.Errorf("left: %+v", list)
		}
		if err := w.Remove(t.Context(), by, hook.ID); !fault.Is(err, CodeNoWebhook) {
			t.Errorf("removed twice: %v", err)
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
	slices.Reverse(got)
	for i := range got {
		got[i].At = got[i].At.UTC()
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("trail %+v, %v\nwant %+v", got, err, want)
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
		if list, err := w.List(t.Context(), &w.company); err != nil || len(list) != webhooksMax ||
			added.Load() != webhooksMax {
			t.Errorf("%d added, %d listed, %v", added.Load(), len(list), err)
		}
	})
}

func TestRotate(t *testing.T) {
	w := onSQLite(t)
	before := w.add(&w.company, hookURL)
	after, err := w.Rotate(t.Context(), trail.Entry{UserID: new(int64(7))}, before.ID)
	if err != nil || after.Secret == before.Secret {
		t.Fatalf("%+v, %v", after, err)
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
		if sent := w.received(); len(sent) != 1 || strings.Count(sent[0].Header.Get("webhook-signature"), "v1,") != len(
			want,
		) {
			t.Errorf("after %s: sent %+v", wait, sent)
		}
	}
	var stored string
	w.ok(w.db.Raw(t).QueryRow("SELECT secret || ' ' || old_secret FROM webhooks").Scan(&stored))
	for _, secret := range []string{before.Secret, after.Secret} {
		if strings.Contains(stored, secret) || len(stored) < 100 {
			t.Errorf("stored %s", stored)
		}
	}
}

func TestTestOnce(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.during = func(*http.Request) int {
		if next, err := first(w.DB.Read(t.Context()), hook.ID); err != nil || next != nil {
			t.Errorf("a job sends the test, too: %v, %v", next, err)
		}
		return refused
	}
	d, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
	if err != nil || d.State != Parked || d.Result != Refused {
		t.Errorf("refused: %+v, %v", d, err)
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
	if _, err := w.Test(t.Context(), trail.Entry{}, hook.ID); !fault.Is(err, limit.CodeTooMuchWork) ||
		len(w.received()) != testsMax {
		t.Errorf("above the limit: %v", err)
	}
	if _, err := w.Test(t.Context(), trail.Entry{}, 99); !fault.Is(err, CodeNoWebhook) {
		t.Errorf("unknown: %v", err)
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
	if d, err := w.Test(ctx, trail.Entry{}, hook.ID); err != nil || d.State != Delivered {
		t.Errorf("%+v, %v", d, err)
	}
	if stored := w.all(hook)[0]; stored.State != Delivered || stored.AttemptedAt == nil {
		t.Errorf("stored %+v", stored)
	}
}

func TestTestDisablesAndEnables(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		w.publish(2)
		w.status = http.StatusGone
		d, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
		if err != nil || d.Result != ReceiverGone {
			t.Errorf("%+v, %v", d, err)
		}
		w.publish(1) // is not for a disabled webhook
		if list := w.all(hook); w.reload(hook).Disabled != Gone || len(list) != 3 {
			t.Fatalf("%+v", list)
		}
		w.received()
		w.status = http.StatusNoContent
		_, err = w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
		if w.deliver(); w.reload(hook).Disabled != "" || len(w.received()) != 3 {
			t.Errorf("%+v", w.all(hook))
		}
		if want := []string{"webhook add", "webhook enable"}; !slices.Equal(w.actions(), want) {
			t.Errorf("trail %q, want %q", w.actions(), want)
		}
	})
}

func TestUnreadableSecret(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		if _, err := w.db.Raw(t).Exec("UPDATE webhooks SET secret = 'lost:AAAA'"); err != nil {
			t.Fatal(err)
		}
		listed, err := w.List(t.Context(), nil)
		if err != nil || len(listed) != 1 || listed[0].URL != hookURL {
			t.Errorf("listed %+v, %v", listed, err)
		}
		w.publish(1)
		w.deliver()
		if d := w.all(hook)[0]; len(w.received()) != 0 || d.State != Pending || d.Result != NoSecret {
			t.Errorf("%+v", d)
		}
	})
}
