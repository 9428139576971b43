package incident

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// refusal is a row of provider_refusals.
type refusal struct {
	Subject
	ConnectionID int64
	Detail       string // of the mark; empty if there is none
	Counted      bool   // for an earlier pause of the incident
	At           time.Time
}

// TableName implements gorm's schema.Tabler.
func (refusal) TableName() string { return "provider_refusals" }

// transaction changes the counts of one provider.
type transaction struct{ *gorm.DB }

// alone runs fn in a transaction, one at a time for each provider.
func (s *Incidents) alone(ctx context.Context, p provider.Name, fn func(transaction) error) error {
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := s.db.Queue(tx, "incidents "+string(p)); err != nil {
			return err
		}
		return fn(transaction{tx})
	})
}

func (of Subject) rows(query *gorm.DB) *gorm.DB {
	return query.Where("provider = ? AND service = ? AND kind = ?", of.Provider, of.Service, of.Kind)
}

func (of Subject) disproved(query *gorm.DB) *gorm.DB {
	return query.Where("provider = ? AND service = ? AND kind IN ?", of.Provider, of.Service, of.Kind.kinds())
}

func (tx transaction) find(of Subject) (i Incident, found bool, err error) {
	result := of.rows(tx.DB).Limit(1).Find(&i)
	return i, result.RowsAffected > 0, result.Error
}

// whole reports whether an incident concerns the provider as a whole.
func (tx transaction) whole(p provider.Name) (bool, error) {
	var n int64
	err := tx.Model(&Incident{}).Where("provider = ? AND whole", p).Count(&n).Error
	return n > 0, err
}

// count stores a refusal, and counts the people of the streak.
func (tx transaction) count(of Subject, connectionID int64, detail string, now time.Time) (people int64, err error) {
	update := []string{"counted", "at"}
	if detail != "" {
		update = append(update, "detail")
	}
	err = tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "provider"}, {Name: "service"}, {Name: "kind"}, {Name: "connection_id"}},
		DoUpdates: clause.AssignmentColumns(update),
	}).Create(&refusal{Subject: of, ConnectionID: connectionID, Detail: detail, At: database.Instant(now)}).Error
	if err != nil {
		return 0, err
	}
	err = tx.Raw(
		`SELECT COUNT(DISTINCT CASE WHEN t.provider_user_id = '' THEN CAST(t.id AS TEXT) ELSE t.provider_user_id END)
		FROM provider_refusals r JOIN oauth_tokens t ON t.id = r.connection_id
		WHERE r.provider = ? AND r.service = ? AND r.kind = ? AND NOT r.counted`, of.Provider, of.Service, of.Kind).
		Scan(&people).Error
	return people, err
}

// save stores an incident whose streak was counted.
func (tx transaction) save(i Incident) error {
	i.BeganAt, i.PausedUntil = database.Instant(i.BeganAt), database.Instant(i.PausedUntil)
	err := tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "provider"}, {Name: "service"}, {Name: "kind"}},
		DoUpdates: clause.AssignmentColumns([]string{"paused_until", "paused_seconds"}),
	}).Create(&i).Error
	if err != nil {
		return err
	}
	return i.rows(tx.Model(&refusal{})).UpdateColumn("counted", true).Error
}

// end deletes what a success disproves.
func (tx transaction) end(of Subject) error {
	if err := of.disproved(tx.DB).Delete(&refusal{}).Error; err != nil {
		return err
	}
	if err := of.disproved(tx.DB).Delete(&Incident{}).Error; err != nil || of.Kind == Renewal {
		return err
	}
	return tx.Model(&Incident{}).Where("provider = ? AND whole", of.Provider).UpdateColumn("whole", false).Error
}

// known reports whether anything is stored about a provider, which is rare.
func (s *Incidents) known(ctx context.Context, p provider.Name) (found bool, err error) {
	err = s.db.Raw(ctx, "provider_refusals", `SELECT EXISTS (SELECT 1 FROM provider_refusals WHERE provider = ?)
		OR EXISTS (SELECT 1 FROM provider_incidents WHERE provider = ?)`, p, p).Scan(&found).Error
	return found, err
}

func (s *Incidents) disproved(ctx context.Context, of Subject) (list []Incident, err error) {
	err = of.disproved(s.db.Read(ctx)).Find(&list).Error
	return list, err
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

// marked selects what the refusals before an incident marked, if it is still marked.
const marked = `SELECT DISTINCT t.company_id, t.provider, t.service, r.kind, r.detail
	FROM provider_refusals r
	JOIN provider_incidents i ON i.provider = r.provider AND (i.whole OR i.service = r.service AND i.kind = r.kind)
	JOIN oauth_tokens t ON t.id = r.connection_id
	WHERE r.provider = ? AND r.detail <> '' AND t.is_active AND
		CASE WHEN r.kind = ? THEN COALESCE(t.metadata_json ->> 'denied', '') LIKE '%"' || r.detail || '"%'
			ELSE t.reconnect_reason = r.detail END
	ORDER BY t.company_id, t.provider, t.service`

// Marked lists the connections that were marked before the incidents of a provider began,
// by their streaks.
func (s *Incidents) Marked(ctx context.Context, p provider.Name) (list []Mark, err error) {
	err = s.db.Raw(ctx, "provider_refusals", marked, p, Permission).Scan(&list).Error
	return list, err
}
