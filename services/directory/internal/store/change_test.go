package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
)

// TestHangingProvider: renewals of many companies wait for one provider, with hardly a
// connection more than they may take. Reads, and changes at the other provider, go on.
func TestHangingProvider(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s := db.Store
		other := storetest.AddConnection(t, s, "other", profile)
		var connections []directory.Connection
		for i := range 12 {
			connections = append(connections, storetest.AddConnection(t, s, fmt.Sprint("c", i), pages))
		}
		if db.Name == "postgres" {
			must(s.Write(t.Context()).DB())(t).SetMaxOpenConns(6)
		}
		hanging, end := context.WithTimeout(t.Context(), 10*time.Second)
		var renewals sync.WaitGroup
		reached := make(chan struct{}, len(connections))
		for _, c := range connections {
			renewals.Go(func() {
				_, _ = s.LockConnection(hanging, c.CompanyID, c.Pair, func(ctx context.Context, _ *directory.Connection) (*directory.Entry, error) {
					reached <- struct{}{}
					<-ctx.Done()
					return nil, ctx.Err()
				})
			})
		}
		for range 4 {
			<-reached
		}
		ctx, cancel := context.WithTimeout(hanging, 5*time.Second)
		err := s.Ping(ctx)
		if err == nil {
			_, err = s.Connections(ctx, other.CompanyID)
		}
		if err == nil {
			_, err = s.LockConnection(ctx, other.CompanyID, other.Pair, func(_ context.Context, c *directory.Connection) (*directory.Entry, error) {
				c.AccountName = "renewed"
				return nil, nil
			})
		}
		cancel()
		end()
		renewals.Wait()
		if err != nil {
			t.Errorf("while a provider hangs: %v", err)
		}
	})
}
