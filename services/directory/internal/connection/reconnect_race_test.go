package connection_test

import (
	"context"
	"sync"
	"testing"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
)

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
		if err := other.ChoosePage("104119"); err != nil {
			t.Error(err)
		}
	})
	err := s.Store.Trace(func(ctx context.Context, statement string) (context.Context, func(error)) {
		return ctx, func(error) {
			if statement == "query oauth_tokens" {
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
	if err := s.SyncPage(); err != nil {
		t.Error(err)
	}
	s.WantPublishing("page-29")
}
