package prices_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
)

// ahead lets a replica read offers ahead until the returned function is called.
func ahead(t *testing.T, p *process) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); p.RefreshAhead(ctx) }()
	return func() { cancel(); <-done }
}

func TestWhatIsAskedForIsReadAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		defer ahead(t, p)()
		named(t, p, "rtx 4070 super")
		time.Sleep(10 * time.Minute)
		named(t, p, "rtx 4070 super")
		shop.drain()
		time.Sleep(23*time.Hour - 11*time.Minute)
		synctest.Wait()
		shop.expect(t, "before the last hour of its day")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		shop.expect(t, "in the last hour of its day", "7")
		time.Sleep(2 * time.Hour)
		named(t, p, "rtx 4070 super")
		shop.expect(t, "asked for on the day after")
		time.Sleep(3 * day)
		synctest.Wait()
		shop.expect(t, "asked for once on the day after")
	})
}

func TestWhatIsAskedForEveryDayIsAlwaysKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		defer ahead(t, p)()
		named(t, p, "rtx 4070 super")
		shop.expect(t, "at first", "rtx 4070 super", "7")
		for range 5 {
			for range 2 {
				expectVia(t, p.ask(t, "rtx 4070 super", ""), "local")
				time.Sleep(10 * time.Minute)
			}
			time.Sleep(23 * time.Hour)
			synctest.Wait()
			shop.expect(t, "a day later", "7")
		}
	})
}

// Prices that are kept for less than two hours are read again after half of that time.
func TestWhatIsKeptBrieflyIsReadAheadInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		p.TTL = time.Hour
		defer ahead(t, p)()
		named(t, p, "rtx 4070 super")
		time.Sleep(10 * time.Minute)
		named(t, p, "rtx 4070 super")
		shop.drain()
		time.Sleep(19 * time.Minute)
		synctest.Wait()
		shop.expect(t, "in the first half hour")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		shop.expect(t, "in the second half hour", "7")
	})
}

// A list that shows prices by the way asks for none of them.
func TestWhatIsPeekedAtIsNotReadAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		defer ahead(t, p)()
		q := catalog.Query{Text: "rtx 4070 super"}
		if _, ok := p.Peek(q); ok {
			t.Error("known before it was asked for")
		}
		shop.expect(t, "peeked at before")
		named(t, p, q.Text)
		for range 3 {
			time.Sleep(10 * time.Minute)
			if a, ok := p.Peek(q); !ok || a.Value.ProductName != shop.pages["7"] {
				t.Errorf("peeked at %+v, %v", a, ok)
			}
		}
		shop.drain()
		time.Sleep(2 * day)
		synctest.Wait()
		shop.expect(t, "after two days")
		if _, ok := p.Peek(q); ok {
			t.Error("known when it has expired")
		}
	})
}

func TestWhatIsLookedAtOnceIsNotReadAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		defer ahead(t, p)()
		for range 500 { // a page that asks every second
			named(t, p, "rtx 4070 super")
			time.Sleep(time.Second)
		}
		shop.drain()
		time.Sleep(2 * day)
		synctest.Wait()
		shop.expect(t, "ever after")
	})
}

// The demand for at most 20,000 products is recorded, for as long as their offers are
// fresh: then they make room for others.
func TestRecordedDemandIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		for n := range 20_100 {
			text := fmt.Sprintf("part %d", n)
			shop.means[text], shop.rows[text], shop.pages[text] = text, text, text
			named(t, p, text)
		}
		if n := p.Wanted(); n != 20_000 {
			t.Errorf("the demand for %d products is recorded", n)
		}
		defer ahead(t, p)()
		time.Sleep(day + time.Hour)
		synctest.Wait()
		if n := p.Wanted(); n != 0 {
			t.Errorf("the demand for %d products with expired offers is recorded", n)
		}
	})
}

// Where the source has no turn to spare, or fails, what is kept goes on being given out.
func TestReadingAheadGivesWay(t *testing.T) {
	for _, tt := range []struct {
		name    string
		err     error
		soldOut bool
		tries   int // in the last hour
	}{
		{"no idle turn", lookup.Abandoned(errAway), false, 720},
		{"the source fails", lookup.Unreachable(errAway), false, 6},
		{"no shop sells it", nil, true, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop, tries := cards(), new(atomic.Int32)
				p := newProcess(shop)
				defer ahead(t, p)()
				named(t, p, "rtx 4070 super")
				time.Sleep(10 * time.Minute)
				named(t, p, "rtx 4070 super")
				shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
					tries.Add(1)
					if c := r.Caller; c.Class != lookup.Idle {
						t.Errorf("requested by %+v", c)
					}
					return tt.err
				})
				if tt.soldOut {
					shop.sellOut()
				}
				time.Sleep(23*time.Hour + 49*time.Minute)
				shop.drain()
				named(t, p, "rtx 4070 super")
				if n := int(tries.Load()); n > tt.tries || n < tt.tries*49/60 { // but for the last minutes
					t.Errorf("%d tries, want about %d", n, tt.tries)
				}
			})
		})
	}
}
