package incident

import (
	"fmt"
	"log/slog"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// Subjects of provider_social.
var (
	renewal    = Subject{Provider: provider.Social, Kind: Renewal}
	pages      = Subject{provider.Social, provider.SocialPages, Token}
	photos     = Subject{provider.Social, provider.SocialPhotos, Token}
	permission = Subject{provider.Social, provider.SocialPages, Permission}
	app        = Subject{provider.Social, provider.SocialPages, App}
)

// world is an Incidents on a database with connections 1 to 6, each of a person of its own.
type world struct {
	*Incidents
	t  *testing.T
	db databasetest.Database
}

func onEachDatabase(t *testing.T, test func(w *world)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		test(newWorld(t, db, slog.New(slog.DiscardHandler)))
	})
}

func newWorld(t *testing.T, db databasetest.Database, log *slog.Logger) *world {
	t.Helper()
	for i := range 6 {
		db.AddConnection(t, fmt.Sprint("firma-", i))
	}
	db.Exec(t, "UPDATE oauth_tokens SET provider_user_id = 'person-' || CAST(id AS TEXT)")
	return &world{New(db.DB, log), t, db}
}

// refuse refuses connections 1 to n, and returns whether the last refusal belongs to an incident.
func (w *world) refuse(of Subject, n int64) (during bool) {
	w.t.Helper()
	for id := int64(1); id <= n; id++ {
		var err error
		if during, err = w.Refused(w.t.Context(), of, id, "reason"); err != nil {
			w.t.Fatal(err)
		}
	}
	return during
}

func (w *world) list() []Incident {
	w.t.Helper()
	list, err := w.List(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

func TestBeginning(t *testing.T) {
	for name, test := range map[string]struct {
		change   string // an SQL statement that changes the connections before; may be empty
		of       Subject
		refusals int64
		begins   bool
	}{
		"four people":         {"", pages, 4, false},
		"five people":         {"", pages, 5, true},
		"five unknown people": {"UPDATE oauth_tokens SET provider_user_id = ''", pages, 5, true},
		"one person":          {"UPDATE oauth_tokens SET provider_user_id = 'agency'", pages, 6, false},
		"the app, once":       {"", app, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(w *world) {
				if test.change != "" {
					w.db.Exec(t, test.change)
				}
				if during := w.refuse(test.of, test.refusals); during != test.begins {
					t.Errorf("the last refusal belongs to an incident = %t, want %t", during, test.begins)
				}
				list := w.list()
				if begun := len(list) == 1; begun != test.begins {
					t.Errorf("an incident has begun = %t, want %t: %+v", begun, test.begins, list)
				}
			})
		})
	}
}

// TestSuccessEndsIncidents has every incident begin, and then one subject succeed. want are the incidents that are
// left: their kind, their service, and whether they stop the whole provider.
func TestSuccessEndsIncidents(t *testing.T) {
	for succeeded, want := range map[Subject][]string{
		pages: {"renewal  false", "permission social_pages false", "token social_photos false"},
		permission: {"renewal  false", "app social_pages false", "token social_pages false",
			"token social_photos false"},
		renewal: {"app social_pages true", "permission social_pages true", "token social_pages true",
			"token social_photos true"},
	} {
		t.Run(fmt.Sprint(succeeded), func(t *testing.T) {
			onEachDatabase(t, func(w *world) {
				for _, of := range []Subject{renewal, pages, photos, permission, app} {
					w.refuse(of, streakLimit)
				}
				unmarked, begun := 0, len(w.list())
				unmark := func() {
					if unmarked++; len(w.list()) != begun {
						t.Error("an incident has ended before its marks")
					}
				}
				for range 2 {
					if err := w.Succeeded(t.Context(), succeeded, unmark); err != nil {
						t.Fatal(err)
					}
				}
				var left []string
				for _, i := range w.list() {
					left = append(left, fmt.Sprint(i.Kind, " ", i.Service, " ", i.Whole))
				}
				if diff := cmp.Diff(want, left); diff != "" {
					t.Errorf("incidents left (-want +got):\n%s", diff)
				}
				if unmarked != 1 {
					t.Errorf("the marks were removed %d times, want once", unmarked)
				}
			})
		})
	}
}

func TestMarked(t *testing.T) {
	onEachDatabase(t, func(w *world) {
		w.db.Exec(t, "UPDATE oauth_tokens SET reconnect_reason = CASE id WHEN 3 THEN 'another' ELSE 'reason' END, "+
			"is_active = id <> 2")
		w.refuse(pages, streakLimit)
		if during, err := w.Refused(t.Context(), pages, 6, "reason"); err != nil || !during {
			t.Errorf("the next refusal belongs to the incident = %t, err = %v, want true", during, err)
		}
		list, err := w.Marked(t.Context(), provider.Social)
		if err != nil {
			t.Fatal(err)
		}
		var companies []int64
		for _, mark := range list {
			companies = append(companies, mark.CompanyID)
		}
		// not 2, which has ended, not 3, which was marked before, and not 6, which was refused during the incident
		if diff := cmp.Diff([]int64{1, 4, 5}, companies); diff != "" {
			t.Errorf("marked companies (-want +got):\n%s", diff)
		}
	})
}

func TestOthersDuringAnIncident(t *testing.T) {
	onEachDatabase(t, func(w *world) {
		search := Subject{provider.Search, provider.SearchProfile, Token}
		w.refuse(pages, streakLimit)
		for of, want := range map[Subject]bool{photos: true, permission: true, search: false} {
			if during := w.refuse(of, 1); during != want {
				t.Errorf("%v: a refusal belongs to the incident = %t, want %t", of, during, want)
			}
		}
		w.db.Exec(t, "UPDATE oauth_tokens SET reconnect_reason = 'reason'")
		if list, err := w.Marked(t.Context(), provider.Social); err != nil || len(list) != streakLimit {
			t.Errorf("%d marks, err = %v, want %d: %+v", len(list), err, streakLimit, list)
		}
		for p, want := range map[provider.Name]bool{provider.Social: true, provider.Search: false} {
			if open, err := w.Open(t.Context(), p); err != nil || open != want {
				t.Errorf("%s: an incident is open = %t, err = %v, want %t", p, open, err, want)
			}
			if list, err := w.Marked(t.Context(), p); err != nil || (len(list) > 0) != want {
				t.Errorf("%s: there are marks = %t, err = %v, want %t", p, len(list) > 0, err, want)
			}
		}
		if err := w.Succeeded(t.Context(), permission, func() { t.Error("another incident has ended") }); err != nil {
			t.Error(err)
		}
		if during := w.refuse(photos, 2); during {
			t.Error("a refusal belongs to the incident of a service that is paused alone")
		}
	})
}

func TestStreakEndsWithASuccess(t *testing.T) {
	onEachDatabase(t, func(w *world) {
		w.refuse(pages, streakLimit-1)
		w.refuse(photos, streakLimit-1)
		for _, of := range []Subject{renewal, permission, {provider.Search, provider.SocialPages, Token}, pages} {
			if err := w.Succeeded(t.Context(), of, func() { t.Error("nothing was marked") }); err != nil {
				t.Fatal(err)
			}
		}
		if during := w.refuse(pages, streakLimit-1); during {
			t.Error("refusals before the success still count")
		}
		if during, err := w.Refused(t.Context(), photos, streakLimit, "reason"); err != nil || !during {
			t.Errorf("the streak of another service ended, too: incident = %t, err = %v", during, err)
		}
	})
}

func TestFailuresAreReported(t *testing.T) {
	onEachDatabase(t, func(w *world) {
		ctx := w.t.Context()
		after := func(n int64) func() {
			return func() {
				for _, table := range []string{"provider_refusals", "provider_incidents"} {
					w.db.Exec(w.t, "DELETE FROM "+table)
				}
				w.refuse(pages, n)
			}
		}
		refused := func() error { return databasetest.ErrorOf(w.Refused(ctx, pages, 5, "reason")) }
		databasetest.FailEach(w.t, w.db.DB, []databasetest.Call{
			{Name: "first refusal", Before: after(0), Run: refused},
			{Name: "fifth refusal", Before: after(4), Run: refused},
			{Name: "success", Before: after(5), Run: func() error { return w.Succeeded(ctx, pages, func() {}) }},
			{Name: "open", Run: func() error { return databasetest.ErrorOf(w.Open(ctx, pages.Provider)) }},
			{Name: "list", Run: func() error { return databasetest.ErrorOf(w.List(ctx)) }},
			{Name: "marked", Run: func() error { return databasetest.ErrorOf(w.Marked(ctx, pages.Provider)) }},
		}...)
	})
}
