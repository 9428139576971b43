package scan_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
)

const people = 8

// connectPeople connects as many companies, each by a person of its own.
func connectPeople(s *directorytest.Service, c connection.Connection) (connected []connection.Connection) {
	for i := range people {
		each := c
		each.CompanyID = s.AddCompany(fmt.Sprint("firma-", i)).ID
		each.ProviderUserID = fmt.Sprint("person-", i)
		each.Scopes = []string{directorytest.Scope}
		connected = append(connected, s.Connect(each))
	}
	return connected
}

func page() connection.Connection {
	return connection.Connection{Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage,
		AccountID: "104118", UserAccessToken: "access-1"}
}

func profile() connection.Connection {
	return connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Chosen: connection.ChosenLocation,
		AccountID: "locations/1",
	}
}

func expired() connection.Connection {
	c := profile()
	c.ExpiresAt = directorytest.After(-25 * time.Hour)
	return c
}

func search() connection.Connection {
	return connection.Connection{Pair: provider.AnalyticsPair, AccessToken: "access-1", RefreshToken: "refresh-1"}
}

// needsUser lists the connections that are marked.
func needsUser(s *directorytest.Service, connected []connection.Connection) (marked []int64) {
	for _, c := range connected {
		if now := s.StoredOf(c.CompanyID, c.Pair); now.NeedsUser() {
			marked = append(marked, c.CompanyID)
		}
	}
	return marked
}

// events counts the events of each type.
func events(t *testing.T, db databasetest.Database) string {
	t.Helper()
	return strings.Join(
		db.Query(t, "SELECT type, COUNT(*), COUNT(DISTINCT company_id) FROM webhook_deliveries WHERE type LIKE "+
			"'connection.%' GROUP BY type ORDER BY type"), " ",
	)
}

// TestAppWideFailures checks, over two replicas, that a refusal of everybody marks nobody,
// pauses the provider and is over with the first success.
func TestAppWideFailures(t *testing.T) {
	denied := provider.Denied(errors.New("403"))
	for name, tt := range map[string]struct {
		connection connection.Connection
		fails      map[string]error
		published  string // broken and recovered
	}{
		"Google: 401": {profile(), map[string]error{"ReadLocation": refused("401")},
			"connection.broken|4|4 connection.recovered|4|4"},
		"Google: 403": {profile(), map[string]error{"ReadLocation": denied},
			"connection.broken|4|4 connection.recovered|4|4"},
		"Google: 403, searches": {search(), map[string]error{"Sites": denied},
			"connection.broken|4|4 connection.recovered|4|4"},
		"Google: invalid_grant": {expired(), map[string]error{"Refresh": refused("invalid_grant")},
			"connection.broken|4|4 connection.recovered|4|4"},
		"Google: API disabled": {
			profile(), map[string]error{"ReadLocation": provider.NotSetUp(errors.New("SERVICE_DISABLED"))}, "",
		},
		"Google: client gone": {expired(), map[string]error{"Refresh": provider.NotSetUp(errors.New("invalid_client"))},
			""},
		"Graph: 190": {page(), map[string]error{"ReadPage": refused("190"), "ReadPhotos": refused("190")},
			"connection.broken|4|4 connection.recovered|4|4"},
		"Graph: 10": {
			page(),
			map[string]error{"ReadPage": provider.Denied(errors.New("10")),
				"ReadPhotos": provider.Denied(errors.New("10"))},
			"connection.broken|4|4 connection.recovered|4|4",
		},
		"Graph: deactivated": {
			page(), map[string]error{"ReadPage": provider.NotSetUp(errors.New("200")),
				"ReadPhotos": provider.NotSetUp(errors.New("200"))}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := databasetest.NewSQLite(t)
			db := databasetest.Database{Name: "sqlite", URL: url, DB: databasetest.Open(t, url)}
			first := directorytest.On(t, db.URL)
			first.Search.Renewal, first.Social.Renewal = provider.Token{
				AccessToken: "access-1", ExpiresAt: directorytest.After(99 * time.Hour),
			}, provider.Token{AccessToken: "access-1"}
			first.Search.Sites = []string{"sc-domain:example"}
			connected := connectPeople(first, tt.connection)
			db.Exec(t, `INSERT INTO webhooks (url, secret, old_secret, disabled, created_at) VALUES `+
				`('https://hook.example', '', '', '', ?)`, first.Now)
			second := directorytest.Beside(first, db.URL)
			second.Search, second.Social = first.Search, first.Social
			second.Wire()
			first.Search.Fail, first.Social.Fail = tt.fails, tt.fails
			for i := range 6 { // the pauses are a minute, then two
				s := []*directorytest.Service{first, second}[i%2]
				s.Now = first.Now.Add(time.Duration(i) * 40 * time.Second)
				run(t, s)
			}
			if marked := needsUser(first, connected); len(marked) > 0 {
				t.Errorf("marked: %v", marked)
			}
			if got := events(t, db); got != tt.published {
				t.Errorf("published %q, want %q", got, tt.published)
			}
			second.Now = directorytest.Start
			pauses, err := second.Scan.Pauses(t.Context())
			if err != nil || len(pauses) == 0 {
				t.Fatalf("paused: %+v, %v", pauses, err)
			}
			if pauses[0].Provider != tt.connection.Pair.Provider || pauses[0].Service != "" {
				t.Errorf("paused: %+v, %v", pauses, err)
			}
			log := first.Log.String() + second.Log.String()
			if got := strings.Count(log, `"level":"ERROR","msg":"app-wide failure begins"`); got == 0 {
				t.Errorf("log: %s", log)
			}
			first.Search.Fail, first.Social.Fail = nil, nil
			first.Now = directorytest.Start.Add(26 * time.Hour)
			if result := run(t, first); result.Failed > 0 || result.Synced < people {
				t.Errorf("afterwards: %+v", result)
			}
			open, err := incident.New(first.Store.DB, first.Clock, nil).List(t.Context())
			if err != nil || len(open) > 0 || len(db.Query(t, "SELECT * FROM provider_refusals")) > 0 {
				t.Errorf("open afterwards: %+v, %v", open, err)
			}
			if !strings.Contains(first.Log.String(), "app-wide failure ends") {
				t.Errorf("the end is not logged: %s", first.Log.String())
			}
		})
	}
}

func run(t *testing.T, s *directorytest.Service) (result struct{ Failed, Synced int }) {
	t.Helper()
	r, err := s.Scan.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	result.Failed, result.Synced = r.Failed, r.Synced
	return result
}

// TestStreaksThatAreNoIncident checks that people who lost their grants are marked.
func TestStreaksThatAreNoIncident(t *testing.T) {
	for name, tt := range map[string]struct {
		prepare func(s *directorytest.Service, connected []connection.Connection)
		marked  int
	}{
		"four people": {func(s *directorytest.Service, connected []connection.Connection) {
			for _, c := range connected[4:] {
				held := must(s.Store.Connections.Hold(t.Context(), c.CompanyID, c.Pair))(t)
				held.End()
				if err := held.Save(nil); err != nil {
					t.Fatal(err)
				}
				held.Release()
			}
		}, 4},
		"one person with all companies": {func(s *directorytest.Service, _ []connection.Connection) {
			if err := s.Store.Write(t.Context()).
				Exec("UPDATE oauth_tokens SET provider_user_id = 'agency'").Error; err != nil {
				t.Fatal(err)
			}
		}, people},
		"a success in between": {func(s *directorytest.Service, _ []connection.Connection) {
			reads := 0
			s.Social.During["ReadPhotos"] = func() {
				if reads++; reads == 4 {
					s.Social.Fail = map[string]error{}
				}
			}
			s.Social.During["ReadPage"] = func() { s.Social.Fail = map[string]error{"ReadPhotos": refused("190")} }
		}, people - 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			connected := connectPeople(s, page())
			s.Social.Fail["ReadPhotos"] = refused("190")
			tt.prepare(s, connected)
			run(t, s)
			marked, open := needsUser(s, connected), must(incident.New(s.Store.DB, s.Clock, nil).List(t.Context()))(t)
			if len(marked) != tt.marked || len(open) > 0 || s.Suppressed.Load() > 0 {
				t.Errorf("marked %v, want %d; incidents %+v", marked, tt.marked, open)
			}
		})
	}
}

// TestSuppressedMarksAreCounted counts those that are undone and those that are not made. A
// refusal of the app marks nothing anyway.
func TestSuppressedMarksAreCounted(t *testing.T) {
	for want, refusal := range map[int64]error{
		0: provider.NotSetUp(errors.New("200")),
		6: refused("190"), // four undone; the fifth person's photos and page, and perhaps the sixth's
	} {
		s := directorytest.New(t)
		connectPeople(s, page())
		s.Social.Fail["ReadPhotos"], s.Social.Fail["ReadPage"] = refusal, refusal
		run(t, s)
		got := s.Suppressed.Load()
		if got != want && got != want+2 {
			t.Fatalf("%v: %d suppressed, want %d", refusal, got, want)
		}
		if want == 0 && got > 0 {
			t.Errorf("%v: %d suppressed, want %d", refusal, got, want)
		}
	}
}

// must fails the test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
