package connection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/webhook"
)

// subscribe subscribes an address to a company; nil subscribes it to all.
func subscribe(a *apptest.App, companyID *int64) webhook.Webhook {
	a.T.Helper()
	w, err := a.Webhooks.Add(a.T.Context(), account.Actor{}.By(), companyID, "https://hook.example/a")
	apptest.WantCode(a.T, err, none)
	return w
}

// published lists the data of a webhook's events by their types, oldest first.
func published(a *apptest.App, w webhook.Webhook) (events []string) {
	a.T.Helper()
	deliveries, err := a.Webhooks.Deliveries(a.T.Context(), w.ID, 99)
	apptest.WantCode(a.T, err, none)
	for _, d := range deliveries {
		events = append([]string{d.Type + " " + d.Data}, events...)
	}
	return events
}

// TestEvents: a connection that breaks and one that works again are published once each, to the company's own and to
// general subscribers.
func TestEvents(t *testing.T) {
	type edit = func(*connection.Connection)
	lost := func(c *connection.Connection) { c.ReconnectReason = "Cofnięto dostęp." }
	other := func(c *connection.Connection) { c.ReconnectReason = "Zmieniono hasło." }
	denied := func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} }
	mended := func(c *connection.Connection) { c.ReconnectReason, c.Denied = "", nil }
	renewed := func(c *connection.Connection) { c.AccessToken += "+" }
	disconnected := func(c *connection.Connection) { c.End() }
	ended := func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Cofnięto dostęp." }
	var again edit // connects
	const subject = `{"company_id":1,"provider":"provider_social","service":"social_pages","reason":`
	const broken = "connection.broken " + subject + `"Cofnięto dostęp."}`
	const recovered = "connection.recovered " + subject + "null}"
	const missing = "connection.broken " + subject + `"Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz ` +
		`wszystkie zgody."}`
	for name, test := range map[string]struct {
		changes []edit
		want    []string
	}{
		"renewed":                        {[]edit{renewed, renewed, again}, nil},
		"lost twice":                     {[]edit{lost, renewed, other}, []string{broken}},
		"lost and mended":                {[]edit{lost, mended, renewed}, []string{broken, recovered}},
		"a permission and its return":    {[]edit{denied, mended}, []string{missing, recovered}},
		"lost and connected again":       {[]edit{lost, again}, []string{broken, recovered}},
		"disconnected by its own people": {[]edit{disconnected, again}, nil},
		"disconnected while broken":      {[]edit{lost, disconnected}, []string{broken}},
		"the same, and connected again":  {[]edit{lost, disconnected, again}, []string{broken, recovered}},
		"ended by the provider":          {[]edit{ended, again}, []string{broken, recovered}},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			own, all := subscribe(a, &a.Company.ID), subscribe(a, nil)
			stranger := subscribe(a, new(a.AddCompany("b").ID))
			connect := func() { a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "a"}) }
			connect()
			for _, change := range test.changes {
				if change == nil {
					connect()
				} else {
					a.Change(provider.PagesPair, change)
				}
			}
			for w, want := range map[webhook.Webhook][]string{own: test.want, all: test.want, stranger: nil} {
				if diff := cmp.Diff(want, published(a, w)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestEventsAreOfTheTransaction: neither is the change kept without its event, nor the event without the change.
func TestEventsAreOfTheTransaction(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		w := subscribe(a, nil)
		a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "a"})
		hold := func() *connection.Held {
			held, err := a.Store.Hold(t.Context(), a.Company.ID, provider.PagesPair)
			apptest.WantCode(t, err, none)
			held.ReconnectReason = "Cofnięto dostęp."
			return held
		}
		held := hold()
		_, err := held.Update(nil)
		apptest.WantCode(t, err, none)
		held.Release() // without Commit
		if events := published(a, w); len(events) != 0 {
			t.Errorf("published %v", events)
		}
		execute(a, "ALTER TABLE webhook_deliveries RENAME TO elsewhere")
		held = hold()
		err = held.Save(nil)
		held.Release()
		if now := a.Connection(provider.PagesPair); err == nil || now.ReconnectReason != "" {
			t.Errorf("err = %v, but the change was kept: %q", err, now.ReconnectReason)
		}
		execute(a, "ALTER TABLE elsewhere RENAME TO webhook_deliveries")
	})
}
