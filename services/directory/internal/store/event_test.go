package store_test

import (
	"context"
	"errors"
	"testing"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"gorm.io/gorm"
)

// hear adds a webhook for a company; nil: for every one.
func hear(t *testing.T, s *store.Store, companyID *int64) directory.Webhook {
	t.Helper()
	w := directory.Webhook{CompanyID: companyID, URL: "https://hook.example/a", Secret: "whsec_YQ=="}
	ok(t, s.AddWebhook(t.Context(), &w, directory.Entry{}))
	return w
}

// told lists the types of a webhook's events, oldest first.
func told(t *testing.T, s *store.Store, w directory.Webhook) []directory.EventType {
	t.Helper()
	types := []directory.EventType{}
	for _, d := range must(s.Deliveries(t.Context(), w.ID, 99))(t) {
		types = append([]directory.EventType{d.Event.Type}, types...)
	}
	return types
}

func TestConnectionEvents(t *testing.T) {
	lost := func(c *directory.Connection) { c.ReconnectReason = "Cofnięto dostęp." }
	other := func(c *directory.Connection) { c.ReconnectReason = "Zmieniono hasło." }
	denied := func(c *directory.Connection) { c.Denied = []directory.Service{directory.SocialPages} }
	mended := func(c *directory.Connection) { c.ReconnectReason, c.Denied = "", nil }
	renewed := func(c *directory.Connection) { c.AccessToken += "+" }
	disconnected := func(c *directory.Connection) { c.Active, c.ReconnectReason, c.Denied = false, "", nil }
	ended := func(c *directory.Connection) { c.Active, c.ReconnectReason = false, "Dostawca zakończył dostęp." }
	const broken, recovered = directory.EventBroken, directory.EventRecovered
	for name, test := range map[string]struct {
		changes   []func(*directory.Connection)
		reconnect bool // at the end
		want      []directory.EventType
	}{
		"renewed":                        {changes: []func(*directory.Connection){renewed, renewed}, reconnect: true, want: []directory.EventType{}},
		"lost twice is told once":        {changes: []func(*directory.Connection){lost, renewed, other}, want: []directory.EventType{broken}},
		"lost and mended":                {changes: []func(*directory.Connection){lost, mended, renewed}, want: []directory.EventType{broken, recovered}},
		"a permission and its return":    {changes: []func(*directory.Connection){denied, mended}, want: []directory.EventType{broken, recovered}},
		"lost and connected anew":        {changes: []func(*directory.Connection){lost}, reconnect: true, want: []directory.EventType{broken, recovered}},
		"disconnected by its own people": {changes: []func(*directory.Connection){disconnected}, reconnect: true, want: []directory.EventType{}},
		"disconnected while broken":      {changes: []func(*directory.Connection){lost, disconnected}, want: []directory.EventType{broken}},
		"the same, and connected anew":   {changes: []func(*directory.Connection){lost, disconnected}, reconnect: true, want: []directory.EventType{broken, recovered}},
		"ended by the provider":          {changes: []func(*directory.Connection){ended}, reconnect: true, want: []directory.EventType{broken, recovered}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, db storetest.Database) {
				c := storetest.AddConnection(t, db.Store, "a", pages)
				own, all := hear(t, db.Store, &c.CompanyID), hear(t, db.Store, nil)
				stranger := hear(t, db.Store, new(storetest.AddCompany(t, db.Store, "b").ID))
				for _, edit := range test.changes {
					change(t, db.Store, c, edit)
				}
				if test.reconnect {
					ok(t, db.Store.SaveConnection(t.Context(), new(c), nil, storetest.Entry(c, "connect")))
				}
				requireEqual(t, "told to the company", test.want, told(t, db.Store, own))
				requireEqual(t, "told to who hears of all", test.want, told(t, db.Store, all))
				requireEqual(t, "told to another company", []directory.EventType{}, told(t, db.Store, stranger))
			})
		})
	}
}

// TestEventsAreOfTheTransaction: neither is the change kept without its event, nor the
// event without the change.
func TestEventsAreOfTheTransaction(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		w := hear(t, db.Store, nil)
		fails := errors.New("no")
		_, err := db.Store.SelectPage(t.Context(), c.CompanyID, c.Pair, func(c *directory.Connection) error {
			c.ReconnectReason = "Cofnięto dostęp."
			return nil
		}, storetest.Entry(c, "select_page"), func(*gorm.DB) error { return fails })
		if err == nil {
			t.Error("a configuration that cannot be kept was kept")
		}
		_, err = db.Store.LockConnection(t.Context(), c.CompanyID, c.Pair, func(context.Context, *directory.Connection) (*directory.Entry, error) {
			return nil, fails
		})
		if !errors.Is(err, fails) || len(told(t, db.Store, w)) != 0 {
			t.Errorf("err = %v, told %v", err, told(t, db.Store, w))
		}
		execute(t, db.Raw(t), "ALTER TABLE webhook_deliveries RENAME TO elsewhere")
		_, err = db.Store.LockConnection(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *directory.Connection) (*directory.Entry, error) {
			c.ReconnectReason = "Cofnięto dostęp."
			return nil, nil
		})
		if now := must(db.Store.Connection(t.Context(), c.CompanyID, c.Pair))(t); err == nil || now.ReconnectReason != "" {
			t.Errorf("err = %v, but the change was kept: %q", err, now.ReconnectReason)
		}
		execute(t, db.Raw(t), "ALTER TABLE elsewhere RENAME TO webhook_deliveries")
	})
}

func TestEventsAsStored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		w := hear(t, db.Store, &c.CompanyID)
		change(t, db.Store, c, func(c *directory.Connection) { c.ReconnectReason = "Cofnięto dostęp." })
		kept := audit.Audit{
			CompanyID: c.CompanyID, At: databasetest.Time, Score: 62.5, Category: "needs_work", Source: audit.FromPlace, Version: "1.0",
			Fields: map[audit.Field]audit.FieldStatus{
				audit.FieldName: {Status: audit.StatusComplete, MaxScore: 10}, audit.FieldPhone: {Status: audit.StatusUnknown, MaxScore: 30},
			},
		}
		ok(t, audits(db.Store).Save(t.Context(), &kept))
		deliveries := must(db.Store.Deliveries(t.Context(), w.ID, 9))(t)
		if len(deliveries) != 2 || deliveries[0].Event.ID == deliveries[1].Event.ID || len(deliveries[0].Event.ID) < 20 {
			t.Fatalf("%+v", deliveries)
		}
		for i := range deliveries {
			deliveries[i].Event.ID = ""
		}
		requireEqual(t, "of the audit", directory.Event{
			Type: directory.EventAudit, At: storetest.Kept(databasetest.Time), CompanyID: c.CompanyID,
			Audit: &directory.AuditSummary{ID: kept.ID, Score: 62.5, Category: "needs_work", Coverage: 25, Source: "places", Version: "1.0"},
		}, deliveries[0].Event)
		deliveries[1].Event.At = databasetest.Time
		requireEqual(t, "of the connection", directory.Event{
			Type: directory.EventBroken, At: databasetest.Time, CompanyID: c.CompanyID, Pair: pages, Reason: "Cofnięto dostęp.",
		}, deliveries[1].Event)
	})
}
