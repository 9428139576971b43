package scan

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

func onEachDatabase(t *testing.T, test func(t *testing.T, s store)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		test(t, store{db, &connection.Store{DB: db.DB}})
	})
}

// store is a database with connections.
type store struct {
	databasetest.Database
	connections *connection.Store
}

// connect connects a new company with a person of its own.
func (s store) connect(t *testing.T, slug string, p provider.Pair) connection.Connection {
	t.Helper()
	c := connection.Connection{CompanyID: s.AddCompany(t, slug), Pair: p, AccessToken: "t",
		ProviderUserID: "person-" + slug, Metadata: connection.Metadata{UserAccessToken: "u"}}
	ok(t, s.connections.Save(t.Context(), &c, nil, trail.Entry{}))
	return c
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// change alters a connection.
func change(t *testing.T, s store, c connection.Connection, change func(*connection.Connection)) {
	t.Helper()
	held, err := s.connections.Hold(t.Context(), c.CompanyID, c.Pair)
	ok(t, err)
	defer held.Release()
	change(&held.Connection)
	ok(t, held.Save(nil))
}

// TestLift checks the list of all pauses, and that lifting those of one provider leaves
// those of the other and is recorded.
func TestLift(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		ctx := t.Context()
		now := databasetest.Time
		var log bytes.Buffer
		service := New(
			Options{DB: s.DB, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&log, nil))},
		)
		hour, past := database.Instant(now.Add(time.Hour)), database.Instant(now.Add(-time.Hour))
		a := s.connect(t, "a", pages)
		b := s.connect(t, "b", pages)
		c := s.connect(t, "c", profile)
		gone := s.connect(t, "gone", profile)
		change(t, s, gone, func(c *connection.Connection) { c.Active = false })
		of := func(c connection.Connection, task Task) pause {
			return pause{provider: c.Pair.Provider, task: task, connectionID: c.ID, until: hour}
		}
		over := of(a, Sync)
		over.until = past
		for _, p := range []pause{
			{provider: pages.Provider, whole: true, until: hour},
			{provider: pages.Provider, service: pages.Service, whole: true, until: hour},
			{provider: profile.Provider, whole: true, until: past},
			{provider: profile.Provider, service: profile.Service, whole: true, until: hour},
			over, of(a, Renewal), of(b, Sync), of(c, Sync), of(gone, Sync),
		} {
			ok(t, service.storePause(s.DB.Write(ctx), p))
		}
		for _, i := range []incident.Incident{
			{Subject: incident.Subject{Provider: pages.Provider, Kind: incident.Renewal}, PausedUntil: hour},
			{Subject: incident.Subject{Provider: profile.Provider, Service: profile.Service, Kind: incident.Token},
				PausedUntil: hour},
			{Subject: incident.Subject{Provider: profile.Provider, Kind: incident.Renewal}, PausedUntil: past},
		} {
			i.BeganAt = past
			ok(t, s.DB.Write(ctx).Create(&i).Error)
		}
		wantPauses := func(want ...Pause) {
			t.Helper()
			got, err := service.Pauses(ctx)
			for i := range got {
				got[i].Until = got[i].Until.UTC()
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("pauses %+v, %v\nwant %+v", got, err, want)
			}
		}
		wantPauses(
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: pages.Provider, Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: pages.Provider, Task: "renewal", Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, CompanyID: a.CompanyID, Task: "renewal",
				Until: hour},
			Pause{Provider: pages.Provider, Service: pages.Service, CompanyID: b.CompanyID, Task: "sync",
				Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, CompanyID: c.CompanyID, Task: "sync",
				Until: hour},
		)
		ok(t, s.DB.Transaction(ctx, func(tx *gorm.DB) error {
			return service.queue.Insert(tx, jobs.Sync{ConnectionID: b.ID})
		}))
		s.Exec(t, "UPDATE river_job SET state = 'scheduled', scheduled_at = ?", database.Instant(now.AddDate(99, 0, 0)))
		for _, want := range []int64{5, 0} {
			if n, err := service.Lift(ctx, trail.Entry{Actor: "command line", Detail: "d", RequestID: "req-1"},
				pages.Provider); n != want || err != nil {
				t.Errorf("%d lifted, %v, want %d", n, err, want)
			}
		}
		wantPauses(
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, Until: hour},
			Pause{Provider: profile.Provider, Service: profile.Service, CompanyID: c.CompanyID, Task: "sync",
				Until: hour},
		)
		if state := s.Query(t, "SELECT state FROM river_job WHERE kind = 'sync'"); state[0] != "available" {
			t.Errorf("the job that waited for the end of a pause is %s", state)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 ||
			!strings.Contains(got, `level=INFO msg="pauses lifted" provider=provider_social pauses=5`) {
			t.Errorf("log %s", got)
		}
		lines, err := trail.Find(ctx, s.DB, trail.Search{Limit: 9})
		lines = slices.DeleteFunc(lines, func(e trail.Entry) bool { return e.Action == "" }) // of the connections
		for i := range lines {
			lines[i].At = time.Time{}
		}
		want := []trail.Entry{
			{Action: "pause lift", Actor: "command line", Pair: provider.Pair{Provider: pages.Provider}, Detail: "d",
				RequestID: "req-1"},
		}
		if err != nil || !reflect.DeepEqual(lines, want) {
			t.Errorf("trail %+v, %v, want %+v", lines, err, want)
		}
	})
}

// TestScannedInTheFuture checks that what was scanned by a clock that was ahead is counted, and
// due, and what Oldest and Due return.
func TestScannedInTheFuture(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		ctx, now := t.Context(), databasetest.Time
		service := New(Options{DB: s.DB, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
		mark := func(slug string, ago time.Duration) {
			c := s.connect(t, slug, pages)
			s.Exec(t, "UPDATE oauth_tokens SET created_at = sync_scanned_at, sync_scanned_at = ? WHERE id = ?",
				database.Instant(now.Add(-ago)), c.ID)
		}
		mark("ahead", -9*time.Hour)
		mark("near", -clockTolerance)
		mark("yesterday", 24*time.Hour)
		type facts struct {
			Ahead, Due int
			Oldest     time.Time
		}
		want := func(want facts) {
			t.Helper()
			ahead, err := service.Ahead(ctx, now)
			ok(t, err)
			due, err := service.Due(ctx, now)
			ok(t, err)
			oldest, err := service.Oldest(ctx, now)
			ok(t, err)
			if got := (facts{ahead, due, oldest}); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		want(facts{1, 1, database.Instant(now.Add(-24 * time.Hour))})
		ok(t, service.Schedule(ctx, time.Hour))
		want(facts{0, 2, longAgo})
		if got := s.Query(t, "SELECT COUNT(*) FROM river_job WHERE kind = 'sync'"); got[0] != "2" {
			t.Errorf("%s jobs are inserted, want 2", got[0])
		}
	})
}

// TestLongestWaitingFirst checks that a scan comes to the connections in the order of their last
// syncs, and that calls that hang keep a worker for 80 s at most.
func TestLongestWaitingFirst(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s store) {
		now := databasetest.Time
		var want, got []int64
		read := func(ctx context.Context, companyID int64) (bool, error) {
			got = append(got, companyID)
			if end, limited := ctx.Deadline(); !limited || time.Until(end) > 80*time.Second {
				t.Errorf("the work on a connection may take until %s", end)
			}
			return true, nil
		}
		service := New(Options{
			DB: s.DB, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler), Workers: 1,
			Connection: s.connections.Find,
			Renew: func(_ context.Context, c connection.Connection) (connection.Connection, error) {
				return c, nil
			},
			Steps: map[provider.Pair][]Step{pages: {{Name: "read", Run: read}}},
		})
		for _, hours := range rand.Perm(9) {
			c := s.connect(t, fmt.Sprint("firma-", hours), pages)
			s.Exec(t, "UPDATE oauth_tokens SET sync_scanned_at = ? WHERE id = ?",
				database.Instant(now.Add(-time.Duration(hours+1)*time.Hour)), c.ID)
		}
		for _, id := range s.Query(t, "SELECT company_id FROM oauth_tokens ORDER BY sync_scanned_at") {
			n, err := strconv.ParseInt(id, 10, 64)
			ok(t, err)
			want = append(want, n)
		}
		_, err := service.Run(t.Context(), nil)
		ok(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}
