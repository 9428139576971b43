package connection_test

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// onEachDatabase runs a test with a service on each database.
func onEachDatabase(t *testing.T, test func(t *testing.T, s *directorytest.Service)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, directorytest.On(t, db.URL)) })
}

// withPublishing has chosen the page 104118, which its configuration publishes to.
func withPublishing(s *directorytest.Service) connection.Connection {
	s.T.Helper()
	s.Granted()
	if err := s.ChoosePage("104118"); err != nil {
		s.T.Fatal(err)
	}
	s.Social.Calls = nil
	return s.Stored(pagesPair)
}

// regrant makes the provider give the person new tokens; the old ones end.
func regrant(s *directorytest.Service) {
	s.Social.Token.AccessToken = "access-9"
	s.Social.Pages = slices.Clone(s.Social.Pages)
	for i := range s.Social.Pages {
		if page := &s.Social.Pages[i]; page.AccessToken != "" {
			page.AccessToken += "9"
		}
	}
}

func reconnect(s *directorytest.Service, p provider.Pair) {
	s.T.Helper()
	if _, oauthError := arrive(s, p).finish(); oauthError != "" {
		s.T.Fatal(oauthError)
	}
}

func statusOf(s *directorytest.Service, p provider.Pair) connection.ServiceStatus {
	s.T.Helper()
	services, err := s.Connections.Status(s.T.Context(), anna(s))
	if err != nil {
		s.T.Fatal(err)
	}
	return services[p.String()]
}

func TestReconnectingKeepsThePage(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, s *directorytest.Service) {
		withPublishing(s)
		regrant(s)
		reconnect(s, pagesPair)
		c := s.Stored(pagesPair)
		if c.Chosen != connection.ChosenPage || c.AccountID != "104118" {
			t.Fatalf("stored = %+v", c)
		}
		if c.AccessToken != "page-19" || c.UserAccessToken != "access-9" {
			t.Errorf("stored = %+v", c)
		}
		s.WantPublishing("page-19")
		if status := statusOf(s, pagesPair); !status.Chosen || status.NeedsReconnect {
			t.Errorf("status = %+v", status)
		}
		if err := s.SyncPage(); err != nil {
			t.Error(err)
		}
	})
}

func TestReconnectingLosesAPageOutOfReach(t *testing.T) {
	for name, spoil := range map[string]func(*directorytest.Service){
		"not listed":      func(s *directorytest.Service) { s.Social.Pages = s.Social.Pages[1:] },
		"without a token": func(s *directorytest.Service) { s.Social.Pages[0].AccessToken = "" },
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, s *directorytest.Service) {
				withPublishing(s)
				regrant(s)
				spoil(s)
				reconnect(s, pagesPair)
				c := s.Stored(pagesPair)
				if c.Chosen != connection.ChosenNothing || c.AccessToken != "access-9" {
					t.Fatalf("stored = %+v", c)
				}
				if c.UserAccessToken != "" || c.AccountID == "104118" {
					t.Errorf("stored = %+v", c)
				}
				s.WantPublishing("")
				if status := statusOf(s, pagesPair); status.Chosen || !status.NeedsReconnect ||
					!strings.Contains(status.Reason, "Piekarnia") {
					t.Errorf("status = %+v", status)
				}
				err := s.SyncPage()
				wantFault(t, err, fault.NotFound, connection.CodeNoPage.Name)
				if err := s.ChoosePage("104119"); err != nil ||
					statusOf(s, pagesPair).Reason != "" {
					t.Errorf("another page: %v, status %+v", err, statusOf(s, pagesPair))
				}
			})
		})
	}
}

// TestReconnectingWhileTheListCannotBeRead: the page stays chosen, nothing is asked
// with its old token, and the first use afterwards reads the new one or finds out that
// the page is lost.
func TestReconnectingWhileTheListCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct {
		later     func(*directorytest.Service)
		code      string // of the sync
		page      bool   // still chosen
		published string
		reason    bool
	}{
		"then it can": {func(*directorytest.Service) {}, "", true, "page-19", false},
		"then the page is gone": {func(s *directorytest.Service) { s.Social.Pages = nil }, connection.CodeNoPage.Name,
			false, "", true},
		"still not": {
			func(s *directorytest.Service) { s.Social.Fail["FindPage"] = provider.Temporary(nil) },
			provider.CodeTemporary.Name, true, "", false,
		},
		"then the grant is ended": {func(s *directorytest.Service) { s.Social.Token.AccessToken = "other" },
			provider.CodeReconnect.Name, true, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, s *directorytest.Service) {
				withPublishing(s)
				regrant(s)
				s.Social.Fail["FindPage"] = provider.Temporary(errors.New("503"))
				reconnect(s, pagesPair)
				s.WantPublishing("")
				if c := s.Stored(pagesPair); c.Chosen != connection.ChosenPage || c.AccountID != "104118" ||
					c.AccessToken != "" {
					t.Errorf("stored = %+v", c)
				}
				delete(s.Social.Fail, "FindPage")
				tt.later(s)
				err := s.SyncPage()
				wantCode(t, err, tt.code)
				s.WantPublishing(tt.published)
				if status := statusOf(s, pagesPair); status.Chosen != tt.page || status.NeedsReconnect != tt.reason {
					t.Errorf("status = %+v", status)
				}
				if lines := s.Trail(); (lines[len(lines)-1].Action == "lose_page") == tt.page {
					t.Errorf("trail %+v", lines)
				}
				for _, call := range s.Social.Calls {
					if strings.Contains(call, "page-1 ") {
						t.Errorf("the old token was used: %s", call)
					}
				}
			})
		})
	}
}

func TestReconnectingKeepsALocationInReach(t *testing.T) {
	for name, tt := range map[string]struct {
		err     error // of reading the location
		scopes  []string
		chosen  connection.Chosen
		address string // as it was known before, or as it is read
		reason  bool
	}{
		"in reach": {scopes: []string{directorytest.Scope}, chosen: connection.ChosenLocation,
			address: "ul. Długa 5, 31-147 Kraków"},
		"not readable": {err: provider.Temporary(nil), scopes: []string{directorytest.Scope},
			chosen: connection.ChosenLocation, address: "Długa 5"},
		"gone":            {err: provider.Gone(nil), scopes: []string{directorytest.Scope}, reason: true},
		"another owner's": {err: provider.Denied(nil), scopes: []string{directorytest.Scope}, reason: true},
		"scope unticked": {err: provider.Denied(nil), scopes: []string{"other"}, chosen: connection.ChosenLocation,
			address: "Długa 5", reason: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			s.Connect(connection.Connection{
				Pair: profilePair, AccessToken: "access-0", RefreshToken: "refresh-0",
				Chosen: connection.ChosenLocation, AccountID: "locations/1", AccountName: "Stara piekarnia",
				AccountAddress: "Długa 5", PlaceID: "place-0",
			})
			s.Search.Token.Scopes, s.Search.Fail["ReadLocation"] = tt.scopes, tt.err
			reconnect(s, profilePair)
			c := s.Stored(profilePair)
			if c.Chosen != tt.chosen || (c.AccountID == "locations/1") != (tt.chosen == connection.ChosenLocation) ||
				c.AccessToken != "access-1" {
				t.Errorf("stored = %+v", c)
			}
			known := map[string][2]string{"": {}, "Długa 5": {"Stara piekarnia", "place-0"},
				"ul. Długa 5, 31-147 Kraków": {"Piekarnia", "place-1"}}[tt.address]
			if c.AccountAddress != tt.address || c.PlaceID != known[1] {
				t.Fatalf("%q at %q, place %q, want %q at %q", c.AccountName, c.AccountAddress, c.PlaceID, known,
					tt.address)
			}
			if tt.address != "" && c.AccountName != known[0] {
				t.Errorf("%q at %q, place %q, want %q at %q", c.AccountName, c.AccountAddress, c.PlaceID, known,
					tt.address)
			}
			if status := statusOf(s, profilePair); status.NeedsReconnect != tt.reason {
				t.Errorf("status = %+v", status)
			}
		})
	}
}

// TestReconnectingDuringAnAppWideFailure: a refusal of everybody does not say that this
// location is out of reach.
func TestReconnectingDuringAnAppWideFailure(t *testing.T) {
	s := directorytest.New(t)
	c := s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-0", RefreshToken: "refresh-0", Chosen: connection.ChosenLocation,
		AccountID: "locations/1", AccountName: "Piekarnia",
	})
	app := incident.Subject{Provider: provider.Search, Service: provider.SearchProfile, Kind: incident.App}
	if during, err := incident.New(s.Store.DB, s.Clock, slog.New(slog.DiscardHandler)).
		Refused(t.Context(), app, c.ID, ""); !during || err != nil {
		t.Fatalf("during %t, %v", during, err)
	}
	s.Search.Token.Scopes, s.Search.Fail["ReadLocation"] = []string{directorytest.Scope}, provider.Denied(nil)
	reconnect(s, profilePair)
	c = s.Stored(profilePair)
	if c.Chosen != connection.ChosenLocation || c.AccountID != "locations/1" {
		t.Fatalf("stored = %+v", c)
	}
	if c.LostChoice != "" || c.AccessToken != "access-1" {
		t.Errorf("stored = %+v", c)
	}
}

// TestALostKeyConcernsOneConnection: everything that meets it answers that the service
// has to be connected again, and that mends it; the page stays chosen.
func TestALostKeyConcernsOneConnection(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		withPublishing(s) // with a user's token that is due
		s.Connect(
			connection.Connection{Pair: profilePair, AccessToken: "access-1", Scopes: []string{directorytest.Scope}},
		)
		pool := db.Raw(t)
		if _, err := pool.ExecContext(t.Context(), "UPDATE oauth_tokens SET access_token = 'lost:AAAA' WHERE service "+
			"= 'social_pages'"); err != nil {
			t.Fatal(err)
		}
		status, beside := statusOf(s, pagesPair), statusOf(s, profilePair)
		if !status.Connected || !status.NeedsReconnect {
			t.Fatalf("status = %+v, of the other service %+v", status, beside)
		}
		if status.Reason != connection.ReasonUnreadable || beside.NeedsReconnect {
			t.Errorf("status = %+v, of the other service %+v", status, beside)
		}
		for name, call := range map[string]func() error{
			"select":      func() error { return s.ChoosePage("104118") },
			"sync page":   s.SyncPage,
			"sync photos": s.SyncPhotos,
		} {
			if err := call(); !fault.Is(err, provider.CodeReconnect.Name) ||
				fault.From(err).Message != connection.ReasonUnreadable {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := renewedEarly(s, t.Context(), s.Stored(pagesPair)); !fault.Is(err, provider.CodeReconnect.Name) {
			t.Errorf("renewal by the scan: %v", err)
		}
		if len(s.Social.Calls) > 0 || !strings.Contains(s.Log.String(), "cannot be decrypted") {
			t.Errorf("asked %q, log %s", s.Social.Calls, s.Log.String())
		}
		if _, err := fresh(s, t.Context(), s.Stored(profilePair)); err != nil {
			t.Error(err)
		}
		reconnect(s, pagesPair)
		if c := s.Stored(pagesPair); c.AccountID != "104118" || c.AccessToken != "page-1" ||
			statusOf(s, pagesPair).NeedsReconnect {
			t.Errorf("connected again: %+v", c)
		}
		if _, err := pool.ExecContext(t.Context(), "UPDATE oauth_tokens SET access_token = 'lost:AAAA'"); err != nil {
			t.Fatal(err)
		}
		if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil ||
			statusOf(s, pagesPair).Connected {
			t.Errorf("disconnect: %v", err)
		}
	})
}

// TestReconnectingDoesNotWaitForTheChoice: a provider that hangs costs ten seconds of
// the time that a callback has, and not the grant.
func TestReconnectingDoesNotWaitForTheChoice(t *testing.T) {
	s := directorytest.New(t)
	withPublishing(s)
	hanging := deadlines{s.Social, map[string]time.Duration{}}
	s.Providers[provider.Social] = hanging
	reconnect(s, pagesPair)
	left := hanging.left["choice"]
	c := s.Stored(pagesPair)
	if left <= 0 || left > 10*time.Second {
		t.Fatalf("%v left, stored = %+v", left, c)
	}
	if c.AccountID != "104118" || c.AccessToken != "" {
		t.Errorf("%v left, stored = %+v", left, c)
	}
	if !strings.Contains(s.Log.String(), "choice not looked up") {
		t.Errorf("log %s", s.Log.String())
	}
}

// TestAPageOutOfReachLeavesTheAccount checks that the connection is then that of the person
// who has connected, with the person's token, whether the loss is found at once or at the
// next use.
func TestAPageOutOfReachLeavesTheAccount(t *testing.T) {
	for name, unreadable := range map[string]bool{"at once": false, "at the next use": true} {
		s := directorytest.New(t)
		s.Social.AccountID, s.Social.Name = "p-1", "Anna"
		withPublishing(s)
		regrant(s)
		s.Social.Pages = nil
		if unreadable {
			s.Social.FailOnce("FindPage", provider.Temporary(errors.New("503")))
		}
		reconnect(s, pagesPair)
		want := connection.Connection{
			ID: 1, CompanyID: s.Company.ID, UserID: s.Anna.ID, Pair: pagesPair, AccessToken: "access-9",
			Scopes:    []string{directorytest.Scope},
			ExpiresAt: s.Social.Token.ExpiresAt, Active: true, ProviderUserID: "osoba-1", OwnerName: "Anna",
			LostChoice: "Piekarnia",
		}
		if unreadable {
			_, err := connection.Use(t.Context(), s.Connections,
				must(s.Connections.Active(t.Context(), s.Company.ID, pagesPair))(t), (&reads{}).read)
			wantFault(t, err, fault.NotFound, connection.CodeNoPage.Name)
			want.AccountID, want.AccountName = "", ""
			lines := s.Trail()
			last := lines[len(lines)-1]
			if last.Action != "lose_page" || last.Detail != "104118" {
				t.Fatalf("trail %+v", last)
			}
			if last.Pair != pagesPair || !last.At.Equal(s.Now) {
				t.Errorf("trail %+v", last)
			}
		} else {
			want.AccountID, want.AccountName = "p-1", "Anna"
		}
		requireEqual(t, name, want, s.Stored(pagesPair))
	}
}

// TestAPageWhoseConnectionChanges checks that the token of a page that was read is stored
// only in the connection for which it was read, and nothing is read without a token.
func TestAPageWhoseConnectionChanges(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*connection.Connection)
		code   string
		tokens []string
		trail  []string
	}{
		"unchanged":    {func(*connection.Connection) {}, "", []string{"page-9"}, []string{"select_page"}},
		"disconnected": {func(c *connection.Connection) { c.End() }, "no_connection", nil, nil},
		"marked": {func(c *connection.Connection) { c.ReconnectReason = "A" }, provider.CodeReconnect.Name,
			nil, nil},
		"connected again": {func(c *connection.Connection) { c.ConnectedAt = c.ConnectedAt.Add(time.Second) },
			"no_page", nil, nil},
		"another page":    {func(c *connection.Connection) { c.AccountID = "104119" }, "no_page", nil, nil},
		"read by another": {func(c *connection.Connection) { c.AccessToken = "page-8" }, "", []string{"page-8"}, nil},
		"another page read": {func(c *connection.Connection) { c.AccountID, c.AccessToken = "104119", "page-8" }, "",
			[]string{"page-8"}, nil},
	} {
		s := directorytest.New(t)
		s.Connect(connection.Connection{Pair: pagesPair, Chosen: connection.ChosenPage, AccountID: "104118",
			UserAccessToken: "user-1", UserExpiresAt: directorytest.After(time.Hour)})
		s.Social.Token.AccessToken, s.Social.Pages[0].AccessToken = "user-1", "page-9"
		s.Social.During["FindPage"] = func() { s.Change(pagesPair, tt.change) }
		made := reads{}
		_, err := connection.Use(t.Context(), s.Connections,
			must(s.Connections.Active(t.Context(), s.Company.ID, pagesPair))(t), made.read)
		wantCode(t, err, tt.code)
		requireEqual(t, name+": tokens", tt.tokens, made.tokens)
		if stored := s.Stored(pagesPair).AccessToken; (stored == "page-9") != (tt.trail != nil) {
			t.Errorf("%s: the page's token is stored as %q", name, stored)
		}
		s.WantTrail(tt.trail...)
	}
}
