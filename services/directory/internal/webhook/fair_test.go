package webhook

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// TestFailingReceiverIsDisabled checks that a receiver that accepts nothing is disabled in
// the time in which one delivery is given up, although it has more deliveries than attempts.
func TestFailingReceiverIsDisabled(t *testing.T) {
	w := onSQLite(t)
	hook := w.add(&w.company, hookURL)
	w.publish(200)
	w.status = refused
	attempts := 0
	for w.reload(hook).Disabled == "" && attempts < 200 {
		if next := w.reload(hook).NextAt; next.After(w.now) {
			w.now = next
		}
		w.deliver()
		attempts += len(w.received())
	}
	if after := w.now.Sub(start); after < failingMax || after > failingMax+2*longestWait || attempts > 70 {
		t.Errorf("disabled after %s and %d attempts", after, attempts)
	}
	if b, err := w.Backlog(t.Context(), w.now); err != nil || b != (Backlog{}) {
		t.Errorf("backlog %+v, %v", b, err)
	}
}

// TestBacklogByState checks that a wait after a failure is no delay, and that what a failing
// receiver has not got counts apart.
func TestBacklogByState(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		w.add(&w.company, hookURL)
		w.publish(2)
		w.status = 0
		w.deliver()
		want := func(after time.Duration, want Backlog) {
			t.Helper()
			if b, err := w.Backlog(t.Context(), start.Add(after)); err != nil || b != want {
				t.Errorf("after %s: %+v, %v, want %+v", after, b, err, want)
			}
		}
		want(shortestWait-time.Second, Backlog{Waiting: 2})
		want(time.Minute, Backlog{Waiting: 2, OverdueFailing: time.Minute - shortestWait})
		w.now, w.status = start.Add(time.Minute), http.StatusOK
		w.deliver()
		w.publish(1)
		want(2*time.Minute, Backlog{Waiting: 1, Overdue: time.Minute})
	})
}

// TestReplay checks what is sent again by id and by time.
func TestReplay(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		hook := w.add(&w.company, hookURL)
		w.publish(1)
		first := w.all(hook)[0].EventID
		w.now = start.Add(time.Hour)
		w.publish(2)
		w.deliver()
		_, err := w.Test(t.Context(), trail.Entry{}, hook.ID)
		w.ok(err)
		w.received()
		for name, test := range map[string]struct {
			events Selection
			want   int64
		}{
			"an event":         {Selection{EventID: first}, 1},
			"an unknown event": {Selection{EventID: "msg_x"}, 0},
			"from a time":      {Selection{From: start.Add(time.Minute)}, 2},
			"from the first":   {Selection{From: start}, 3},
			"from later":       {Selection{From: start.Add(2 * time.Hour)}, 0},
		} {
			n, err := w.Replay(t.Context(), trail.Entry{}, hook.ID, test.events)
			w.deliver()
			if sent := len(w.received()); err != nil || n != test.want || sent != int(test.want) {
				t.Errorf("%s: %d replayed, %d sent, %v; want %d", name, n, sent, err, test.want)
			}
		}
		if want := []string{"webhook add", "webhook replay", "webhook replay", "webhook replay"}; !slices.Equal(
			w.actions(), want,
		) {
			t.Errorf("trail %q, want one line for each replay of something", w.actions())
		}
		_, err = w.change(t.Context(), hook.ID, trail.Entry{}, "disable", func(w *Webhook) { w.Disabled = Failing })
		w.ok(err)
		if _, err := w.Replay(t.Context(), trail.Entry{}, hook.ID, Selection{From: start}); !fault.Is(
			err, CodeWebhookDisabled,
		) || fault.From(err).Kind != fault.Invalid {
			t.Errorf("disabled: %v", err)
		}
		if _, err := w.Replay(t.Context(), trail.Entry{}, 99, Selection{From: start}); !fault.Is(err, CodeNoWebhook) {
			t.Errorf("unknown: %v", err)
		}
	})
}
