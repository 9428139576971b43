package directory_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

func TestStatusAlwaysHoldsEveryPair(t *testing.T) {
	l := newLink(t)
	l.connected(directory.Connection{Pair: analyticsPair, AccountID: "sc-domain:firma.pl", AccountName: "firma.pl"})
	inactive := l.connected(directory.Connection{Pair: pagesPair, AccountID: "100", AccountName: "Strona", ExpiresAt: linkTime(-time.Hour)})
	l.store.change(inactive.ID, func(c *directory.Connection) { c.Active = false })
	l.connected(directory.Connection{Pair: directory.Pair{Provider: "provider_x", Service: "mail"}})
	foreign := l.connected(directory.Connection{Pair: profilePair})
	l.store.change(foreign.ID, func(c *directory.Connection) { c.CompanyID = 8 })

	services, err := l.oauth.Status(t.Context(), linkActor(42, 7))
	if err != nil || len(services) != 4 {
		t.Fatalf("Status = %+v, %v, want four services", services, err)
	}
	for _, p := range directory.Pairs() {
		s, ok := services[p.String()]
		if !ok || s.Name == "" || s.Description == "" {
			t.Errorf("%s = %+v", p, s)
		}
		s.Name, s.Description = "", ""
		want := directory.ServiceStatus{}
		if p == analyticsPair {
			want = directory.ServiceStatus{Connected: true, AccountID: "sc-domain:firma.pl", AccountName: "firma.pl"}
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("%s = %+v, want %+v", p, s, want)
		}
	}
}

func TestStatusOfAConnection(t *testing.T) {
	const reason = "Hasło do konta zostało zmienione."
	for name, tt := range map[string]struct {
		c                  directory.Connection
		needed             []string
		expired, reconnect bool
		reason             string // "any": not empty
		chosen             bool
	}{
		"without an end":           {c: directory.Connection{}},
		"good":                     {c: directory.Connection{ExpiresAt: linkTime(1)}},
		"ended, renewable":         {c: directory.Connection{ExpiresAt: linkTime(-time.Hour), RefreshToken: "r"}},
		"ended just now":           {c: directory.Connection{ExpiresAt: linkTime(0)}, expired: true, reconnect: true, reason: "any"},
		"ended, page chosen":       {c: directory.Connection{Chosen: directory.ChosenPage, UserAccessToken: "u", UserExpiresAt: linkTime(-time.Hour)}, chosen: true},
		"location chosen":          {c: directory.Connection{Chosen: directory.ChosenLocation, AccountID: "locations/5"}, chosen: true},
		"no location chosen":       {c: directory.Connection{AccountID: "accounts/5"}},
		"lost":                     {c: directory.Connection{ReconnectReason: reason}, reconnect: true, reason: reason},
		"lost, ended, could renew": {c: directory.Connection{ReconnectReason: reason, RefreshToken: "r", ExpiresAt: linkTime(-1)}, expired: true, reconnect: true, reason: reason},
		"lost, not ended":          {c: directory.Connection{ReconnectReason: reason, ExpiresAt: linkTime(1)}, reconnect: true, reason: reason},
		"all scopes":               {c: directory.Connection{Scopes: []string{"b", "a"}}, needed: []string{"a", "b"}},
		"scope missing":            {c: directory.Connection{Scopes: []string{"a"}}, needed: []string{"a", "b"}, reconnect: true, reason: "any"},
		"scope missing, and lost":  {c: directory.Connection{ReconnectReason: reason}, needed: []string{"a"}, reconnect: true, reason: reason},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			l.search.needed = tt.needed
			tt.c.Pair = profilePair
			l.connected(tt.c)
			services, err := l.oauth.Status(t.Context(), linkActor(42, 7))
			got := services[profilePair.String()]
			if err != nil || !got.Connected || !reflect.DeepEqual(got.ExpiresAt, tt.c.ExpiresAt) {
				t.Errorf("Status = %+v, %v", got, err)
			}
			if got.Expired != tt.expired || got.NeedsReconnect != tt.reconnect || got.Chosen != tt.chosen {
				t.Errorf("Status = %+v, want expired %t, needs reconnect %t, chosen %t", got, tt.expired, tt.reconnect, tt.chosen)
			}
			if any := tt.reason == "any"; any && got.Reason == "" || !any && got.Reason != tt.reason {
				t.Errorf("reason = %q, want %q", got.Reason, tt.reason)
			}
		})
	}
}

func TestStatusOfNobody(t *testing.T) {
	l := newLink(t)
	l.store.readErr = errors.New("database is away")
	if services, err := l.oauth.Status(t.Context(), linkActor(42, 0)); err != nil || services == nil || len(services) > 0 {
		t.Errorf("Status without a company = %+v, %v, want an empty map", services, err)
	}
	if services, err := l.oauth.Status(t.Context(), linkActor(42, 7)); !errors.Is(err, l.store.readErr) {
		t.Errorf("Status = %+v, %v", services, err)
	}
}
