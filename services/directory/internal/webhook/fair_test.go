package webhook

import (
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
		w.deliver()
		attempts += len(w.received())
		w.now = w.waits[hook.ID]
	}
	if after := w.now.Sub(start); after < failingMax || after > failingMax+2*longestWait || attempts > 70 {
		t.Errorf("disabled after %s and %d attempts", after, attempts)
	}
	if n, err := w.Waiting(t.Context()); err != nil || n != 0 {
		t.Errorf("%d deliveries wait, %v", n, err)
	}
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
