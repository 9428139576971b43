package connection_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

func TestStatusAlwaysHoldsEveryPair(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{Pair: analyticsPair, AccountID: "sc-domain:firma.pl", AccountName: "firma.pl",
		Scopes: []string{directorytest.Scope}})
	s.Connect(
		connection.Connection{Pair: pagesPair, AccountID: "100", AccountName: "Strona",
			ExpiresAt: directorytest.After(-time.Hour)},
	)
	s.Change(pagesPair, inactive)
	other := s.AddCompany("cukiernia")
	s.Connect(connection.Connection{CompanyID: other.ID, Pair: profilePair})

	services, err := s.Connections.Status(t.Context(), anna(s))
	if err != nil || len(services) != len(provider.Pairs()) {
		t.Fatalf("Status = %+v, %v, want every service", services, err)
	}
	for _, p := range provider.Pairs() {
		status, ok := services[p.String()]
		if !ok || status.Name == "" || status.Description == "" {
			t.Errorf("%s = %+v", p, status)
		}
		status.Name = ""
		status.Description = ""
		status.State = connection.ServiceState{}
		want := connection.ServiceStatus{}
		if p == analyticsPair {
			want = connection.ServiceStatus{Connected: true, Own: true, AccountID: "sc-domain:firma.pl",
				AccountName: "firma.pl"}
		}
		if !reflect.DeepEqual(status, want) {
			t.Errorf("%s = %+v, want %+v", p, status, want)
		}
	}
}

func TestStatusOfAConnection(t *testing.T) {
	const reason = "Hasło do konta zostało zmienione."
	for name, tt := range map[string]struct {
		c                  connection.Connection
		expired, reconnect bool
		reason             string // "any": not empty
		chosen             bool
	}{
		"without an end": {c: connection.Connection{}},
		"good":           {c: connection.Connection{ExpiresAt: directorytest.After(time.Second)}},
		"ended, renewable": {
			c: connection.Connection{ExpiresAt: directorytest.After(-time.Hour), RefreshToken: "r"},
		},
		"ended just now": {c: connection.Connection{ExpiresAt: directorytest.After(0)}, expired: true,
			reconnect: true, reason: "any"},
		"ended, page chosen": {
			c: connection.Connection{Chosen: connection.ChosenPage, UserAccessToken: "u",
				UserExpiresAt: directorytest.After(-time.Hour)}, chosen: true,
		},
		"location chosen": {
			c: connection.Connection{Chosen: connection.ChosenLocation, AccountID: "locations/5"}, chosen: true,
		},
		"no location chosen": {c: connection.Connection{AccountID: "accounts/5"}},
		"lost": {c: connection.Connection{ReconnectReason: reason}, reconnect: true,
			reason: reason},
		"lost, ended, could renew": {
			c: connection.Connection{ReconnectReason: reason, RefreshToken: "r",
				ExpiresAt: directorytest.After(-time.Second)}, expired: true, reconnect: true, reason: reason,
		},
		"lost, not ended": {
			c:         connection.Connection{ReconnectReason: reason, ExpiresAt: directorytest.After(time.Second)},
			reconnect: true, reason: reason,
		},
		"scope missing": {c: connection.Connection{Scopes: []string{"other"}}, reconnect: true,
			reason: "any"},
		"scope missing, and lost": {c: connection.Connection{ReconnectReason: reason, Scopes: []string{"other"}},
			reconnect: true, reason: reason},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			tt.c.Pair = profilePair
			if tt.c.Scopes == nil {
				tt.c.Scopes = []string{"other", directorytest.Scope}
			}
			s.Connect(tt.c)
			services, err := s.Connections.Status(t.Context(), anna(s))
			got := services[profilePair.String()]
			if err != nil || !got.Connected || !reflect.DeepEqual(got.ExpiresAt, tt.c.ExpiresAt) {
				t.Errorf("Status = %+v, %v", got, err)
			}
			if got.Expired != tt.expired || got.NeedsReconnect != tt.reconnect || got.Chosen != tt.chosen {
				t.Errorf("Status = %+v, want expired %t, needs reconnect %t, chosen %t", got, tt.expired, tt.reconnect,
					tt.chosen)
			}
			any := tt.reason == "any"
			if any && got.Reason == "" {
				t.Fatalf("reason = %q, want %q", got.Reason, tt.reason)
			}
			if !any && got.Reason != tt.reason {
				t.Errorf("reason = %q, want %q", got.Reason, tt.reason)
			}
		})
	}
}

// TestStatusOfDataAccess: its end is known, warned of for two weeks, and then a reason.
func TestStatusOfDataAccess(t *testing.T) {
	const day = 24 * time.Hour
	for name, tt := range map[string]struct {
		end                    *time.Time
		ends, reconnect, warns bool
	}{
		"not known": {},
		"far away":  {end: directorytest.After(14*day + time.Second)},
		"soon":      {end: directorytest.After(14 * day), ends: true, warns: true},
		"over":      {end: directorytest.After(0), reconnect: true, warns: true},
	} {
		s := directorytest.New(t)
		s.Social.Token.DataAccessExpiresAt = tt.end
		reconnect(s, pagesPair)
		got := statusOf(s, pagesPair)
		if !reflect.DeepEqual(got.DataAccessExpiresAt, tt.end) || got.DataAccessEnds != tt.ends ||
			got.NeedsReconnect != tt.reconnect {
			t.Errorf("%s: status = %+v", name, got)
		}
		if _, err := renewedEarly(s, t.Context(), s.Stored(pagesPair)); err != nil {
			t.Error(err)
		}
		if warned := strings.Contains(s.Log.String(), "data access"); warned != tt.warns {
			t.Errorf("%s: log = %s", name, s.Log.String())
		}
	}
}

func TestStatusWithoutACompany(t *testing.T) {
	s := directorytest.New(t)
	s.Hide("oauth_tokens")
	if services, err := s.Connections.Status(t.Context(), directorytest.ActorOf(s.Anna, 0)); err != nil ||
		services == nil || len(services) > 0 {
		t.Errorf("Status without a company = %+v, %v, want an empty map", services, err)
	}
	if services, err := s.Connections.Status(t.Context(), anna(s)); err == nil {
		t.Errorf("Status = %+v, %v", services, err)
	}
}

// TestStatusOfPhotosThatThePageCannotRead: a page that was connected without the scopes of
// the other service does not make that one look connected.
func TestStatusOfPhotosThatThePageCannotRead(t *testing.T) {
	s := directorytest.New(t)
	s.Social.ScopeEach = true
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		UserAccessToken: "user-1", Scopes: []string{"social_pages"},
	})
	page, photos := statusOf(s, pagesPair), statusOf(s, photosPair)
	if !page.Connected || page.NeedsReconnect {
		t.Fatalf("page %+v, photos %+v", page, photos)
	}
	if photos.Connected || photos.NeedsReconnect {
		t.Errorf("page %+v, photos %+v", page, photos)
	}
}

// TestStatusOfEachService checks all that is shown of a page, of the photos that are read
// through it, of a location that was lost and of a connection that its provider has ended.
func TestStatusOfEachService(t *testing.T) {
	s := directorytest.New(t)
	end, soon := directorytest.After(time.Hour), directorytest.After(24*time.Hour)
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		AccountName: "Piekarnia", OwnerName: "Anna",
		UserAccessToken: "user-1", UserExpiresAt: end, DataAccessExpiresAt: soon, Scopes: []string{directorytest.Scope},
	})
	s.Change(pagesPair, func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} })
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "t", AccountID: "accounts/9", AccountName: "Ewa",
		OwnerName: "Ewa", ExpiresAt: directorytest.After(-time.Hour), LostChoice: "Piekarnia"})
	s.Connect(connection.Connection{Pair: analyticsPair, AccessToken: "t", AccountID: "accounts/9", AccountName: "Ewa"})
	s.Change(analyticsPair, func(c *connection.Connection) { c.Forget("Google zakończył dostęp.") })
	page := connection.ServiceStatus{
		Connected: true, Own: true, AccountID: "104118", AccountName: "Piekarnia", OwnerName: "Anna", Chosen: true,
		DataAccessExpiresAt: soon, DataAccessEnds: true, NeedsReconnect: true, Reason: provider.CodePermission.Text,
	}
	photos := page
	photos.Own = false
	photos.NeedsReconnect = false
	photos.Reason = ""
	want := map[string]connection.ServiceStatus{
		pagesPair.String(): page, photosPair.String(): photos,
		profilePair.String(): {
			Connected: true, Own: true, AccountID: "accounts/9", AccountName: "Ewa", OwnerName: "Ewa",
			LostChoice: "Piekarnia",
			ExpiresAt:  directorytest.After(-time.Hour), Expired: true, Broken: true, NeedsReconnect: true,
			Reason: "Dostęp wygasł i nie można go odnowić. Połącz konto ponownie.",
		},
		analyticsPair.String(): {NeedsReconnect: true, Reason: "Google zakończył dostęp."},
	}
	for _, p := range provider.Pairs() {
		status := want[p.String()]
		status.Name, status.Description = p.Name(), p.Description()
		want[p.String()] = status
	}
	got := must(s.Connections.Status(t.Context(), anna(s)))(t)
	for pair, status := range got {
		status.State = connection.ServiceState{}
		got[pair] = status
	}
	requireEqual(t, "status", want, got)
	if c := s.Stored(analyticsPair); c.UserID != 0 || c.AccountID+c.AccountName+c.OwnerName+c.ProviderUserID+
		c.AccessToken != "" {
		t.Errorf("stored = %+v", c)
	}

	s.Change(pagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	for _, p := range []provider.Pair{pagesPair, photosPair} {
		if status := statusOf(s, p); !status.Broken || status.Reason != "Hasło zmienione." {
			t.Errorf("%s of a lost token: %+v", p, status)
		}
	}
	s.Change(pagesPair, func(c *connection.Connection) { c.ReconnectReason, c.LostChoice = "", "Piekarnia" })
	if status := statusOf(s, photosPair); status.LostChoice != "Piekarnia" || status.Broken || !status.NeedsReconnect {
		t.Errorf("photos of a lost page: %+v", status)
	}
}

// TestStatusOfAnUnknownService checks that the row of a service of another release is not shown.
func TestStatusOfAnUnknownService(t *testing.T) {
	s := directorytest.New(t)
	lasting(s, "refresh-1")
	ok(t, s.Store.Write(t.Context()).Exec("UPDATE oauth_tokens SET service = 'search_mail'").Error)
	services := must(s.Connections.Status(t.Context(), anna(s)))(t)
	if len(services) != len(provider.Pairs()) || services[profilePair.String()].Connected {
		t.Errorf("status = %+v", services)
	}
}
