package prices_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// parts are n products of fair, from the first one on.
func parts(first, n int) (queries []catalog.Query) {
	for i := range n {
		queries = append(queries, catalog.Query{Text: fmt.Sprintf("part %d spelling 1", first+i)})
	}
	return queries
}

// A product near the end of another client's list takes as long as one that is not in it.
func TestAListDelaysNoSingleQuestion(t *testing.T) {
	wait := func(list []catalog.Query) (took time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			shop := &fair{pacer: newPacer()}
			p := newReplica(shop, newLayers[prices.Match](nil, shop.pacer), newLayers[prices.Price](nil, shop.pacer))
			prices.NewQuotes(p.Prices, shop.pacer, nil, quiet).Ask(t.Context(), lookup.Caller{Client: "list"}, list)
			begun := time.Now()
			if _, _, err := p.Get(context.Background(), lookup.Caller{Client: "single"}, parts(118, 1)[0]); err != nil {
				t.Error(err)
			}
			took = time.Since(begun)
			time.Sleep(2 * time.Minute)
		})
		return took
	}
	in, out := wait(parts(100, 20)), wait(parts(200, 20))
	t.Logf("%v in the list, %v if not", in, out)
	if in > out+1200*time.Millisecond { // the order of two that ask at the same moment is open
		t.Errorf("%v in the list of another client, otherwise %v", in, out)
	}
}

// A client that asks for more than its share leaves the others their places, and what is
// refused gives way at once.
func TestOneClientLeavesTheOthersTheirPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, board := &fair{pacer: newPacer()}, prices.NewLocalBoard()
		var replicas []*prices.Quotes
		for range 2 {
			replicas = append(replicas, prices.NewQuotes(newProcess(shop).Prices, shop.pacer, board, quiet))
		}
		for n := range 26 {
			list, refused := replicas[n%2].Ask(t.Context(), lookup.Caller{Client: "a"}, parts(1000+20*n, 20)), 0
			for _, q := range list {
				if q.Fault != nil && q.Fault.Code == "throttle_queue_full" {
					refused++
				}
			}
			if second := n%2 == 1; second && refused < 19 { // the queue has 20 of the first replica
				t.Errorf("list %d: %d refused", n, refused)
			}
		}
		for part, n := range map[int]int{100: 0, 101: 1, 1018: 0} { // the last one is of a's first list
			q := replicas[n].Ask(t.Context(), lookup.Caller{Client: fmt.Sprint(part)}, parts(part, 1))[0]
			if q.Place.Number == 0 || q.Place.Wait > 12*time.Second {
				t.Errorf("place %+v of another client's %d, want one of the first", q.Place, part)
			}
		}
		time.Sleep(time.Hour)
	})
}

// searches is fair that notes the order in which it was asked.
type searches struct {
	fair
	notes
}

func (s *searches) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	number, found, err := s.fair.Search(ctx, r, q)
	s.add(q.Text)
	return number, found, err
}

func TestAListIsLookedUpInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, list := &searches{fair: fair{pacer: newPacer()}}, parts(100, 20)
		quotes := prices.NewQuotes(newProcess(shop).Prices, shop.pacer, nil, quiet)
		var want []string
		for _, q := range list {
			want = append(want, q.Text)
		}
		for range 30 {
			quotes.Ask(t.Context(), lookup.Caller{}, list)
			time.Sleep(2 * time.Second)
		}
		shop.expect(t, "in the order of the list", want...)
	})
}

// A look-up of a list may wait for minutes. A caller who waits for the same one is refused at
// once if it comes too late, in any replica.
func TestWhoJoinsALongListIsRefusedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(2, newPacer())
		for n := range 10 {
			f.quotes[0].Ask(t.Context(), lookup.Caller{Client: fmt.Sprint("list ", n)}, parts(100+20*n, 20))
		}
		for n, p := range f.replicas {
			begun := time.Now()
			_, _, err := p.Get(t.Context(), lookup.Caller{Client: fmt.Sprint("single ", n)}, parts(118, 1)[0])
			if took, after := time.Since(begun), fault.From(err).RetryAfter; codeOf(err) != "throttle_queue_full" || took > time.Second || after < 15*time.Second {
				t.Errorf("replica %d: %v after %v, come back after %v", n, err, took, after)
			}
		}
		time.Sleep(10 * time.Minute)
	})
}
