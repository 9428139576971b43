package location_test

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var profilePair = directorytest.ProfilePair

// located is a service with a search_profile connection whose token is about to end.
func located(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{"a"}, ExpiresAt: directorytest.After(time.Minute),
	})
	s.Search.Token.AccessToken = "" // the old one opens nothing
	s.Search.Renewal = provider.Token{AccessToken: "access-2", ExpiresAt: directorytest.After(3600e9)}
	return s
}

func TestSelectLocation(t *testing.T) {
	s := located(t)
	got, err := s.Locations.Select(t.Context(), directorytest.Actor(s.Anna), "locations/2")
	if err != nil || got != s.Search.Locations[1] {
		t.Errorf("Select = %+v, %v", got, err)
	}
	c := s.Stored(profilePair)
	if c.Chosen != connection.ChosenLocation || c.AccountID != "locations/2" || c.AccountName != "Cukiernia" || c.AccessToken != "access-2" {
		t.Errorf("stored = %+v", c)
	}
	s.WantTrail("refresh", "select_location")
	if e := s.Trail()[1]; *e.UserID != s.Anna.ID || e.Detail != "locations/2" || e.Pair != profilePair || e.RequestID != "req-1" {
		t.Errorf("entry = %+v", e)
	}
	name, b, err := s.Locations.ReadChosen(t.Context(), s.Company.ID)
	if err != nil || name != "locations/2" || !reflect.DeepEqual(b, s.Search.Profile) {
		t.Errorf("ReadChosen = %q, %+v, %v, want %+v", name, b, err, s.Search.Profile)
	}
}

func TestSelectLocationOfAConnectionThatEndsMeanwhile(t *testing.T) {
	s := located(t)
	s.Search.During["Locations"] = func() { s.Change(profilePair, directorytest.Inactive) }
	_, err := s.Locations.Select(t.Context(), directorytest.Actor(s.Anna), "locations/1")
	directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name)
	s.WantTrail("refresh")
}

// TestDeniedLocation: a permission that is missing is noted and published, although the token
// was renewed on the way, and so is its return.
func TestDeniedLocation(t *testing.T) {
	s := located(t)
	hook, err := s.Webhooks.Add(t.Context(), directorytest.Actor(s.Anna).By(), &s.Company.ID, "https://hook.example/a")
	if err != nil {
		t.Fatal(err)
	}
	s.Change(profilePair, func(c *connection.Connection) { c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1" })
	s.Search.Fail["ReadLocation"] = provider.Denied(errors.New("403"))
	_, _, err = s.Locations.ReadChosen(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.Internal, provider.CodePermission.Name)
	if c := s.Stored(profilePair); !slices.Equal(c.Denied, []provider.Service{provider.SearchProfile}) || c.AccessToken != "access-2" {
		t.Errorf("stored = %+v", c)
	}
	delete(s.Search.Fail, "ReadLocation")
	if _, _, err := s.Locations.ReadChosen(t.Context(), s.Company.ID); err != nil {
		t.Error(err)
	}
	events, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 9)
	if err != nil || len(events) != 2 || events[1].Type != connection.EventBroken || events[0].Type != connection.EventRecovered {
		t.Errorf("published %+v, %v", events, err)
	}
}

func TestNoLocationToRead(t *testing.T) {
	s := located(t)
	for _, change := range []func(*connection.Connection){
		func(c *connection.Connection) { c.AccountID = "" },
		func(c *connection.Connection) { c.AccountID = "accounts/1" },
		func(c *connection.Connection) { c.AccountID, c.Active = "locations/5", false },
	} {
		s.Change(profilePair, change)
		_, _, err := s.Locations.ReadChosen(t.Context(), s.Company.ID)
		directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name)
	}
}

// TestSelectLocationOfAnIncompleteList: what is not there may be found another time.
func TestSelectLocationOfAnIncompleteList(t *testing.T) {
	s := located(t)
	s.Search.Cut = true
	_, err := s.Locations.Select(t.Context(), directorytest.Actor(s.Anna), "locations/9")
	directorytest.WantFault(t, err, fault.Internal, provider.CodeTemporary.Name)
}
