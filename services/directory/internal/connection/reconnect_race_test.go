package connection_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/meta"
)

// TestChoosingWhileAnotherReconnects: the page of one person's grant never ends up on
// the connection of another's, whoever of the two replicas comes first.
func TestChoosingWhileAnotherReconnects(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		other := directorytest.Beside(s, db.URL)
		s.Granted()
		s.Social.During["Pages"] = func() {
			other.Social.Token.AccessToken, other.Social.Token.ProviderUserID = "ewa-1", "osoba-2"
			reconnect(other, pagesPair)
			s.Social.Renewal.AccessToken = "ewa-1" // the provider knows both people
			s.Social.During["Pages"] = func() {
				s.Social.Pages = []meta.Page{{ID: "104118", Name: "Piekarnia", AccessToken: "page-of-ewa"}}
			}
		}
		if _, _, err := s.Pages.Select(t.Context(), anna(s), s.Company.ID, "104118"); err != nil {
			t.Fatal(err)
		}
		if c := s.Stored(pagesPair); c.UserAccessToken != "ewa-1" || c.AccessToken != "page-of-ewa" {
			t.Errorf("stored = %+v", c)
		}
		s.WantPublishing("page-of-ewa")
	})
}

// TestChoosingALocationWhileAnotherReconnects is the same of locations.
func TestChoosingALocationWhileAnotherReconnects(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		other := directorytest.Beside(s, db.URL)
		reconnect(s, profilePair)
		s.Search.During["Locations"] = func() {
			s.Search.During["Locations"] = nil
			other.Search.Token.AccessToken, other.Search.Token.ProviderUserID = "ewa-1", "osoba-2"
			reconnect(other, profilePair)
			s.Search.Renewal.AccessToken = "ewa-1"
		}
		if _, err := s.Locations.Select(t.Context(), anna(s), "locations/2"); err != nil {
			t.Fatal(err)
		}
		if want := []string{"Locations access-1", "Locations ewa-1"}; !slices.Equal(
			s.Search.Calls[len(s.Search.Calls)-2:], want,
		) {
			t.Errorf("listed with %q, want %q", s.Search.Calls, want)
		}
		if c := s.Stored(profilePair); c.ProviderUserID != "osoba-2" || c.AccountID != "locations/2" {
			t.Errorf("stored = %+v", c)
		}
	})
}

// TestReconnectingKeepsANewerChoice: a page is chosen on the old grant between the
// look-up of the connection and its replacement.
func TestReconnectingKeepsANewerChoice(t *testing.T) {
	for name, connect := range map[string]func(*directorytest.Service) connection.Connection{
		"first choice": (*directorytest.Service).Granted, "another choice": withPublishing,
	} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db databasetest.Database) { testNewerChoice(t, db, connect) })
		})
	}
}

func testNewerChoice(t *testing.T, db databasetest.Database,
	connect func(*directorytest.Service) connection.Connection) {
	s := directorytest.On(t, db.URL)
	other := directorytest.Beside(s, db.URL)
	connect(s)
	other.Social.Token.AccessToken = "access-1"
	a := arrive(s, pagesPair)
	regrant(s)
	choose := sync.OnceFunc(func() {
		if _, _, err := other.Pages.Select(t.Context(), anna(other), other.Company.ID, "104119"); err != nil {
			t.Error(err)
		}
	})
	err := s.Store.Trace(func(ctx context.Context, statement string) (context.Context, func(error)) {
		return ctx, func(error) {
			if statement == "row oauth_tokens" {
				choose()
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, oauthError := a.finish(); oauthError != "" {
		t.Fatal(oauthError)
	}
	c := s.Stored(pagesPair)
	if c.Chosen != connection.ChosenPage || c.AccountID != "104119" {
		t.Fatalf("stored = %+v", c)
	}
	if c.AccessToken != "" || c.UserAccessToken != "access-9" {
		t.Errorf("stored = %+v", c)
	}
	s.WantPublishing("")
	if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err != nil {
		t.Error(err)
	}
	s.WantPublishing("page-29")
}
