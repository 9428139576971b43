package directory_test

import (
	"context"
	"errors"
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/fault"
)

var commandLine = directory.Actor{Name: "command line"}

// TestEraseUserEndsTheGrants: the connections of the person's account at a provider
// end, whoever made them; a colleague's own stay, and so does the company's location.
func TestEraseUserEndsTheGrants(t *testing.T) {
	s := directorytest.New(t)
	colleague := ewa(s).User.ID
	for _, c := range []directory.Connection{
		{Pair: profilePair, AccessToken: "a", ProviderUserID: "anna", Chosen: directory.ChosenLocation, AccountID: "locations/9", AccountName: "Piekarnia"},
		{Pair: analyticsPair, AccessToken: "b", ProviderUserID: "anna", AccountID: "anna@mail", AccountName: "Anna", UserID: colleague},
		{Pair: pagesPair, AccessToken: "c", ProviderUserID: "anna", UserID: colleague}, // somebody else's number at another provider
	} {
		s.Connect(c)
	}
	pages := s.Stored(pagesPair)
	if err := s.Erasures.User(t.Context(), commandLine, s.Anna); err != nil {
		t.Fatal(err)
	}
	location, account := s.Stored(profilePair), s.Stored(analyticsPair)
	for _, c := range []directory.Connection{location, account} {
		if c.Active || c.AccessToken != "" || c.ProviderUserID != "" || c.UserID != 0 || c.ReconnectReason == "" {
			t.Errorf("%s is kept: %+v", c.Pair, c)
		}
	}
	if location.AccountID != "locations/9" || account.AccountID != "" || account.AccountName != "" {
		t.Errorf("accounts %+v and %+v", location, account)
	}
	if now := s.Stored(pagesPair); now.AccessToken != pages.AccessToken || !now.Active {
		t.Errorf("the colleague's connection: %+v", now)
	}
	if len(s.Search.Revoked) != 1 || len(s.Social.Revoked) != 0 {
		t.Errorf("withdrawn: %d and %d", len(s.Search.Revoked), len(s.Social.Revoked))
	}
	_, err := s.Store.UserByEmail(t.Context(), s.Anna.Email)
	wantFault(t, err, fault.NotFound, "no_user")
}

// lateStore lets something happen before a user is deleted, once.
type lateStore struct {
	*directorytest.Store
	before func() error
}

func (l *lateStore) DeleteUser(ctx context.Context, id int64, e directory.Entry) error {
	if before := l.before; before != nil {
		l.before = nil
		if err := before(); err != nil {
			return err
		}
	}
	return l.Store.DeleteUser(ctx, id, e)
}

// TestEraseUserWhoConnects: a callback that is under way makes one more connection.
func TestEraseUserWhoConnects(t *testing.T) {
	s := directorytest.New(t)
	store := &lateStore{s.Store, func() error {
		s.Connect(directory.Connection{Pair: profilePair, AccessToken: "late", ProviderUserID: "anna"})
		return nil
	}}
	if err := directory.NewErasures(s.OAuth, store, &s.Erased).User(t.Context(), commandLine, s.Anna); err != nil {
		t.Fatal(err)
	}
	if c := s.Stored(profilePair); c.Active || c.AccessToken != "" || c.UserID != 0 {
		t.Errorf("connection %+v", c)
	}
}

// TestEraseInterrupted: what was noted and not done is done by Replay.
func TestEraseInterrupted(t *testing.T) {
	s := directorytest.New(t)
	away := errors.New("the database is away")
	store := &lateStore{s.Store, func() error { return away }}
	erasures := directory.NewErasures(s.OAuth, store, &s.Erased)
	if err := erasures.User(t.Context(), commandLine, s.Anna); !errors.Is(err, away) {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if n, err := erasures.Replay(t.Context(), commandLine); n != want || err != nil {
			t.Errorf("%d erased again, %v; want %d", n, err, want)
		}
	}
}

// fullDisk is a log that takes nothing.
type fullDisk struct{ directorytest.ErasureLog }

var errFull = errors.New("no space left")

func (*fullDisk) Append(directory.Erasure) error { return errFull }

// TestNothingIsErasedUnnoted: a restored backup would hold it for ever.
func TestNothingIsErasedUnnoted(t *testing.T) {
	s := directorytest.New(t)
	c := s.Connect(directory.Connection{Pair: profilePair, AccessToken: "a"})
	full, none := directory.NewErasures(s.OAuth, s.Store, &fullDisk{}), directory.NewErasures(s.OAuth, s.Store, nil)
	for name, erase := range map[string]func() error{
		"user":           func() error { return full.User(t.Context(), commandLine, s.Anna) },
		"company":        func() error { return full.Company(t.Context(), commandLine, s.Company) },
		"without a log":  func() error { return none.User(t.Context(), commandLine, s.Anna) },
		"replay without": func() error { _, err := none.Replay(t.Context(), commandLine); return err },
	} {
		if err := erase(); !errors.Is(err, errFull) && !fault.Is(err, directory.CodeNoErasureLog.Name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.WantUnchanged(c)
	if _, err := s.Store.UserByEmail(t.Context(), s.Anna.Email); err != nil {
		t.Error(err)
	}
}
