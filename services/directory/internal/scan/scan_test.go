package scan_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/trail"
)

// scanned returns a service of which company 1 has a profile and a page, and company 2
// has a page, all good for long.
func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var profilePair, pagesPair = provider.ProfilePair, provider.PagesPair

func inactive(c *connection.Connection) { c.Active = false }

func refused(text string) error { return provider.Revoked(errors.New("no such token"), text) }

func scanned(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Social.Token.AccessToken = "user-1"
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		UserAccessToken: "user-1",
	})
	other := s.AddCompany("cukiernia")
	s.Connect(connection.Connection{
		CompanyID: other.ID, Pair: pagesPair, AccessToken: "page-2", Chosen: connection.ChosenPage, AccountID: "104119",
		UserAccessToken: "user-1",
	})
	return s
}

// ended lets the credential of the company's connection be expired for more than a day.
func ended(p provider.Pair) func(*directorytest.Service) {
	return func(s *directorytest.Service) {
		s.Change(p, func(c *connection.Connection) {
			c.ExpiresAt, c.UserExpiresAt = directorytest.After(-25*time.Hour), directorytest.After(-25*time.Hour)
		})
	}
}

func socialFails(ability string, err error) func(*directorytest.Service) {
	return func(s *directorytest.Service) { s.Social.FailOnce(ability, err) }
}

func TestScan(t *testing.T) {
	var (
		temporary = provider.Temporary(errors.New("503"))
		throttled = provider.Throttled(errors.New("429"), 2*time.Hour)
		first     = []string{"ReadPhotos page-1 104118", "ReadPage page-1 104118"}
		second    = []string{"ReadPhotos page-2 104119", "ReadPage page-2 104119"}
		all       = slices.Concat(first, second)
	)
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		asked  []string // of provider_social
		want   scan.Result
	}{
		"all well": {func(*directorytest.Service) {}, all, scan.Result{Connections: 3, Synced: 4}},
		"tokens renewed": {func(s *directorytest.Service) {
			ended(profilePair)(s)
			ended(pagesPair)(s)
			s.Search.Renewal, s.Social.Renewal = provider.Token{AccessToken: "access-2"},
				provider.Token{AccessToken: "user-2"}
		}, append([]string{"Refresh "}, all...), scan.Result{Connections: 3, Renewed: 2, Synced: 4}},
		"renewal fails": {
			both(ended(profilePair), func(s *directorytest.Service) { s.Search.Fail["Refresh"] = temporary }), all,
			scan.Result{Connections: 3, Synced: 4, Failed: 1},
		},
		"user's token lost": {
			both(ended(pagesPair), socialFails("Refresh", refused("A"))), append([]string{"Refresh "}, all...),
			scan.Result{Connections: 3, Synced: 4, Failed: 1},
		},
		"photos fail": {socialFails("ReadPhotos", temporary), all,
			scan.Result{Connections: 3, Synced: 3, Failed: 1}},
		"page fails": {socialFails("ReadPage", temporary), all,
			scan.Result{Connections: 3, Synced: 3, Failed: 1}},
		"no photo network": {socialFails("ReadPhotos", provider.Gone(nil)), all,
			scan.Result{Connections: 3, Synced: 3}},
		"page's token lost": {
			socialFails("ReadPhotos", refused("A")), append(first[:1:1], second...),
			scan.Result{Connections: 3, Synced: 2, Failed: 1},
		},
		"a page is asked to wait": {
			socialFails("ReadPhotos", throttled), append(first[:1:1], second...),
			scan.Result{Connections: 3, Synced: 2, Failed: 1, Left: 1},
		},
		"a page is asked to wait with its metrics": {
			func(s *directorytest.Service) {
				s.Social.Page.Missed = meta.Missed{Metrics: []string{"views"}, Err: throttled}
			}, all, scan.Result{Connections: 3, Synced: 2, Failed: 2},
		},
		"the app nearly has to wait": {
			func(s *directorytest.Service) {
				s.Social.Photos.Missed = meta.Missed{
					Metrics: []string{"reach"}, Err: provider.ThrottledApp(errors.New("97%"), 0),
				}
			}, slices.Clone(first), scan.Result{Connections: 2, Synced: 1, Failed: 1, Left: 1},
		},
		"a user is asked to wait": {
			both(ended(pagesPair), socialFails("Refresh", throttled)), append([]string{"Refresh "}, all...),
			scan.Result{Connections: 3, Synced: 4, Failed: 1},
		},
		"the app is asked to wait": {
			socialFails("ReadPhotos", provider.ThrottledApp(errors.New("4"), 0)), first[:1],
			scan.Result{Connections: 2, Failed: 1, Left: 2},
		},
		"the other provider asks": {
			both(ended(profilePair), func(s *directorytest.Service) { s.Search.Fail["Refresh"] = throttled }), all,
			scan.Result{Connections: 3, Synced: 4, Failed: 1},
		},
		"waits for its user": {
			func(s *directorytest.Service) {
				s.Change(pagesPair, func(c *connection.Connection) { c.ReconnectReason = "Dostęp wygasł." })
			}, second, scan.Result{Connections: 3, Synced: 2, Skipped: 1},
		},
		"disconnected": {func(s *directorytest.Service) { s.Change(pagesPair, inactive) }, second,
			scan.Result{Connections: 2, Synced: 2}},
		"disconnected since": {
			func(s *directorytest.Service) { s.Store.Fail["Connection"] = connection.CodeNoConnection.Fault() }, nil,
			scan.Result{Connections: 3},
		},
		"no page yet": {
			func(s *directorytest.Service) {
				s.Change(pagesPair, func(c *connection.Connection) {
					c.Chosen, c.UserAccessToken = connection.ChosenNothing, ""
				})
			}, second, scan.Result{Connections: 3, Synced: 2},
		},
		"connections not readable": {
			func(s *directorytest.Service) { s.Store.Fail["Connection"] = errors.New("row is broken") }, nil,
			scan.Result{Connections: 3, Failed: 6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := scanned(t)
			tt.change(s)
			got, err := s.Scan.Run(t.Context(), nil)
			slices.Sort(s.Social.Calls)
			slices.Sort(tt.asked)
			if err != nil || got != tt.want || !slices.Equal(s.Social.Calls, tt.asked) {
				t.Errorf("Run = %+v, %v after %q, want %+v after %q", got, err, s.Social.Calls, tt.want, tt.asked)
			}
			if logged := strings.Count(s.Log.String(), "scan step failed"); logged != tt.want.Failed {
				t.Errorf("%d failures logged, want %d", logged, tt.want.Failed)
			}
		})
	}
}

// pageAt gives a company a page of its own, connected by a person of its own.
func pageAt(s *directorytest.Service, id string) connection.Connection {
	s.Social.Pages = append(s.Social.Pages, meta.Page{ID: id, AccessToken: "page-" + id})
	return s.Connect(connection.Connection{
		CompanyID: s.AddCompany("firma-" + id).ID, Pair: pagesPair, AccessToken: "page-" + id,
		Chosen:    connection.ChosenPage,
		AccountID: id, UserAccessToken: "user-" + id, ProviderUserID: "person-" + id,
	})
}

// TestPausesOutlastTheRun checks that what is paused is called again when its time is over,
// and first, in any process.
func TestPausesOutlastTheRun(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		after time.Duration // is it free again
	}{
		"for as long as it says": {provider.Throttled(errors.New("80001"), 20*time.Minute), 20 * time.Minute},
		"else a minute":          {provider.Throttled(errors.New("80001"), 0), time.Minute},
		"a day at most":          {provider.ThrottledApp(errors.New("4"), 315360000*time.Second), 24 * time.Hour},
		"a minute at least":      {provider.Throttled(errors.New("80001"), time.Second), time.Minute},
		"the app":                {provider.ThrottledApp(errors.New("4"), 0), time.Minute},
	} {
		s := directorytest.New(t)
		pageAt(s, "7")
		s.Social.FailOnce("ReadPhotos", tt.err)
		want := 1
		for _, step := range []struct {
			after time.Duration
			more  int // questions
		}{{0, 0}, {tt.after - time.Second, 0}, {tt.after, 2}, {tt.after + time.Second, 2}} {
			if _, err := s.Scan.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			s.Now = directorytest.Start.Add(step.after)
			s.Wire() // a process that knows nothing
			if _, err := s.Scan.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			if want += step.more; len(s.Social.Calls) != want {
				t.Errorf("%s: after %v %q", name, step.after, s.Social.Calls)
			}
		}
	}
}

// TestPausesGrow checks, on each database and for a page and the app, that each refusal in
// a row pauses for as long as those before it together, that the first success ends that, and that a pause is
// listed, logged and lifted.
func TestPausesGrow(t *testing.T) {
	for name, err := range map[string]error{
		"page": provider.Throttled(errors.New("80001"), 0), "app": provider.ThrottledApp(errors.New("4"), 0),
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
				s := directorytest.On(t, db.URL)
				pageAt(s, "7")
				for i, want := range []time.Duration{1, 1, 2, 4, 0, 1} {
					if want > 0 {
						s.Social.FailOnce("ReadPhotos", err)
					}
					if _, err := s.Scan.Run(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					list, err := s.Scan.Pauses(t.Context())
					if err != nil || (len(list) == 1) != (want > 0) {
						t.Fatalf("run %d: %+v, %v", i, list, err)
					}
					if want > 0 && !list[0].Until.Equal(s.Now.Add(want*time.Minute)) {
						t.Errorf("run %d: paused until %s, want %d min", i, list[0].Until, want)
					}
					s.Now = s.Now.Add(max(want, 1) * time.Minute)
				}
				if n := strings.Count(s.Log.String(), "pause begins"); n != 5 {
					t.Errorf("%d begins logged", n)
				}
				s.Now = s.Now.Add(-time.Minute)
				for _, want := range []int64{1, 0} {
					if n, err := s.Scan.Lift(t.Context(), trail.Entry{}, provider.Social); n != want || err != nil {
						t.Errorf("%d lifted, %v, want %d", n, err, want)
					}
				}
				if got, err := s.Scan.Run(t.Context(), nil); err != nil || got.Synced != 2 {
					t.Errorf("after lifting: %+v, %v", got, err)
				}
				if name == "app" && strings.Count(s.Log.String(), "pause ends") != 2 {
					t.Errorf("ends not logged: %s", s.Log.String())
				}
			})
		})
	}
}

// TestRenewalEndsAPause checks that a renewed credential shows that the provider responds
// again.
func TestRenewalEndsAPause(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	ended(profilePair)(s)
	s.Search.Renewal = provider.Token{AccessToken: "access-2"}
	over := directorytest.Start.Add(-time.Second)
	if err := s.Store.Write(t.Context()).Exec("INSERT INTO provider_stops (provider, stopped_until) VALUES (?, ?)",
		provider.Search, over).Error; err != nil {
		t.Fatal(err)
	}
	result, err := s.Scan.Run(t.Context(), nil)
	want := []map[string]any{{"level": "INFO", "msg": "pause ends", "provider": string(provider.Search)}}
	if err != nil || result.Renewed != 1 || !reflect.DeepEqual(s.Logged(), want) {
		t.Errorf("%+v, %v, log %v, want %v", result, err, s.Logged(), want)
	}
}

// TestQuotaOfOneAPI checks, on each database, that a used-up minute of one API pauses what
// reads that API, and not renewals or another API, until the minute is over.
func TestQuotaOfOneAPI(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Workers = 2
		s.Wire()
		for i := range 5 {
			company := s.AddCompany(fmt.Sprint("firma-", i))
			c := connection.Connection{CompanyID: company.ID, Pair: profilePair, AccessToken: "access-1",
				RefreshToken: "refresh-1", ProviderUserID: fmt.Sprint("person-", i)}
			c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1"
			s.Connect(c)
		}
		s.Connect(
			connection.Connection{Pair: provider.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1"},
		)
		s.Search.Fail["ReadLocation"] = provider.ThrottledAPI(errors.New("429"), time.Minute)
		got, err := s.Scan.Run(t.Context(), nil)
		if err != nil || got.Synced != 1 {
			t.Fatalf("with the quota used up: %+v, %v", got, err)
		}
		if got.Failed > 2 || got.Left != 5 {
			t.Errorf("with the quota used up: %+v, %v", got, err)
		}
		if n := strings.Count(s.Log.String(), "pause begins"); n != 1 {
			t.Errorf("%d begins logged", n)
		}
		list, err := s.Scan.Pauses(t.Context())
		want := []scan.Pause{
			{Provider: provider.Search, Service: provider.SearchProfile, Until: s.Now.Add(time.Minute)},
		}
		if err != nil || len(list) != 1 {
			t.Fatalf("pauses %+v, %v, want %+v", list, err, want)
		}
		if !list[0].Until.Equal(want[0].Until) || list[0].Service != want[0].Service {
			t.Fatalf("pauses %+v, %v, want %+v", list, err, want)
		}
		if list[0].Provider != want[0].Provider {
			t.Errorf("pauses %+v, %v, want %+v", list, err, want)
		}
		delete(s.Search.Fail, "ReadLocation")
		s.Now = s.Now.Add(time.Minute)
		if got, err := s.Scan.Run(t.Context(), nil); err != nil || got.Left != 0 || got.Failed != 0 {
			t.Errorf("a minute later: %+v, %v", got, err)
		}
		s.Search.Fail["ReadLocation"] = provider.ThrottledAPI(errors.New("429"), time.Minute)
		s.Now = s.Now.Add(8 * 24 * time.Hour)
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if n, err := s.Scan.Lift(t.Context(), trail.Entry{}, provider.Search); n != 1 || err != nil {
			t.Errorf("%d lifted, %v", n, err)
		}
	})
}

// TestOutageEndsTheRun checks that the fifth temporary failure in a row pauses the
// provider, and that a success in between ends the streak.
func TestOutageEndsTheRun(t *testing.T) {
	s := directorytest.New(t)
	for i := range 20 {
		pageAt(s, fmt.Sprint("2", i))
	}
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "r",
		ExpiresAt: directorytest.After(-25 * time.Hour)})
	s.Search.Renewal = provider.Token{AccessToken: "access-2"}
	s.Social.Fail["ReadPage"] = provider.Temporary(errors.New("timed out"))
	got, err := s.Scan.Run(t.Context(), nil)
	if err != nil || got.Left != 0 {
		t.Fatalf("with answers in between: %+v, %v", got, err)
	}
	if got.Failed != 20 || got.Synced != 20 {
		t.Fatalf("with answers in between: %+v, %v", got, err)
	}
	if got.Renewed != 1 {
		t.Errorf("with answers in between: %+v, %v", got, err)
	}
	s.Now = s.Now.Add(time.Hour)
	s.Wire() // a process that counts from the beginning
	s.Social.Calls, s.Social.Fail["ReadPhotos"] = nil, s.Social.Fail["ReadPage"]
	got, err = s.Scan.Run(t.Context(), nil)
	if err != nil || got.Failed != 5 {
		t.Fatalf("without: %+v, %v after %d calls", got, err, len(s.Social.Calls))
	}
	if len(s.Social.Calls) != 5 || got.Left != 17 {
		t.Errorf("without: %+v, %v after %d calls", got, err, len(s.Social.Calls))
	}
	list, err := s.Scan.Pauses(t.Context())
	if err != nil || len(list) != 1 || !list[0].Until.Equal(s.Now.Add(time.Minute)) {
		t.Errorf("pauses %+v, %v, want one of a minute", list, err)
	}
	s.Now = s.Now.Add(time.Hour)
	s.Social.Calls, s.Social.Fail = nil, map[string]error{}
	if got, err := s.Scan.Run(t.Context(), nil); err != nil || got.Synced != 40 {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
}

func TestScanWithoutConnections(t *testing.T) {
	s := directorytest.New(t)
	if got, err := s.Scan.Run(t.Context(), nil); err != nil || got != (scan.Result{}) {
		t.Errorf("Run = %+v, %v", got, err)
	}
}

func TestScanProgress(t *testing.T) {
	s := scanned(t)
	socialFails("ReadPage", provider.Temporary(nil))(s)
	var got []scan.Progress
	if _, err := s.Scan.Run(t.Context(), func(p scan.Progress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	want := []scan.Progress{{Done: 1, Total: 3}, {Done: 2, Total: 3, Failed: 1}, {Done: 3, Total: 3, Failed: 1}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("progress = %+v, want %+v", got, want)
	}
}

// TestFailuresAreLogged checks what the log says of a step that failed and of the pause
// that follows.
func TestFailuresAreLogged(t *testing.T) {
	for task, wants := range map[string][]map[string]any{
		"sync": {
			{"level": "WARN", "msg": "scan step failed", "company": 1.0,
				"step": "sync photos provider_social/social_pages"},
			{"level": "WARN", "msg": "pause begins", "provider": "provider_social", "whole": false, "company": 1.0,
				"task": "sync", "until": "2026-11-21T12:20:00Z"},
		},
		"app": {
			{"level": "WARN", "msg": "scan step failed", "company": 1.0, "step": "renew provider_social/social_pages"},
			{"level": "WARN", "msg": "pause begins", "provider": "provider_social", "whole": true, "company": 1.0,
				"task": "renewal", "until": "2026-11-21T12:20:00Z"},
		},
		"api": {
			{"level": "WARN", "msg": "scan step failed", "company": 1.0,
				"step": "sync photos provider_social/social_pages"},
			{"level": "WARN", "msg": "pause begins", "provider": "provider_social/social_pages", "whole": true,
				"company": 1.0, "task": "renewal", "until": "2026-11-21T12:20:00Z"},
		},
	} {
		s := directorytest.New(t)
		s.WithPage(1000 * time.Hour)
		switch task {
		case "sync":
			s.Social.FailOnce("ReadPhotos", provider.Throttled(errors.New("80001"), 20*time.Minute))
		case "api":
			s.Social.FailOnce("ReadPhotos", provider.ThrottledAPI(errors.New("429"), 20*time.Minute))
		case "app":
			ended(pagesPair)(s)
			s.Social.FailOnce("Refresh", provider.ThrottledApp(errors.New("4"), 20*time.Minute))
		}
		s.Log.Reset()
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var got []map[string]any
		for _, record := range s.Logged() {
			if record["msg"] == "scan step failed" || record["msg"] == "pause begins" {
				got = append(got, record)
			}
		}
		if !reflect.DeepEqual(got, wants) {
			t.Errorf("%s: log %v\nwant %v", task, got, wants)
		}
	}
}

// TestInterruptedScan checks that the next scan does what an interrupted one has left.
func TestInterruptedScan(t *testing.T) {
	for _, last := range []string{"ReadPhotos", "ReadPage"} {
		s := scanned(t)
		for _, id := range []string{"3", "4", "5"} {
			pageAt(s, id)
		}
		ctx, cancel := context.WithCancel(t.Context())
		s.Social.During[last] = func() {
			if strings.HasSuffix(s.Social.Calls[len(s.Social.Calls)-1], "page-3 3") {
				cancel()
			}
		}
		got, err := s.Scan.Run(ctx, nil)
		if !errors.Is(err, context.Canceled) || got.Failed > 0 {
			t.Fatalf("Run = %+v, %v after %q", got, err, s.Social.Calls)
		}
		s.Social.Calls, s.Social.During = nil, map[string]func(){}
		s.Now = s.Now.Add(time.Minute)
		if _, err := s.Scan.Run(t.Context(), nil); err != nil || len(s.Social.Calls) != 10 {
			t.Errorf("then %q, %v", s.Social.Calls, err)
		}
	}
}

// both changes a service twice.
func both(a, b func(*directorytest.Service)) func(*directorytest.Service) {
	return func(s *directorytest.Service) { a(s); b(s) }
}
