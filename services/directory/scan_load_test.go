package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

// sizeOf is a number of the environment, so that the test below can be run at full size:
// SCAN_COMPANIES=3000 SCAN_ANSWER_MS=1000 SCAN_WORKERS=100 go test -run ManyCompanies -v -timeout 30m .
func sizeOf(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return standard
}

// newGraph answers as the Graph API does for pages with a photo account, after a while.
func newGraph(t *testing.T, answer time.Duration, calls *atomic.Int64) *url.URL {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		time.Sleep(answer)
		body := `{"id":"17841","name":"Firma","username":"firma","fan_count":50,"followers_count":50}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/insights"), strings.HasSuffix(r.URL.Path, "/media"):
			body = `{"data":[]}`
		case r.FormValue("fields") == "instagram_business_account":
			body = `{"id":"1","instagram_business_account":{"id":"17841"}}`
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return base
}

func addPage(ctx context.Context, s *storetest.Store, i int) error {
	company := company.Company{Name: "Firma", Slug: fmt.Sprint("firma-", i), Status: company.StatusActive}
	if err := s.Companies().Create(ctx, &company); err != nil {
		return err
	}
	c := connection.Connection{
		CompanyID: company.ID, UserID: 1, Pair: provider.Pair{Provider: provider.Social, Service: provider.SocialPages},
		AccessToken: "page", UserAccessToken: "user", AccountID: strconv.Itoa(i), ProviderUserID: "person",
	}
	return s.Save(ctx, &c, nil, trail.Entry{CompanyID: company.ID, Action: "connect", Pair: c.Pair})
}

// TestScanOfManyCompanies scans for real: its figures say how many workers an
// installation needs.
func TestScanOfManyCompanies(t *testing.T) {
	companies, workers := sizeOf("SCAN_COMPANIES", 40), sizeOf("SCAN_WORKERS", 4)
	answer := time.Duration(sizeOf("SCAN_ANSWER_MS", 1)) * time.Millisecond
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "seed")
		var calls atomic.Int64
		cfg := config{ScanWorkers: workers, ProviderTimeout: 30 * time.Second, SocialBaseURL: newGraph(t, answer, &calls), PublicURL: &url.URL{}}
		keys, err := loadConfig(settings)
		if err != nil {
			t.Fatal(err)
		}
		cfg.SessionKeys = keys.SessionKeys
		inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
			for i := range companies {
				if err := addPage(ctx, s, i); err != nil {
					return err
				}
			}
			a, err := newApp(cfg, s.DB, slog.New(slog.DiscardHandler), nil)
			if err != nil {
				return err
			}
			var heap []uint64
			begin := time.Now()
			result, err := a.scan.Run(ctx, func(p scan.Progress) {
				if p.Done%max(1, companies/5) == 0 {
					var m runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&m)
					heap = append(heap, m.HeapAlloc>>20)
				}
			})
			took := time.Since(begin)
			t.Logf("%d companies, %d calls of %v, %d workers: %v; 100,000 in %v; heap %d MiB", companies, calls.Load(), answer, workers,
				took.Round(time.Millisecond), (took * 100_000 / time.Duration(companies)).Round(time.Minute), heap)
			if result.Synced != 2*companies || result.Left != 0 || result.Failed != 0 || slices.Max(heap) > heap[0]+16 {
				t.Errorf("%+v, %v", result, err)
			}
			return err
		})
	})
}
