// Package incident distinguishes an app-wide failure of a provider from a problem of one
// company. Refusals of different people in a row, without a success in between, concern
// the operator's app: its review, its secret, an API that is switched off. While such an
// incident lasts, connections are not marked as broken.
package incident

import (
	"context"
	"database/sql"
	"log/slog"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// Kind is what a provider refuses.
type Kind string

// The kinds. Each has its own streak: renewals may work while every read is refused.
const (
	Renewal    Kind = "renewal"    // renewing a credential
	Token      Kind = "token"      // reading with an access token
	Permission Kind = "permission" // reading for lack of a permission
	App        Kind = "app"        // the app itself: one refusal is enough
)

// Subject is what refusals have in common.
type Subject struct {
	Provider provider.Name
	Service  provider.Service // empty for renewals, which concern every service
	Kind     Kind
}

// disproved selects the rows that a success disproves. A permission may be missing for a part of
// what the token reads.
func (of Subject) disproved(query *gorm.DB) *gorm.DB {
	kinds := []Kind{of.Kind}
	if of.Kind != Permission {
		kinds = append(kinds, App)
	}
	return query.Where("provider = ? AND service = ? AND kind IN ?", of.Provider, of.Service, kinds)
}

// Incident is an app-wide failure that has not ended: a row of provider_incidents.
type Incident struct {
	Subject
	Whole   bool // nothing has succeeded at the provider since, so that every refusal belongs to it
	BeganAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (Incident) TableName() string { return "provider_incidents" }

// refusal is the newest one of a connection in a streak: a row of provider_refusals.
type refusal struct {
	Subject
	ConnectionID int64
	Detail       string // of the mark; empty if there is none
	At           time.Time
}

// TableName implements gorm's schema.Tabler.
func (refusal) TableName() string { return "provider_refusals" }

// Mark is a connection that a refusal marked and that is still marked.
type Mark struct {
	CompanyID int64
	provider.Pair
	Kind   Kind
	Detail string // the reason; the service that lacks a permission
}

// streakLimit is how many people have to be refused in a row for an incident to begin.
const streakLimit = 5

// Incidents counts refusals over all replicas. It is safe for concurrent use.
type Incidents struct {
	db  *database.DB
	log *slog.Logger
}

// New returns an Incidents that stores its counts in db.
func New(db *database.DB, log *slog.Logger) *Incidents { return &Incidents{db, log} }

// Refused counts a refusal of a connection, which is about to be marked with detail. It
// reports true if the refusal belongs to an incident, so that nothing is to be marked.
func (s *Incidents) Refused(ctx context.Context, of Subject, connectionID int64, detail string) (during bool,
	err error) {
	began := false
	err = s.alone(ctx, of.Provider, func(tx *gorm.DB) error {
		var open []Incident
		if err := tx.Where("provider = ?", of.Provider).Find(&open).Error; err != nil {
			return err
		}
		own := func(other Incident) bool { return other.Subject == of }
		during = slices.ContainsFunc(open, func(other Incident) bool { return other.Whole || own(other) })
		if during {
			detail = ""
		}
		people, err := count(tx, refusal{of, connectionID, detail, database.Instant(s.db.Now())})
		if err != nil || slices.ContainsFunc(open, own) {
			return err
		}
		if people < streakLimit && of.Kind != App {
			return nil
		}
		began, during = true, true
		return tx.Create(&Incident{Subject: of, Whole: true, BeganAt: database.Instant(s.db.Now())}).Error
	})
	if err != nil {
		return false, err
	}
	if began {
		s.log.ErrorContext(ctx, "app-wide failure begins", "provider", of.Provider, "service", of.Service,
			"kind", of.Kind)
	}
	return during, nil
}

// alone runs fn in a transaction, one after the other for each provider.
func (s *Incidents) alone(ctx context.Context, p provider.Name, fn func(tx *gorm.DB) error) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := s.db.Queue(tx, "incidents "+string(p)); err != nil {
			return err
		}
		return fn(tx)
	})
}

// count stores a refusal, keeping a detail if r has none, and counts the people of the streak.
func count(tx *gorm.DB, r refusal) (people int64, err error) {
	update := []string{"at"}
	if r.Detail != "" {
		update = append(update, "detail")
	}
	err = tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "provider"}, {Name: "service"}, {Name: "kind"}, {Name: "connection_id"}},
		DoUpdates: clause.AssignmentColumns(update),
	}).Create(&r).Error
	if err != nil {
		return 0, err
	}
	err = tx.Raw(
		`SELECT COUNT(DISTINCT CASE WHEN t.provider_user_id = '' THEN CAST(t.id AS TEXT) ELSE t.provider_user_id END)
		FROM provider_refusals r JOIN oauth_tokens t ON t.id = r.connection_id
		WHERE r.provider = ? AND r.service = ? AND r.kind = ?`, r.Provider, r.Service, r.Kind).Scan(&people).Error
	return people, err
}

// Succeeded ends the streaks and the incidents of a service that a success disproves. A
// read with a token shows that the provider is not closed as a whole: other incidents
// concern their services alone from then on. unmark is called before an incident ends.
func (s *Incidents) Succeeded(ctx context.Context, of Subject, unmark func()) error {
	var known bool // whether anything is stored about the provider, which is rare
	err := s.db.Read(ctx).Table("provider_refusals").Raw(
		`SELECT EXISTS (SELECT 1 FROM provider_refusals WHERE provider = @name)
		OR EXISTS (SELECT 1 FROM provider_incidents WHERE provider = @name)`, sql.Named("name", of.Provider)).
		Scan(&known).Error
	if err != nil || !known {
		return err
	}
	var ended []Incident
	if err := of.disproved(s.db.Read(ctx)).Find(&ended).Error; err != nil {
		return err
	}
	if len(ended) > 0 {
		unmark()
	}
	err = s.alone(ctx, of.Provider, func(tx *gorm.DB) error {
		if err := of.disproved(tx).Delete(&refusal{}).Error; err != nil {
			return err
		}
		if err := of.disproved(tx).Delete(&Incident{}).Error; err != nil || of.Kind == Renewal {
			return err
		}
		return tx.Model(&Incident{}).Where("provider = ? AND whole", of.Provider).UpdateColumn("whole", false).Error
	})
	if err != nil {
		return err
	}
	for _, i := range ended {
		s.log.InfoContext(ctx, "app-wide failure ends", "provider", i.Provider, "service", i.Service, "kind",
			i.Kind, "began", i.BeganAt)
	}
	return nil
}

// Open reports whether there is an incident of a provider.
func (s *Incidents) Open(ctx context.Context, p provider.Name) (bool, error) {
	var n int64
	err := s.db.Read(ctx).Model(&Incident{}).Where("provider = ?", p).Count(&n).Error
	return n > 0, err
}

// List lists the incidents.
func (s *Incidents) List(ctx context.Context) (list []Incident, err error) {
	err = s.db.Read(ctx).Order("provider, service, kind").Find(&list).Error
	return list, err
}

const marked = `SELECT DISTINCT t.company_id, t.provider, t.service, r.kind, r.detail
	FROM provider_refusals r
	JOIN provider_incidents i ON i.provider = r.provider AND (i.whole OR i.service = r.service AND i.kind = r.kind)
	JOIN oauth_tokens t ON t.id = r.connection_id
	WHERE r.provider = ? AND r.detail <> '' AND t.is_active AND
		CASE WHEN r.kind = ? THEN COALESCE(t.metadata_json ->> 'denied', '') LIKE '%"' || r.detail || '"%'
			ELSE t.reconnect_reason = r.detail END
	ORDER BY t.company_id, t.provider, t.service`

// Marked lists the connections that the refusals before the incidents of a provider marked and that
// are still marked.
func (s *Incidents) Marked(ctx context.Context, p provider.Name) (list []Mark, err error) {
	err = s.db.Read(ctx).Table("provider_refusals").Raw(marked, p, Permission).Scan(&list).Error
	return list, err
}
