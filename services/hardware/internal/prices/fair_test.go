package prices_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
)

// fair is an aggregator that takes 300 ms for every request, when its turn has come.
// Every 20th product is a single shop's, every 33rd is not there at all.
type fair struct {
	pacer    *throttle.Pacer
	requests atomic.Int64

	mu      sync.Mutex
	last    time.Time
	closest time.Duration // the least time between two requests
}

func (f *fair) request(ctx context.Context, r *lookup.Request) error {
	sent, err := f.pacer.Turn(ctx, r)
	if err != nil {
		return err
	}
	sent()
	f.note()
	time.Sleep(300 * time.Millisecond)
	return nil
}

func (f *fair) note() {
	f.requests.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if gap := now.Sub(f.last); f.closest == 0 || gap < f.closest {
		f.closest = gap
	}
	f.last = now
}

func (f *fair) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	var product, spelling int
	_, _ = fmt.Sscanf(q.Text, "part %d spelling %d", &product, &spelling)
	if err := f.request(ctx, r); err != nil {
		return "", prices.Finding{}, err
	}
	switch found := offered(product); {
	case isMissing(product):
		return "", nothing, nil
	case product%20 == 19:
		return "", found, nil
	default:
		return fmt.Sprint(product), prices.Finding{ProductName: found.ProductName}, nil
	}
}

func (f *fair) Product(ctx context.Context, r *lookup.Request, number string, _ int) (prices.Finding, error) {
	var product int
	_, _ = fmt.Sscan(number, &product)
	return offered(product), f.request(ctx, r)
}

func isMissing(product int) bool { return product%33 == 32 }

func offered(product int) prices.Finding {
	return prices.Finding{ProductName: fmt.Sprintf("part %d", product), Offers: []prices.Offer{{Store: "a.example", Price: 99}}}
}

func newPacer() *throttle.Pacer {
	return throttle.NewPacer(throttle.Options{Interval: 1200 * time.Millisecond, MaxWait: 15 * time.Second, Log: quiet})
}
