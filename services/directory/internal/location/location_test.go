package location_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var profilePair = directorytest.ProfilePair

// located is a service with a search_profile connection whose token is about to end.
func located(t *testing.T) *directorytest.Service {
	s := directorytest.New(t)
	s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{"a"},
		ExpiresAt: directorytest.After(time.Minute),
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
	if c.Chosen != connection.ChosenLocation || c.AccountID != "locations/2" {
		t.Fatalf("stored = %+v", c)
	}
	if c.AccountName != "Cukiernia" || c.AccessToken != "access-2" {
		t.Errorf("stored = %+v", c)
	}
	s.WantTrail("refresh", "select_location")
	e := s.Trail()[1]
	if *e.UserID != s.Anna.ID || e.Detail != "locations/2" {
		t.Fatalf("entry = %+v", e)
	}
	if e.Pair != profilePair || e.RequestID != "req-1" {
		t.Errorf("entry = %+v", e)
	}
	b, err := readChosen(s)
	if err != nil || !reflect.DeepEqual(b, s.Search.Profile) {
		t.Errorf("Read = %+v, %v, want %+v", b, err, s.Search.Profile)
	}
}

func readChosen(s *directorytest.Service) (google.Business, error) {
	c, err := s.Locations.Chosen(context.Background(), s.Company.ID)
	if err != nil {
		return google.Business{}, err
	}
	return s.Locations.Read(context.Background(), c)
}

// TestKeepIsOfTheChoice checks that what is known of a location goes with its choice, and
// never becomes that of another one.
func TestKeepIsOfTheChoice(t *testing.T) {
	s := located(t)
	choose := func(name string) connection.Connection {
		t.Helper()
		if _, err := s.Locations.Select(t.Context(), directorytest.Actor(s.Anna), name); err != nil {
			t.Fatal(err)
		}
		return s.Stored(profilePair)
	}
	first := choose("locations/1")
	if first.AccountAddress != "ul. Długa 5, Kraków" || first.PlaceID != "place-1" {
		t.Errorf("stored = %+v", first)
	}
	second := choose("locations/2")
	if second.AccountAddress != "" || second.PlaceID != "" {
		t.Errorf("stored = %+v", second)
	}
	for c, want := range map[*connection.Connection]string{&first: "", &second: "place-2"} {
		if err := s.Locations.Keep(
			t.Context(), *c, provider.Choice{Name: "Cukiernia", PlaceID: "place-2"},
		); err != nil || s.Stored(profilePair).PlaceID != want {
			t.Errorf("%v, stored = %+v, want the place %q", err, s.Stored(profilePair), want)
		}
		s.Change(profilePair, func(c *connection.Connection) { c.PlaceID = "" })
	}
}

// TestKeepWritesWhatHasChanged checks that each part of a choice is stored, and that nothing
// is written if all are known or the connection has ended.
func TestKeepWritesWhatHasChanged(t *testing.T) {
	s := located(t)
	known := provider.Choice{Name: "Piekarnia", Address: "ul. Długa 5, Kraków", PlaceID: "place-1"}
	s.Change(profilePair, func(c *connection.Connection) {
		c.Choose(connection.ChosenLocation,
			provider.Choice{ID: "locations/1", Name: known.Name, Address: known.Address, PlaceID: known.PlaceID})
	})
	stored := func() connection.Connection {
		t.Helper()
		c, err := s.Locations.Chosen(t.Context(), s.Company.ID)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	keep := func(read provider.Choice) {
		t.Helper()
		s.Now = s.Now.Add(time.Minute)
		if err := s.Locations.Keep(t.Context(), stored(), read); err != nil {
			t.Error(err)
		}
	}
	for _, change := range []func(){
		func() { known.Name = "Cukiernia" }, func() { known.Address = "ul. Krótka 1, Kraków" },
		func() { known.PlaceID = "place-2" },
	} {
		change()
		keep(known)
		c := stored()
		if c.AccountName != known.Name || c.AccountAddress != known.Address {
			t.Fatalf("stored %+v, want %+v", c, known)
		}
		if c.PlaceID != known.PlaceID || !c.UpdatedAt.Equal(s.Now) {
			t.Errorf("stored %+v, want %+v", c, known)
		}
	}
	before := stored()
	restore := s.FailUpdates("oauth_tokens", "account_name")
	keep(known)
	if err := s.Locations.Keep(t.Context(), before, provider.Choice{Name: "Inna"}); err == nil {
		t.Error("a name that could not be stored is no failure")
	}
	restore()
	if now := stored(); !reflect.DeepEqual(now, before) {
		t.Errorf("stored %+v, want %+v", now, before)
	}
	s.Change(profilePair, directorytest.Inactive)
	if err := s.Locations.Keep(t.Context(), before, provider.Choice{Name: "Inna"}); err != nil ||
		s.Stored(profilePair).AccountName != "Cukiernia" {
		t.Errorf("after the connection ended: %v, stored %+v", err, s.Stored(profilePair))
	}
}

// TestReadOfAPreviousChoice: a renewal on the way finds the connection as it is now.
func TestReadOfAPreviousChoice(t *testing.T) {
	s := located(t)
	s.Change(profilePair, func(c *connection.Connection) {
		c.Chosen, c.AccountID = connection.ChosenLocation,
			"locations/1"
	})
	before := s.Stored(profilePair)
	s.Change(profilePair, func(c *connection.Connection) { c.AccountID = "locations/2" })
	_, err := s.Locations.Read(t.Context(), before)
	directorytest.WantFault(t, err, fault.Internal, connection.CodeConnectionChanged.Name)
}

// TestOnlyLocationIsChosen by its discovery, unless that could be the wrong one.
func TestOnlyLocationIsChosen(t *testing.T) {
	chosen := func(id string) func(*directorytest.Service) {
		return func(s *directorytest.Service) {
			s.Change(profilePair, func(c *connection.Connection) {
				c.Chosen, c.AccountID = connection.ChosenLocation,
					id
			})
		}
	}
	for name, tt := range map[string]struct {
		change func(*directorytest.Service)
		want   string // the chosen location
	}{
		"only one": {func(*directorytest.Service) {}, "locations/1"},
		"two": {
			func(s *directorytest.Service) { s.Search.Locations = append(s.Search.Locations, s.Search.Locations[0]) },
			"",
		},
		"none":       {func(s *directorytest.Service) { s.Search.Locations = nil }, ""},
		"cut list":   {func(s *directorytest.Service) { s.Search.Cut = true }, ""},
		"chosen one": {chosen("locations/7"), "locations/7"},
		"lost choice": {func(s *directorytest.Service) {
			s.Change(profilePair, func(c *connection.Connection) { c.LostChoice = "Cukiernia" })
		}, ""},
		"user without the right to edit": {func(s *directorytest.Service) { s.Anna.Role = account.Unaffiliated }, ""},
		"chosen meanwhile": {
			func(s *directorytest.Service) { s.Search.During["Locations"] = func() { chosen("locations/7")(s) } },
			"locations/7",
		},
		"connected again meanwhile": {func(s *directorytest.Service) {
			s.Search.During["Locations"] = func() {
				delete(s.Search.During, "Locations")
				s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-3", RefreshToken: "refresh-3",
					ProviderUserID: "osoba-2"})
			}
		}, ""},
		"connection ended meanwhile": {func(s *directorytest.Service) {
			s.Search.During["Locations"] = func() { s.Change(profilePair, directorytest.Inactive) }
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := located(t)
			s.Search.Locations = s.Search.Locations[:1:1]
			tt.change(s)
			found, err := s.Locations.DiscoverAndChoose(t.Context(), directorytest.Actor(s.Anna))
			if err != nil || len(found.Items) != len(s.Search.Locations) {
				t.Fatalf("DiscoverAndChoose = %+v, %v", found, err)
			}
			c := s.Stored(profilePair)
			if got := c.Chosen == connection.ChosenLocation; got != (tt.want != "") || got && c.AccountID != tt.want {
				t.Errorf("chosen %t, account %q, want the location %q", got, c.AccountID, tt.want)
			}
			if tt.want == "locations/1" {
				s.WantTrail("refresh", "select_location")
			}
		})
	}
}

func TestOnlyLocationNotStored(t *testing.T) {
	s := located(t)
	s.Search.Locations = s.Search.Locations[:1:1]
	s.Search.During["Locations"] = func() { s.FailInserts("audit_trail") }
	if _, err := s.Locations.DiscoverAndChoose(t.Context(), directorytest.Actor(s.Anna)); err == nil {
		t.Error("a choice that could not be stored is no failure")
	}
}

func TestSelectLocationWithoutACompany(t *testing.T) {
	s := located(t)
	_, err := s.Locations.Select(t.Context(), directorytest.ActorOf(s.Anna, 0), "locations/1")
	directorytest.WantFault(t, err, fault.Forbidden, account.CodeNoCompany.Name)
}

func TestSelectLocationFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*directorytest.Service)
		kind  fault.Kind
		code  string
	}{
		"not listed": {func(*directorytest.Service) {}, fault.NotFound, location.CodeNotFound.Name},
		"not configured": {func(s *directorytest.Service) { s.Unconfigure(provider.Search) }, fault.Unavailable,
			location.CodeUnavailable.Name},
		"not admitted to the API": {func(s *directorytest.Service) {
			s.Search.Fail["Locations"] = provider.NotSetUp(errors.New("the quota is zero"))
		}, fault.Unavailable, location.CodeUnavailable.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := located(t)
			tt.spoil(s)
			got, err := s.Locations.Select(t.Context(), directorytest.Actor(s.Anna), "locations/9")
			directorytest.WantFault(t, err, tt.kind, tt.code)
			if got != (google.Location{}) {
				t.Errorf("location = %+v", got)
			}
		})
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
	s.Change(profilePair, func(c *connection.Connection) {
		c.Chosen, c.AccountID = connection.ChosenLocation,
			"locations/1"
	})
	s.Search.Fail["ReadLocation"] = provider.Denied(errors.New("403"))
	_, err = readChosen(s)
	directorytest.WantFault(t, err, fault.Internal, provider.CodePermission.Name)
	if c := s.Stored(profilePair); !slices.Equal(c.Denied, []provider.Service{provider.SearchProfile}) ||
		c.AccessToken != "access-2" {
		t.Errorf("stored = %+v", c)
	}
	delete(s.Search.Fail, "ReadLocation")
	if _, err := readChosen(s); err != nil {
		t.Error(err)
	}
	events, err := s.Webhooks.Deliveries(t.Context(), hook.ID, 9)
	if err != nil || len(events) != 2 {
		t.Fatalf("published %+v, %v", events, err)
	}
	if events[1].Type != connection.EventBroken || events[0].Type != connection.EventRecovered {
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
		_, err := readChosen(s)
		directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name)
	}
	s.Hide("oauth_tokens")
	if _, err := readChosen(s); err == nil || fault.Is(err, connection.CodeNoConnection) {
		t.Errorf("a connection that cannot be read: %v", err)
	}
}

// TestFailuresAreReported checks that nothing succeeds if one of its statements fails.
func TestFailuresAreReported(t *testing.T) {
	s := located(t)
	ctx, actor := t.Context(), directorytest.Actor(s.Anna)
	var c connection.Connection
	s.FailEach([]databasetest.Call{
		{
			Name: "select",
			Run:  func() error { return databasetest.ErrorOf(s.Locations.Select(ctx, actor, "locations/2")) },
		},
		{Name: "discover", Run: func() error { return databasetest.ErrorOf(s.Locations.Discover(ctx, actor)) }},
		{Name: "read", Run: func() error { return databasetest.ErrorOf(readChosen(s)) }},
		{Name: "keep", Before: func() { c = s.Stored(profilePair) }, Run: func() error {
			return s.Locations.Keep(ctx, c, provider.Choice{ID: "locations/2", Name: "Cukiernia", Address: "Kraków"})
		}},
	}...)
}
