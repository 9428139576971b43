package cache

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/fault"
)

func answerOf(name string, expires time.Time) *lookup.Answer[prices.Price] {
	return &lookup.Answer[prices.Price]{
		Value:    prices.Price{Finding: prices.Finding{ProductName: name}, ScrapedAt: noon},
		Lifetime: lookup.Lifetime{FetchedAt: noon, ExpiresAt: expires, Shareable: !expires.IsZero()},
	}
}

// TestSharedStore follows what two replicas see of a key.
func TestSharedStore(t *testing.T) {
	client := redistest.Client(t)
	now := func() time.Time { return noon }
	one := NewRedis[prices.Price](client, time.Hour, now, slog.New(slog.DiscardHandler))
	two := NewRedis[prices.Price](client, time.Hour, now, slog.New(slog.DiscardHandler))
	type outcome = lookup.Outcome[prices.Price]
	failed := fault.From(fetch.Unreachable(errors.New("secret.internal")))
	remembered := *failed
	remembered.Err = nil
	tests := []struct {
		name   string
		settle outcome
		want   outcome
	}{
		{"an answer", outcome{Answer: answerOf("a", noon.Add(time.Minute))},
			outcome{Answer: answerOf("a", noon.Add(time.Minute))}},
		{"an answer is kept no longer than all are", outcome{Answer: answerOf("b", noon.Add(9*time.Hour))},
			outcome{Answer: answerOf("b", noon.Add(time.Hour))}},
		{"an empty answer", outcome{Answer: answerOf("", time.Time{})}, outcome{Answer: answerOf("", time.Time{})}},
		{"a fault, without its cause", outcome{Fault: failed}, outcome{Fault: &remembered}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for i, replica := range []*Redis[prices.Price]{one, two} {
				_, mine, err := replica.Claim(t.Context(), "key", time.Minute)
				if err != nil || mine != (i == 0) {
					t.Fatalf("claim %d: %t, %v", i+1, mine, err)
				}
			}
			if err := one.Settle(t.Context(), "key", test.settle); err != nil {
				t.Fatal(err)
			}
			got, mine, err := two.Claim(t.Context(), "key", time.Minute)
			if err != nil || !mine {
				t.Fatalf("claim after the end: %t, %v", mine, err)
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApproxTime(time.Second)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := two.Forget(t.Context(), "key"); err != nil {
				t.Fatal(err)
			}
			if err := two.Release(t.Context(), "key"); err != nil {
				t.Fatal(err)
			}
			if got, err := one.Read(t.Context(), "key"); err != nil || got != (outcome{}) {
				t.Errorf("after it was forgotten: %+v, %v", got, err)
			}
		})
	}
}

func TestDamagedAnswerIsRemoved(t *testing.T) {
	client := redistest.Client(t)
	store := NewRedis[prices.Price](client, time.Hour, time.Now, slog.New(slog.DiscardHandler))
	data, err := encodeOutcome(lookup.Outcome[prices.Price]{Answer: answerOf("a", noon)})
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 1
	client.Set(t.Context(), answerKey("key"), data, time.Hour)
	if o, err := store.Read(t.Context(), "key"); err != nil || o.Answer != nil {
		t.Errorf("read %+v, %v", o, err)
	}
	if n := client.Exists(t.Context(), answerKey("key")).Val(); n != 0 {
		t.Error("it is still there")
	}
}

// TestPauseStores holds both stores to the same rules.
func TestPauseStores(t *testing.T) {
	for name, store := range map[string]fetch.PauseStore{
		"memory": &fetch.MemoryPauses{}, "redis": NewPauses(redistest.Client(t)),
	} {
		t.Run(name, func(t *testing.T) {
			until := time.Now().Add(time.Hour)
			for _, p := range []fetch.Pause{{Until: until, Code: "long"}, {Until: until.Add(-time.Minute), Code: "short"}} {
				if err := store.SetPause(t.Context(), "source", p); err != nil {
					t.Fatal(err)
				}
			}
			got, err := store.Pause(t.Context(), "source")
			if err != nil {
				t.Fatal(err)
			}
			want := fetch.Pause{Until: until, Code: "long"}
			if diff := cmp.Diff(want, got, cmpopts.EquateApproxTime(time.Second)); diff != "" {
				t.Errorf("pause (-want +got):\n%s", diff)
			}
			var counts []int
			for _, id := range []string{"a", "b", "b", "c"} {
				n, err := store.AddFailure(t.Context(), "source", id, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, n)
			}
			if err := store.ClearFailures(t.Context(), "source"); err != nil {
				t.Fatal(err)
			}
			n, err := store.AddFailure(t.Context(), "source", "d", time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]int{1, 2, 2, 3, 1}, append(counts, n)); diff != "" {
				t.Errorf("failures (-want +got):\n%s", diff)
			}
		})
	}
}
