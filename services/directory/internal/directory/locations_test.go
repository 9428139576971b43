package directory_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

func twoLocations() []directory.Location {
	return []directory.Location{
		{Name: "locations/5", Title: "Piekarnia Rynek", AccountName: "accounts/1"},
		{Name: "locations/6", Title: "Piekarnia Dworzec", AccountName: "accounts/2"},
	}
}

// located is a Locations over a connection whose token is about to end and is
// renewed to access-2, which alone opens anything.
func (l *link) located() (*directory.Locations, *linkSearch) {
	l.due()
	l.search.renewal = directory.Token{AccessToken: "access-2", ExpiresAt: linkTime(time.Hour)}
	search := &linkSearch{locations: map[string][]directory.Location{"access-2": twoLocations()}}
	l.can(directory.ProviderSearch, func(can *directory.Abilities) {
		can.Locations, can.ReadLocation = search.Locations, search.ReadLocation
	})
	return directory.NewLocations(l.oauth, l.clock), search
}

func TestDiscoverLocations(t *testing.T) {
	l := newLink(t)
	locations, _ := l.located()
	got, err := locations.Discover(t.Context(), linkActor(42, 7))
	if err != nil || !reflect.DeepEqual(got, twoLocations()) {
		t.Errorf("Discover = %+v, %v", got, err)
	}
	l.trail("refresh")
}

func TestLocationFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		actor directory.Actor
		spoil func(*link, *linkSearch)
		kind  fault.Kind
		code  string
	}{
		"no company":     {linkActor(42, 0), func(l *link, _ *linkSearch) { l.can(directory.ProviderSearch, unconfigured) }, fault.Forbidden, "no_company"},
		"other company":  {linkActor(42, 8), func(l *link, _ *linkSearch) { l.can(directory.ProviderSearch, unconfigured) }, fault.NotFound, "no_connection"},
		"disconnected":   {linkActor(42, 7), func(l *link, _ *linkSearch) { l.store.change(1, inactive) }, fault.NotFound, "no_connection"},
		"not configured": {linkActor(42, 7), func(l *link, _ *linkSearch) { l.can(directory.ProviderSearch, unconfigured) }, fault.Unavailable, "profile_unavailable"},
		"not admitted": {
			linkActor(42, 7), func(_ *link, s *linkSearch) { s.err = directory.NotSetUp(errors.New("quota 0")) },
			fault.Unavailable, "profile_unavailable",
		},
		"lost": {linkActor(42, 7), func(_ *link, s *linkSearch) { s.err = refused("A") }, fault.Internal, directory.CodeReconnect},
		"away": {
			linkActor(42, 7), func(_ *link, s *linkSearch) { s.err = directory.Temporary(errors.New("503")) },
			fault.Internal, directory.CodeTemporary,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			locations, search := l.located()
			tt.spoil(l, search)
			_, err := locations.Discover(t.Context(), tt.actor)
			wantFault(t, err, tt.kind, tt.code)
			_, err = locations.Select(t.Context(), tt.actor, "locations/5")
			wantFault(t, err, tt.kind, tt.code)
			if got := l.stored(1).AccountID; got != "" {
				t.Errorf("account = %q", got)
			}
		})
	}
}

func inactive(c *directory.Connection) { c.Active = false }

func TestSelectLocation(t *testing.T) {
	l := newLink(t)
	locations, search := l.located()
	got, err := locations.Select(t.Context(), linkActor(42, 7), "locations/6")
	if err != nil || got != twoLocations()[1] {
		t.Errorf("Select = %+v, %v", got, err)
	}
	if c := l.stored(1); c.AccountID != "locations/6" || c.AccountName != "Piekarnia Dworzec" || c.AccessToken != "access-2" {
		t.Errorf("stored = %+v", c)
	}
	l.trail("refresh", "select_location")
	if e := l.store.trail[1]; *e.UserID != 42 || e.Detail != "locations/6" || e.Pair != profilePair || e.RequestID != "req-1" {
		t.Errorf("entry = %+v", e)
	}
	search.profiles = map[string]directory.Profile{"access-2 locations/6": {Name: "Piekarnia"}}
	profile, err := locations.ReadChosen(t.Context(), 7)
	if want := (directory.Profile{Name: "Piekarnia", Location: "locations/6"}); err != nil || !reflect.DeepEqual(profile, want) {
		t.Errorf("ReadChosen = %+v, %v, want %+v", profile, err, want)
	}
}

func TestSelectLocationThatIsNotListed(t *testing.T) {
	l := newLink(t)
	locations, _ := l.located()
	for _, name := range []string{"locations/7", "locations/", "accounts/1", ""} {
		_, err := locations.Select(t.Context(), linkActor(42, 7), name)
		wantFault(t, err, fault.NotFound, "location_not_found")
	}
	l.trail("refresh")
}

func TestSelectLocationOfAConnectionThatEndsMeanwhile(t *testing.T) {
	l := newLink(t)
	locations, search := l.located()
	search.during = func() { l.store.change(1, inactive) }
	_, err := locations.Select(t.Context(), linkActor(42, 7), "locations/5")
	wantFault(t, err, fault.NotFound, "no_connection")
	l.trail("refresh")
}

func TestNoLocationToRead(t *testing.T) {
	l := newLink(t)
	locations, _ := l.located()
	for _, change := range []func(*directory.Connection){
		func(c *directory.Connection) { c.AccountID = "" },
		func(c *directory.Connection) { c.AccountID = "accounts/1" },
		func(c *directory.Connection) {
			c.Chosen, c.AccountID, c.Active = directory.ChosenLocation, "locations/5", false
		},
	} {
		l.store.change(1, change)
		_, err := locations.ReadChosen(t.Context(), 7)
		wantFault(t, err, fault.NotFound, "no_connection")
	}
}
