package lookup

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/redistest"
)

// noon is when the answers were fetched.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// price is a value.
type price struct{ Name string }

func answerOf(name string, expires time.Time) *Answer[price] {
	return &Answer[price]{
		Value:    price{Name: name},
		Lifetime: Lifetime{FetchedAt: noon, ExpiresAt: expires, Shareable: !expires.IsZero()},
	}
}

func TestSharedStore(t *testing.T) {
	client := redistest.Client(t)
	one := NewStore[price](client, time.Hour, slog.New(slog.DiscardHandler))
	two := NewStore[price](client, time.Hour, slog.New(slog.DiscardHandler))
	type outcome = Outcome[price]
	failed := fetch.Unreachable.Wrap(errors.New("secret.internal"))
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
			for i, replica := range []*Store[price]{one, two} {
				if _, mine := replica.Claim(t.Context(), "key", noon); mine != (i == 0) {
					t.Fatalf("claim %d: %t", i+1, mine)
				}
			}
			one.Settle(t.Context(), "key", test.settle, noon)
			got, mine := two.Claim(t.Context(), "key", noon)
			if !mine {
				t.Fatal("no claim after the end")
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApproxTime(time.Second)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if _, err := two.Forget(t.Context(), "key"); err != nil {
				t.Fatal(err)
			}
			two.Settle(t.Context(), "key", outcome{}, noon)
			if got := one.Read(t.Context(), "key", noon); got != (outcome{}) {
				t.Errorf("after it was forgotten: %+v", got)
			}
		})
	}
}

func TestDamagedAnswerIsIgnored(t *testing.T) {
	client := redistest.Client(t)
	store := NewStore[price](client, time.Hour, slog.New(slog.DiscardHandler))
	store.Settle(t.Context(), "key", Outcome[price]{Answer: answerOf("a", noon.Add(time.Minute))}, noon)
	client.SetRange(t.Context(), answerKey("key"), 30, "\x00")
	if o := store.Read(t.Context(), "key", noon); o != (Outcome[price]{}) {
		t.Errorf("read %+v", o)
	}
}
