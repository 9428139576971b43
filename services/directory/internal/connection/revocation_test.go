package connection_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// disconnect ends the connection of whole, which cannot be withdrawn at first.
func disconnect(s *directorytest.Service) {
	s.T.Helper()
	whole(s)
	s.Social.FailOnce("Revoke", provider.Temporary(errors.New("503")))
	if err := s.Connections.Disconnect(s.T.Context(), anna(s), pagesPair); err != nil {
		s.T.Fatal(err)
	}
	s.RunLater()
}

// revokeDue tries what is due at Meta, and holds the revocations so far to a number.
func revokeDue(s *directorytest.Service, want int) {
	s.T.Helper()
	if err := s.Connections.RevokeDue(s.T.Context(), provider.Social); err != nil {
		s.T.Error(err)
	}
	if len(s.Social.Revoked) != want {
		s.T.Errorf("revoked %+v, want %d", s.Social.Revoked, want)
	}
}

// wantPending holds the pending revocations at Meta to a number.
func wantPending(s *directorytest.Service, want int64) {
	s.T.Helper()
	if n, oldest, err := s.Store.Connections.PendingRevocations(s.T.Context(), provider.Social); n != want ||
		oldest.IsZero() != (want == 0) || err != nil {
		s.T.Errorf("%d pending since %s, %v, want %d", n, oldest, err, want)
	}
}

// TestFailedRevocationIsRetried checks that the table shows nothing about company and person.
func TestFailedRevocationIsRetried(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		disconnect(s)
		revokeDue(s, 0) // not due yet
		wantPending(s, 1)
		stored := fmt.Sprint(db.Query(t, "SELECT * FROM revocations"))
		for _, shown := range []string{"user-1", "refresh-1", "p-1", "piekarnia"} {
			if strings.Contains(stored, shown) {
				t.Errorf("%q is stored in the clear: %s", shown, stored)
			}
		}
		s.Now = s.Now.Add(time.Minute)
		revokeDue(s, 1)
		if got := s.Social.Revoked[0]; got.AccessToken != "user-1" || got.RefreshToken != "refresh-1" ||
			got.ProviderUserID != "p-1" {
			t.Errorf("revoked %+v", got)
		}
		wantPending(s, 0)
		s.WantTrail("disconnect", "revoke", "revoke")
	})
}

// TestRevocationOfAKilledProcess checks that another replica withdraws a grant if the
// process ends before it tries, and that no grant is withdrawn twice.
func TestRevocationOfAKilledProcess(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		whole(s)
		if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
			t.Fatal(err)
		}
		replica := directorytest.Beside(s, db.URL)
		replica.Social.During["Revoke"] = func() { // is claimed
			revokeDue(s, 0)
			s.RunLater()
		}
		revokeDue(replica, 1)
		if len(s.Social.Revoked) > 0 {
			t.Error("revoked again")
		}
	})
}

// TestClaimOfAKilledRevocationExpires checks that a process that ended during a try keeps
// nobody else from trying.
func TestClaimOfAKilledRevocationExpires(t *testing.T) {
	s := directorytest.New(t)
	whole(s)
	if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
		t.Fatal(err)
	}
	replica := directorytest.Beside(s, s.URL)
	s.Social.During["Revoke"] = func() {
		revokeDue(replica, 0)
		replica.Now = replica.Now.Add(time.Minute)
		revokeDue(replica, 1)
	}
	s.Social.Fail["Revoke"] = errors.New("killed")
	s.RunLater()
	wantPending(s, 0)
}

// TestNextTryOfARevocation checks that it comes no earlier than the provider says, and that a
// time that was set by a clock that was ahead counts as due.
func TestNextTryOfARevocation(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		whole(s)
		if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
			t.Fatal(err)
		}
		s.Social.FailOnce("Revoke", provider.Throttled(errors.New("429"), time.Hour))
		s.RunLater()
		s.Now = s.Now.Add(time.Hour - time.Second)
		revokeDue(s, 0)
		db.Exec(t, "UPDATE revocations SET next_at = ?", database.Instant(s.Now.AddDate(1, 0, 0)))
		revokeDue(s, 1)
	})
}

// TestRevocationLeavesANewGrant checks that a late try does not end what the person has
// granted again meanwhile, and ends the grant of one person although another has connected.
func TestRevocationLeavesANewGrant(t *testing.T) {
	for person, want := range map[string]int{"p-1": 0, "p-2": 1} {
		s := directorytest.New(t)
		disconnect(s)
		s.Connect(connection.Connection{Pair: pagesPair, AccessToken: "new", ProviderUserID: person})
		s.Now = s.Now.Add(time.Minute)
		revokeDue(s, want)
		wantPending(s, 0)
	}
}

// TestRevocationIsGivenUp checks the times of the tries, and that nothing is left of a grant
// that cannot be withdrawn in a week.
func TestRevocationIsGivenUp(t *testing.T) {
	s := directorytest.New(t)
	s.Social.Fail["Revoke"] = provider.Denied(errors.New("403"))
	disconnect(s)
	var tries []string
	s.Social.During["Revoke"] = func() { tries = append(tries, s.Now.Sub(directorytest.Start).String()) }
	for range 8 * 24 * 15 {
		s.Now = s.Now.Add(4 * time.Minute)
		revokeDue(s, 0)
	}
	want := []string{"4m0s", "8m0s", "16m0s", "32m0s", "1h4m0s", "2h8m0s", "4h16m0s", "8h32m0s", "17h4m0s", "34h8m0s",
		"58h8m0s", "82h8m0s", "106h8m0s", "130h8m0s", "154h8m0s"}
	if !slices.Equal(tries, want) {
		t.Errorf("tries after %q, want %q", tries, want)
	}
	wantPending(s, 0)
	if s.GivenUp != 1 || !strings.Contains(s.Log.String(), "given up") {
		t.Errorf("%d given up, log %s", s.GivenUp, s.Log.String())
	}
}

// TestRevocationsOfOthersContinue checks that a grant that cannot be withdrawn, or be read,
// does not keep the others, and that a provider that is away is not called for each.
func TestRevocationsOfOthersContinue(t *testing.T) {
	s := directorytest.New(t)
	for i := range 4 {
		c := s.Connect(connection.Connection{CompanyID: s.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: pagesPair,
			AccessToken: fmt.Sprint("a-", i), ProviderUserID: fmt.Sprint("p-", i)})
		s.Now = s.Now.Add(time.Second)
		if err := s.Connections.Disconnect(t.Context(), directorytest.ActorOf(s.Anna, c.CompanyID),
			pagesPair); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store.Write(t.Context()).
		Exec("UPDATE revocations SET secret = 'lost:' WHERE rowid = 1").Error; err != nil {
		t.Fatal(err)
	}
	s.Social.FailOnce("Revoke", provider.Unreadable(errors.New("?")))
	revokeDue(s, 2)
	wantPending(s, 2)
	s.Now = s.Now.Add(time.Hour)
	s.Social.Fail["Revoke"] = provider.Temporary(errors.New("503"))
	s.Social.Calls = nil
	if err := s.Connections.RevokeDue(t.Context(), provider.Social); err == nil || len(s.Social.Calls) != 1 {
		t.Errorf("%v, calls %q", err, s.Social.Calls)
	}
}

// TestWhichFailuresStopTheWithdrawals checks that what concerns one grant does not.
func TestWhichFailuresStopTheWithdrawals(t *testing.T) {
	broken := errors.New("?")
	for name, tt := range map[string]struct {
		err   error
		stops bool
	}{
		"grant lost already": {refused("A"), false},
		"not permitted":      {provider.Denied(broken), false},
		"gone":               {provider.Gone(broken), false},
		"not understood":     {provider.Unreadable(broken), false},
		"provider away":      {provider.Temporary(broken), true},
		"too many requests":  {provider.Throttled(broken, time.Hour), true},
		"app refused":        {provider.NotSetUp(broken), true},
	} {
		s := directorytest.New(t)
		for i := range 2 {
			c := s.Connect(connection.Connection{CompanyID: s.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: pagesPair,
				AccessToken: "a", ProviderUserID: fmt.Sprint("p-", i)})
			ok(t, s.Connections.Disconnect(t.Context(), directorytest.ActorOf(s.Anna, c.CompanyID), pagesPair))
		}
		s.Social.FailOnce("Revoke", tt.err)
		err := s.Connections.RevokeDue(t.Context(), provider.Social)
		if (err != nil) != tt.stops || (len(s.Social.Revoked) == 0) != tt.stops {
			t.Errorf("%s: %v, revoked %+v", name, err, s.Social.Revoked)
		}
	}
}

// TestRevokeAllDue checks that a provider that does not respond does not keep the others.
func TestRevokeAllDue(t *testing.T) {
	s := directorytest.New(t)
	disconnect(s)
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1"})
	ok(t, s.Connections.Disconnect(t.Context(), anna(s), profilePair))
	s.Now = s.Now.Add(time.Minute)
	s.Social.FailOnce("Revoke", provider.Temporary(errors.New("503")))
	if err := s.Connections.RevokeAllDue(t.Context()); err == nil {
		t.Error("the failure is not reported")
	}
	wantPending(s, 1)
	s.Now = s.Now.Add(time.Minute)
	ok(t, s.Connections.RevokeAllDue(t.Context()))
	wantPending(s, 0)
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
