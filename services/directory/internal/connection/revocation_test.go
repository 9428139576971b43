package connection_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// disconnect ends the connection of whole, which cannot be withdrawn at first.
func disconnect(s *directorytest.Service) {
	s.T.Helper()
	whole(s)
	s.Social.FailOnce("Revoke", provider.Temporary(errors.New("503")))
	if err := s.Connections.Disconnect(s.T.Context(), anna(s), pagesPair); err != nil {
		s.T.Fatal(err)
	}
	if err := s.Withdraw(); !fault.Is(err, provider.CodeTemporary) {
		s.T.Fatal(err)
	}
}

// pendingAtMeta counts the pending revocations.
func pendingAtMeta(s *directorytest.Service) int64 {
	s.T.Helper()
	n, oldest, err := s.Store.Connections.PendingRevocations(s.T.Context(), provider.Social)
	if err != nil || oldest.IsZero() != (n == 0) {
		s.T.Errorf("%d pending since %s, %v", n, oldest, err)
	}
	return n
}

// TestFailedRevocationIsRetried checks that a revocation has one job until it is done, and that
// the table shows nothing about company and person.
func TestFailedRevocationIsRetried(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		disconnect(s)
		stored := fmt.Sprint(db.Query(t, "SELECT * FROM revocations"), db.Query(t, "SELECT * FROM river_job"))
		for _, shown := range []string{"user-1", "refresh-1", "p-1", "piekarnia"} {
			if strings.Contains(stored, shown) {
				t.Errorf("%q is stored in the clear: %s", shown, stored)
			}
		}
		ok(t, s.Store.Transaction(t.Context(), s.Store.Connections.ScheduleRevocations))
		if n := db.Query(t, "SELECT kind FROM river_job WHERE kind = 'revocation'"); len(n) != 1 {
			t.Errorf("%d jobs, want one", len(n))
		}
		ok(t, s.Withdraw())
		if got := s.Social.Revoked[0]; got.AccessToken != "user-1" || got.RefreshToken != "refresh-1" ||
			got.ProviderUserID != "p-1" {
			t.Errorf("revoked %+v", got)
		}
		if n := pendingAtMeta(s); n != 0 {
			t.Errorf("%d pending", n)
		}
		s.WantTrail("disconnect", "revoke", "revoke")
	})
}

// TestWithdraw has each way in which an attempt ends.
func TestWithdraw(t *testing.T) {
	const week = 7 * 24 * time.Hour
	connectAs := func(person string) func(s *directorytest.Service) {
		return func(s *directorytest.Service) {
			s.Connect(connection.Connection{Pair: pagesPair, AccessToken: "new", ProviderUserID: person})
		}
	}
	fails := func(err error) func(*directorytest.Service) {
		return func(s *directorytest.Service) { s.Social.Fail["Revoke"] = err }
	}
	type facts struct {
		Err              string
		Revoked, GivenUp int
		Pending          int64
	}
	for name, test := range map[string]struct {
		after  time.Duration
		before func(*directorytest.Service)
		want   facts
	}{
		"granted again meanwhile":    {0, connectAs("p-1"), facts{}},
		"another person has granted": {0, connectAs("p-2"), facts{Revoked: 1}},
		"refused": {
			week - time.Second, fails(provider.Denied(nil)), facts{Err: provider.CodePermission.Name, Pending: 1},
		},
		"the provider asks to wait": {
			0, fails(provider.Throttled(nil, time.Hour)), facts{Err: "snooze 1h0m0s", Pending: 1},
		},
		"not readable": {0, func(s *directorytest.Service) {
			ok(t, s.Store.Write(t.Context()).Exec("UPDATE revocations SET secret = 'lost:'").Error)
		}, facts{Err: "secret_unreadable", Pending: 1}},
		"given up": {week + time.Second, fails(provider.Denied(nil)), facts{GivenUp: 1}},
	} {
		s := directorytest.New(t)
		disconnect(s)
		s.Now = s.Now.Add(test.after)
		test.before(s)
		err := s.Withdraw()
		got := facts{Revoked: len(s.Social.Revoked), Pending: pendingAtMeta(s), GivenUp: s.GivenUp}
		var snooze *river.JobSnoozeError
		switch {
		case errors.As(err, &snooze):
			got.Err = "snooze " + snooze.Duration.String()
		case err != nil:
			got.Err = fault.From(err).Code
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestPendingRevocations checks that those of one provider are counted since the first of them.
func TestPendingRevocations(t *testing.T) {
	s := directorytest.New(t)
	for i, p := range []provider.Pair{profilePair, pagesPair, photosPair} {
		s.Now = directorytest.Start.Add(time.Duration(i) * time.Hour)
		s.Connect(connection.Connection{Pair: p, AccessToken: "access-1", RefreshToken: "refresh-1"})
		ok(t, s.Connections.Disconnect(t.Context(), anna(s), p))
	}
	n, oldest, err := s.Store.Connections.PendingRevocations(t.Context(), provider.Social)
	if err != nil || n != 2 || !oldest.Equal(directorytest.Start.Add(time.Hour)) {
		t.Errorf("%d pending since %s, %v", n, oldest, err)
	}
}
