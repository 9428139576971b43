package directory_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
)

// scanned is a service of which company 1 has a profile and a page, and company 2
// has a page, all good for long.
func scanned(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Social.Token.AccessToken = "user-1"
	s.Connect(directory.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	s.Connect(directory.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: directory.ChosenPage, AccountID: "104118", UserAccessToken: "user-1",
	})
	other := s.AddCompany("cukiernia")
	s.Connect(directory.Connection{
		CompanyID: other.ID, Pair: pagesPair, AccessToken: "page-2", Chosen: directory.ChosenPage, AccountID: "104119", UserAccessToken: "user-1",
	})
	return s
}

// ended lets the credential of the company's connection end.
func ended(p directory.Pair) func(*directorytest.Service) {
	return func(s *directorytest.Service) {
		s.Change(p, func(c *directory.Connection) {
			c.ExpiresAt, c.UserExpiresAt = directorytest.After(0), directorytest.After(0)
		})
	}
}

func socialFails(ability string, err error) func(*directorytest.Service) {
	return func(s *directorytest.Service) {
		s.Social.During[ability] = func() { // the first time only
			s.Social.Fail[ability] = err
			s.Social.During[ability] = func() { delete(s.Social.Fail, ability) }
		}
	}
}

func TestScan(t *testing.T) {
	var (
		temporary = directory.Temporary(errors.New("503"))
		throttled = directory.Throttled(errors.New("429"), time.Hour)
		first     = []string{"ReadPhotos page-1 104118", "ReadPage page-1 104118"}
		second    = []string{"ReadPhotos page-2 104119", "ReadPage page-2 104119"}
		all       = slices.Concat(first, second)
	)
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		asked  []string // of provider_social
		want   directory.ScanResult
	}{
		"all well": {func(*directorytest.Service) {}, all, directory.ScanResult{Companies: 2, Synced: 4}},
		"tokens renewed": {func(s *directorytest.Service) {
			ended(profilePair)(s)
			ended(pagesPair)(s)
			s.Search.Renewal, s.Social.Renewal = directory.Token{AccessToken: "access-2"}, directory.Token{AccessToken: "user-2"}
		}, append([]string{"Refresh "}, all...), directory.ScanResult{Companies: 2, Renewed: 2, Synced: 4}},
		"renewal fails": {
			both(ended(profilePair), func(s *directorytest.Service) { s.Search.Fail["Refresh"] = temporary }), all,
			directory.ScanResult{Companies: 2, Synced: 4, Failed: 1},
		},
		"user's token lost": {
			both(ended(pagesPair), socialFails("Refresh", refused("A"))), append([]string{"Refresh "}, all...),
			directory.ScanResult{Companies: 2, Synced: 4, Failed: 1},
		},
		"photos fail":      {socialFails("ReadPhotos", temporary), all, directory.ScanResult{Companies: 2, Synced: 3, Failed: 1}},
		"page fails":       {socialFails("ReadPage", temporary), all, directory.ScanResult{Companies: 2, Synced: 3, Failed: 1}},
		"no photo network": {socialFails("ReadPhotos", directory.Gone(nil)), all, directory.ScanResult{Companies: 2, Synced: 3}},
		"page's token lost": {
			socialFails("ReadPhotos", refused("A")), append(first[:1:1], second...), directory.ScanResult{Companies: 2, Synced: 2, Failed: 1},
		},
		"provider asks to wait": {
			socialFails("ReadPhotos", throttled), first[:1], directory.ScanResult{Companies: 2, Skipped: 1, Failed: 1},
		},
		"... at the renewal": {
			both(ended(pagesPair), socialFails("Refresh", throttled)), []string{"Refresh "}, directory.ScanResult{Companies: 2, Skipped: 1, Failed: 1},
		},
		"the other provider asks": {
			both(ended(profilePair), func(s *directorytest.Service) { s.Search.Fail["Refresh"] = throttled }), all,
			directory.ScanResult{Companies: 2, Synced: 4, Failed: 1},
		},
		"waits for its user": {
			func(s *directorytest.Service) {
				s.Change(pagesPair, func(c *directory.Connection) { c.ReconnectReason = "Dostęp wygasł." })
			}, second, directory.ScanResult{Companies: 2, Synced: 2, Skipped: 1},
		},
		"disconnected": {func(s *directorytest.Service) { s.Change(pagesPair, inactive) }, second, directory.ScanResult{Companies: 2, Synced: 2}},
		"no page yet": {
			func(s *directorytest.Service) {
				s.Change(pagesPair, func(c *directory.Connection) { c.Chosen, c.UserAccessToken = directory.ChosenNothing, "" })
			}, second, directory.ScanResult{Companies: 2, Synced: 2},
		},
		"companies not readable": {
			func(s *directorytest.Service) { s.Store.Fail["Connections"] = errors.New("database is away") }, nil,
			directory.ScanResult{Companies: 2, Failed: 2},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scanned(t)
			tt.change(s)
			tt.want.Ran = true
			got, err := s.Scan.Run(t.Context(), nil)
			if err != nil || got != tt.want || !slices.Equal(s.Social.Calls, tt.asked) {
				t.Errorf("Run = %+v, %v after %q, want %+v after %q", got, err, s.Social.Calls, tt.want, tt.asked)
			}
			if logged := strings.Count(s.Log.String(), "scan step failed"); logged != tt.want.Failed {
				t.Errorf("%d failures logged, want %d", logged, tt.want.Failed)
			}
		})
	}
}

func TestScanOfNobody(t *testing.T) {
	s := directorytest.New(t)
	if got, err := s.Scan.Run(t.Context(), nil); err != nil || got != (directory.ScanResult{Ran: true}) {
		t.Errorf("Run = %+v, %v", got, err)
	}
}

func TestScanProgress(t *testing.T) {
	s := scanned(t)
	socialFails("ReadPage", directory.Temporary(nil))(s)
	var got []directory.ScanProgress
	if _, err := s.Scan.Run(t.Context(), func(p directory.ScanProgress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []directory.ScanProgress{{Done: 1, Total: 2, CompanyID: 1, Failed: true}, {Done: 2, Total: 2, CompanyID: 2}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("progress = %+v, want %+v", got, want)
	}
}

// TestScanOfManyCompanies: the list is read in parts, and each company is seen once.
func TestScanOfManyCompanies(t *testing.T) {
	s := directorytest.New(t)
	for i := range 130 {
		company := s.AddCompany(fmt.Sprint("firma-", i))
		s.Connect(directory.Connection{CompanyID: company.ID, Pair: profilePair, AccessToken: "access-1"})
	}
	if got, err := s.Scan.Run(t.Context(), nil); err != nil || got.Companies != 130 {
		t.Errorf("Run = %+v, %v, want each company once", got, err)
	}
}

func TestOneScanAtATime(t *testing.T) {
	s := scanned(t)
	var second directory.ScanResult
	s.Social.During["ReadPhotos"] = func() {
		delete(s.Social.During, "ReadPhotos")
		second, _ = s.Scan.Run(t.Context(), nil)
	}
	first, err := s.Scan.Run(t.Context(), nil)
	if err != nil || !first.Ran || first.Companies != 2 || second != (directory.ScanResult{}) {
		t.Errorf("first = %+v, %v, second = %+v", first, err, second)
	}
}

func TestScanEndsWithItsContext(t *testing.T) {
	for _, last := range []string{"ReadPhotos", "ReadPage"} {
		s := scanned(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.Social.During[last] = cancel
		got, err := s.Scan.Run(ctx, nil)
		if !errors.Is(err, context.Canceled) || !strings.HasPrefix(s.Social.Calls[len(s.Social.Calls)-1], last) || got.Failed > 0 || !got.Ran {
			t.Errorf("Run = %+v, %v after %q", got, err, s.Social.Calls)
		}
	}
}

func TestScanWithoutItsList(t *testing.T) {
	s := scanned(t)
	away := errors.New("database is away")
	s.Store.Fail["ConnectedCompanies"] = away
	if got, err := s.Scan.Run(t.Context(), nil); !errors.Is(err, away) || got.Companies > 0 {
		t.Errorf("Run = %+v, %v", got, err)
	}
}

// schedule is what scheduled scans share over all replicas, without any company.
type schedule struct {
	directory.ConnectionStore
	directory.Limits
	mu      sync.Mutex
	turns   []time.Time
	log     bytes.Buffer
	once    sync.Once
	handler slog.Handler
	listErr error
}

func (s *schedule) ConnectedCompanies(context.Context, directory.Pair, int64, int) ([]int64, error) {
	return nil, s.listErr
}

func (s *schedule) TakeLimits(_ context.Context, limits []directory.Limit, now time.Time) (directory.LimitState, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.turns); n > 0 && !now.After(s.turns[n-1].Add(limits[0].Window)) {
		return directory.LimitState{}, nil
	}
	s.turns = append(s.turns, now)
	return directory.LimitState{OK: true}, nil
}

// taken is how many scans began.
func (s *schedule) taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

// replica is the scan of one process.
func (s *schedule) replica() *directory.Scan {
	oauth := directory.NewOAuth(directory.OAuthOptions{Store: s, Now: time.Now, Log: s.logger()})
	return directory.NewScan(oauth, directory.NewPages(oauth, nil), s,
		func(ctx context.Context, _ string, fn func(context.Context) error) (bool, error) {
			return true, fn(ctx)
		})
}

// logger is one for all replicas, for it locks.
func (s *schedule) logger() *slog.Logger {
	s.once.Do(func() { s.handler = slog.NewTextHandler(&s.log, nil) })
	return slog.New(s.handler)
}

func (s *schedule) logged(text string) int { return strings.Count(s.log.String(), text) }

// Two replicas run for ten days and a random part of the first.
func TestSchedule(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const interval = 24 * time.Hour
		var s schedule
		ctx, cancel := context.WithCancel(t.Context())
		for range 2 {
			go s.replica().Every(ctx, interval)
		}
		time.Sleep(interval)
		synctest.Wait()
		if n := s.taken(); n != 1 {
			t.Errorf("%d scans in the first interval, want 1", n)
		}
		time.Sleep(10 * interval)
		cancel()
		synctest.Wait()
		if got := len(s.turns); got < 10 || got > 12 || s.logged("scan done") != got {
			t.Errorf("%d turns, %d scans in 11 intervals", got, s.logged("scan done"))
		}
		for i, turn := range s.turns[1:] {
			if gap := turn.Sub(s.turns[i]); gap < interval/10*9 || gap > 2*interval {
				t.Errorf("%v between two scans", gap)
			}
		}
	})
}

func TestScheduleGoesOnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := schedule{listErr: errors.New("database is away")}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Hour+time.Minute)
		defer cancel()
		s.replica().Every(ctx, time.Hour)
		if got := s.logged("scan failed"); got < 3 {
			t.Errorf("%d failures logged, want one an hour", got)
		}
	})
}

func TestScheduleThatIsOff(t *testing.T) {
	var s schedule
	s.replica().Every(t.Context(), 0) // returns
	s.replica().Every(t.Context(), -time.Hour)
	if len(s.turns) > 0 {
		t.Errorf("%d turns", len(s.turns))
	}
}
