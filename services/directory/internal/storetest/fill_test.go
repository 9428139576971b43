package storetest_test

import (
	"context"
	"testing"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// Secrets of fill; none of them may be found in a database.
var secrets = []string{"plain-access", "plain-refresh", "plain-user", "plain-page", "plain-session", "plain-webhook", "plain-old-webhook", sessionID, limited}

const (
	sessionID = "plain-session-id"
	limited   = "plain-address" // who uses a limit
)

// marker is what fill writes beside them in the clear.
const marker = "plain-account-name"

// fill puts a row into every table.
func fill(t *testing.T, s *storetest.Store) connection.Connection {
	t.Helper()
	ctx := t.Context()
	u := storetest.AddUser(t, s, "filled")
	c := connection.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: pages, AccessToken: secrets[0], RefreshToken: secrets[1],
		UserAccessToken: secrets[2], AccountName: marker,
	}
	ok(t, s.Save(ctx, &c, nil, storetest.Entry(c, "connect")))
	config := social.Config{Platform: social.Platform, CompanyID: c.CompanyID, AccessToken: secrets[3], UpdatedBy: u.ID}
	must(s.SelectPage(ctx, c.CompanyID, c.Pair, func(*connection.Connection) error { return nil }, storetest.Entry(c, "select_page"), func(tx *gorm.DB) error {
		return social.SaveConfig(tx, s.DB, config)
	}))(t)
	ok(t, s.Sessions().Insert(ctx, account.Session{IDHash: hash(sessionID), UserID: &u.ID, Values: []byte(secrets[4])}))
	ok(t, history.Save(ctx, s.DB, storetest.Reading(c.CompanyID, databasetest.Time)))
	hook := webhook.Webhook{CompanyID: &c.CompanyID, URL: "https://hook.example"}
	hook.Secret = s.Seal(secrets[5], database.PlaceOf("webhooks", "secret", hook.CompanyID, hook.URL))
	hook.OldSecret = s.Seal(secrets[6], database.PlaceOf("webhooks", "old_secret", hook.CompanyID, hook.URL))
	ok(t, s.Write(ctx).Create(&hook).Error)
	ok(t, audits(s).SaveProfile(ctx, c.CompanyID, &audit.Profile{}))
	ok(t, audits(s).Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor", TriggeredBy: &u.ID}))
	ok(t, limit.New(s.DB).Take(ctx, databasetest.Time, audit.CodeLimit, limit.Limit{Kind: "audit", Subject: limited, Max: 1}))
	return c
}

func TestTextThatCannotBeKept(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		for _, text := range []string{"nul \x00", "not \xc5 UTF-8"} {
			withText := c
			withText.AccountName = text
			_, lockErr := s.Change(ctx, c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
				c.AccountName = text
				return nil, nil
			})
			for call, err := range map[string]error{
				"CreateCompany": s.Companies().Create(ctx, &company.Company{Slug: text}),
				"CreateUser":    s.Users().Add(ctx, &account.User{Email: "e@example.test", Name: text, Role: account.Member}, trail.Entry{}),
				"SetPlaceID":    s.SetPlaceID(ctx, c.CompanyID, text),
				"Save":          s.Save(ctx, &withText, nil, storetest.Entry(c, "connect")),
				"Change":        lockErr,
				"SaveProfile":   audits(s).SaveProfile(ctx, c.CompanyID, &audit.Profile{Business: google.Business{PlaceID: text}}),
				"SaveAudit":     audits(s).Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor", PlaceID: text}),
				"Record":        s.Record(ctx, trail.Entry{CompanyID: c.CompanyID, Detail: text}),
			} {
				if f := fault.From(err); err == nil || f.Kind != fault.Invalid || f.Code != "invalid_text" {
					t.Errorf("%s of %q: %v", call, text, err)
				}
			}
			wantFault(t, errorOf(s.CompanyBySlug(ctx, text)), fault.NotFound, "company_not_found")
			wantFault(t, errorOf(s.UserByEmail(ctx, text)), fault.NotFound, "no_user")
		}
	})
}
