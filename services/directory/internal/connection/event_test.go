package connection_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/webhook"
)

// subscribe adds an address that is subscribed to the service's company.
func subscribe(t *testing.T, s *directorytest.Service) webhook.Webhook {
	t.Helper()
	return must(s.Webhooks.Add(t.Context(), anna(s).By(), &s.Company.ID, "https://hook.example/a"))(t)
}

// published lists the type and the data of a webhook's events, oldest first.
func published(t *testing.T, s *directorytest.Service, w webhook.Webhook) (events []string) {
	t.Helper()
	for _, d := range must(s.Webhooks.Deliveries(t.Context(), w.ID, 99))(t) {
		events = append([]string{d.Type + " " + d.Data}, events...)
	}
	return events
}

const (
	brokenEvent = `connection.broken ` +
		`{"company_id":%d,"provider":"provider_social","service":"social_pages","reason":"` +
		directorytest.RevokedReason + `"}`
	recoveredEvent = `connection.recovered ` +
		`{"company_id":%d,"provider":"provider_social","service":"social_pages","reason":null}`
)

// TestNoFalseAlarms: failures that pass by themselves publish nothing.
func TestNoFalseAlarms(t *testing.T) {
	const failures = 10000
	s := directorytest.New(t)
	w := subscribe(t, s)
	connectPage(s)
	faults := []error{
		provider.CodeTemporary.Fault(), provider.CodeThrottled.Fault().After(time.Second),
		provider.CodeOperator.Fault(),
		provider.CodeGone.Fault(), provider.CodeChanged.Fault(), errors.New("connection reset"),
	}
	c := s.Stored(directorytest.PagesPair)
	for i := range failures {
		fails := faults[i%len(faults)]
		_, err := connection.Use(t.Context(), s.Connections, c, func(context.Context, string, string) (string, error) {
			return "", fails
		})
		if !errors.Is(err, fails) {
			t.Fatalf("err = %v, want %v", err, fails)
		}
	}
	for _, fails := range faults {
		s.Social.Fail["ReadPage"], s.Social.Fail["Refresh"] = fails, fails
		if err := s.SyncPage(); err == nil {
			t.Fatal("a sync went well")
		}
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if events := published(t, s, w); len(events) != 0 {
		t.Errorf("%d events, the first %s", len(events), events[0])
	}
	now := s.Stored(directorytest.PagesPair)
	now.Readings, now.UpdatedAt = nil, c.UpdatedAt
	if !reflect.DeepEqual(now, c) {
		t.Errorf("stored = %+v, want %+v", now, c)
	}
	s.WantTrail("webhook add")
}

// connectPage stores a connection whose page is chosen.
func connectPage(s *directorytest.Service) {
	s.Connect(connection.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		UserAccessToken: "access-1",
		Scopes:          []string{directorytest.Scope},
	})
}

// TestLostTokenIsPublishedOnce: by the scan or a call that finds it first, and the new
// authorization publishes that the connection works again.
func TestLostTokenIsPublishedOnce(t *testing.T) {
	s := directorytest.New(t)
	w := subscribe(t, s)
	connectPage(s)
	s.Social.Fail["ReadPage"] = directorytest.Revoked()
	for range 2 {
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := s.SyncPage(); err == nil {
			t.Fatal("a sync went well")
		}
	}
	s.Connect(
		connection.Connection{Pair: directorytest.PagesPair, AccessToken: "access-1",
			Scopes: []string{directorytest.Scope}},
	)
	want := []string{fmt.Sprintf(brokenEvent, s.Company.ID), fmt.Sprintf(recoveredEvent, s.Company.ID)}
	if events := published(t, s, w); !reflect.DeepEqual(events, want) {
		t.Errorf("published %q, want %q", events, want)
	}
}

// addWebhook adds a webhook of a company; nil subscribes to all.
func addWebhook(t *testing.T, s *directorytest.Store, companyID *int64) webhook.Webhook {
	t.Helper()
	w := webhook.Webhook{CompanyID: companyID, URL: "https://hook.example/a"}
	ok(t, s.Write(t.Context()).Create(&w).Error)
	return w
}

// typesOf lists the types of a webhook's events, oldest first.
func typesOf(t *testing.T, s *directorytest.Store, w webhook.Webhook) []string {
	t.Helper()
	types := []string{}
	ok(t, s.Read(t.Context()).Model(&webhook.Delivery{}).Where("webhook_id = ?", w.ID).Order("id").
		Pluck("type", &types).Error)
	return types
}

func TestConnectionEvents(t *testing.T) {
	lost := func(c *connection.Connection) { c.ReconnectReason = "Cofnięto dostęp." }
	other := func(c *connection.Connection) { c.ReconnectReason = "Zmieniono hasło." }
	denied := func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} }
	mended := func(c *connection.Connection) { c.ReconnectReason, c.Denied = "", nil }
	renewed := func(c *connection.Connection) { c.AccessToken += "+" }
	disconnected := func(c *connection.Connection) {
		c.Active = false
		c.ReconnectReason = ""
		c.Denied = nil
	}
	ended := func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Dostawca zakończył dostęp." }
	const broken, recovered = connection.EventBroken, connection.EventRecovered
	for name, test := range map[string]struct {
		changes   []func(*connection.Connection)
		reconnect bool // at the end
		want      []string
	}{
		"renewed": {changes: []func(*connection.Connection){renewed, renewed}, reconnect: true,
			want: []string{}},
		"lost twice is published once": {changes: []func(*connection.Connection){lost, renewed, other},
			want: []string{broken}},
		"lost and mended": {changes: []func(*connection.Connection){lost, mended, renewed},
			want: []string{broken, recovered}},
		"a permission and its return": {changes: []func(*connection.Connection){denied, mended},
			want: []string{broken, recovered}},
		"lost and connected again": {changes: []func(*connection.Connection){lost}, reconnect: true,
			want: []string{broken, recovered}},
		"disconnected by its own people": {changes: []func(*connection.Connection){disconnected}, reconnect: true,
			want: []string{}},
		"disconnected while broken": {changes: []func(*connection.Connection){lost, disconnected},
			want: []string{broken}},
		"the same, and connected again": {changes: []func(*connection.Connection){lost, disconnected}, reconnect: true,
			want: []string{broken, recovered}},
		"ended by the provider": {changes: []func(*connection.Connection){ended}, reconnect: true,
			want: []string{broken, recovered}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
				c := directorytest.AddConnection(t, s, "a", pagesPair)
				own, all := addWebhook(t, s, &c.CompanyID), addWebhook(t, s, nil)
				stranger := addWebhook(t, s, new(db.AddCompany(t, "b")))
				for _, edit := range test.changes {
					change(t, s, c, edit)
				}
				if test.reconnect {
					ok(t, s.Connections.Save(t.Context(), new(c), nil, directorytest.Entry(c, "connect")))
				}
				for w, want := range map[webhook.Webhook][]string{own: test.want, all: test.want, stranger: {}} {
					requireEqual(t, "events", want, typesOf(t, s, w))
				}
			})
		})
	}
}

// TestEventsAreOfTheTransaction: neither is the change kept without its event, nor the
// event without the change.
func TestEventsAreOfTheTransaction(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		c := directorytest.AddConnection(t, s, "a", pagesPair)
		w := addWebhook(t, s, nil)
		held := must(s.Connections.Hold(t.Context(), c.CompanyID, c.Pair))(t)
		held.ReconnectReason = "Cofnięto dostęp."
		must(held.Update(nil))(t)
		held.Release() // without Commit
		if types := typesOf(t, s, w); len(types) != 0 {
			t.Errorf("published %v", types)
		}
		db.Exec(t, "ALTER TABLE webhook_deliveries RENAME TO elsewhere")
		held = must(s.Connections.Hold(t.Context(), c.CompanyID, c.Pair))(t)
		held.ReconnectReason = "Cofnięto dostęp."
		err := held.Save(nil)
		held.Release()
		if now := must(s.Connections.Find(t.Context(), c.CompanyID, c.Pair))(t); err == nil ||
			now.ReconnectReason != "" {
			t.Errorf("err = %v, but the change was kept: %q", err, now.ReconnectReason)
		}
		db.Exec(t, "ALTER TABLE elsewhere RENAME TO webhook_deliveries")
	})
}
