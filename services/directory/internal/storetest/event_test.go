package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// subscribe adds a webhook for a company; nil subscribes to all.
func subscribe(t *testing.T, s *storetest.Store, companyID *int64) webhook.Webhook {
	t.Helper()
	w := webhook.Webhook{CompanyID: companyID, URL: "https://hook.example/a"}
	ok(t, s.Write(t.Context()).Create(&w).Error)
	return w
}

// published lists the deliveries of a webhook, oldest first, and their types.
func published(t *testing.T, s *storetest.Store, w webhook.Webhook) (deliveries []webhook.Delivery, types []string) {
	t.Helper()
	ok(t, s.Read(t.Context()).Where("webhook_id = ?", w.ID).Order("id").Find(&deliveries).Error)
	types = []string{}
	for _, d := range deliveries {
		types = append(types, d.Type)
	}
	return deliveries, types
}

func TestConnectionEvents(t *testing.T) {
	lost := func(c *connection.Connection) { c.ReconnectReason = "Cofnięto dostęp." }
	other := func(c *connection.Connection) { c.ReconnectReason = "Zmieniono hasło." }
	denied := func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} }
	mended := func(c *connection.Connection) { c.ReconnectReason, c.Denied = "", nil }
	renewed := func(c *connection.Connection) { c.AccessToken += "+" }
	disconnected := func(c *connection.Connection) { c.Active, c.ReconnectReason, c.Denied = false, "", nil }
	ended := func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Dostawca zakończył dostęp." }
	const broken, recovered = connection.EventBroken, connection.EventRecovered
	for name, test := range map[string]struct {
		changes   []func(*connection.Connection)
		reconnect bool // at the end
		want      []string
	}{
		"renewed":                        {changes: []func(*connection.Connection){renewed, renewed}, reconnect: true, want: []string{}},
		"lost twice is published once":   {changes: []func(*connection.Connection){lost, renewed, other}, want: []string{broken}},
		"lost and mended":                {changes: []func(*connection.Connection){lost, mended, renewed}, want: []string{broken, recovered}},
		"a permission and its return":    {changes: []func(*connection.Connection){denied, mended}, want: []string{broken, recovered}},
		"lost and connected again":       {changes: []func(*connection.Connection){lost}, reconnect: true, want: []string{broken, recovered}},
		"disconnected by its own people": {changes: []func(*connection.Connection){disconnected}, reconnect: true, want: []string{}},
		"disconnected while broken":      {changes: []func(*connection.Connection){lost, disconnected}, want: []string{broken}},
		"the same, and connected again":  {changes: []func(*connection.Connection){lost, disconnected}, reconnect: true, want: []string{broken, recovered}},
		"ended by the provider":          {changes: []func(*connection.Connection){ended}, reconnect: true, want: []string{broken, recovered}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, db storetest.Database) {
				c := storetest.AddConnection(t, db.Store, "a", pages)
				own, all := subscribe(t, db.Store, &c.CompanyID), subscribe(t, db.Store, nil)
				stranger := subscribe(t, db.Store, new(storetest.AddCompany(t, db.Store, "b").ID))
				for _, edit := range test.changes {
					change(t, db.Store, c, edit)
				}
				if test.reconnect {
					ok(t, db.Store.Save(t.Context(), new(c), nil, storetest.Entry(c, "connect")))
				}
				for w, want := range map[webhook.Webhook][]string{own: test.want, all: test.want, stranger: {}} {
					_, types := published(t, db.Store, w)
					requireEqual(t, "events", want, types)
				}
			})
		})
	}
}

// TestEventsAreOfTheTransaction: neither is the change kept without its event, nor the
// event without the change.
func TestEventsAreOfTheTransaction(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		w := subscribe(t, db.Store, nil)
		fails := errors.New("no")
		_, err := db.Store.SelectPage(t.Context(), c.CompanyID, c.Pair, func(c *connection.Connection) error {
			c.ReconnectReason = "Cofnięto dostęp."
			return nil
		}, storetest.Entry(c, "select_page"), func(*gorm.DB) error { return fails })
		if err == nil {
			t.Error("a configuration that cannot be kept was kept")
		}
		_, err = db.Store.Change(t.Context(), c.CompanyID, c.Pair, func(context.Context, *connection.Connection) (*trail.Entry, error) {
			return nil, fails
		})
		if _, types := published(t, db.Store, w); !errors.Is(err, fails) || len(types) != 0 {
			t.Errorf("err = %v, published %v", err, types)
		}
		execute(t, db.Raw(t), "ALTER TABLE webhook_deliveries RENAME TO elsewhere")
		_, err = db.Store.Change(t.Context(), c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.ReconnectReason = "Cofnięto dostęp."
			return nil, nil
		})
		if now := must(db.Store.Find(t.Context(), c.CompanyID, c.Pair))(t); err == nil || now.ReconnectReason != "" {
			t.Errorf("err = %v, but the change was kept: %q", err, now.ReconnectReason)
		}
		execute(t, db.Raw(t), "ALTER TABLE elsewhere RENAME TO webhook_deliveries")
	})
}

func TestEventsAsStored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", pages)
		w := subscribe(t, db.Store, &c.CompanyID)
		change(t, db.Store, c, func(c *connection.Connection) { c.ReconnectReason = "Cofnięto dostęp." })
		kept := audit.Audit{
			CompanyID: c.CompanyID, At: databasetest.Time, Score: 62.5, Category: "needs_work", Source: audit.FromPlace, Version: "1.0",
			Fields: map[audit.Field]audit.FieldStatus{
				audit.FieldName: {Status: audit.StatusComplete, MaxScore: 10}, audit.FieldPhone: {Status: audit.StatusUnknown, MaxScore: 30},
			},
		}
		ok(t, audits(db.Store).Save(t.Context(), &kept))
		deliveries, types := published(t, db.Store, w)
		requireEqual(t, "types", []string{"connection.broken", "audit.completed"}, types)
		for i, want := range []string{
			`{"company_id":%d,"provider":"provider_social","service":"social_pages","reason":"Cofnięto dostęp."}`,
			`{"company_id":%d,"audit_id":1,"completeness_score":62.5,"score_category":"needs_work","coverage":25,"audit_source":"places","audit_version":"1.0"}`,
		} {
			requireEqual(t, "data", fmt.Sprintf(want, c.CompanyID), deliveries[i].Data)
		}
	})
}
