package erasure

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// key identifies a connection.
type key struct {
	CompanyID int64
	provider.Pair
}

func (s *Service) grants(ctx context.Context) *gorm.DB {
	return s.Store.Read(ctx).Table("oauth_tokens").Select("company_id", "provider", "service")
}

// grantedByUser lists the connections that a user made, with those that live on the same
// grants.
func (s *Service) grantedByUser(ctx context.Context, userID int64) (keys []key, err error) {
	err = s.grants(ctx).Where("user_id = ? OR provider_user_id <> '' AND (provider, provider_user_id) IN "+
		"(SELECT provider, provider_user_id FROM oauth_tokens WHERE user_id = ?)", userID, userID).Find(&keys).Error
	return keys, err
}

// grantedByPerson lists the connections that live on the grants of a person.
func (s *Service) grantedByPerson(ctx context.Context, p Person) (keys []key, err error) {
	err = s.grants(ctx).Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.ID, p.Provider).
		Find(&keys).Error
	return keys, err
}

// persons lists who granted the connections, each once.
func (s *Service) persons(ctx context.Context) (persons []Person, err error) {
	err = s.Store.Read(ctx).Table("oauth_tokens").Distinct("provider", "provider_user_id AS id").
		Where("provider_user_id <> ''").Find(&persons).Error
	return persons, err
}

// readThrough are the services whose readings may come from the connection of a pair.
var readThrough = map[provider.Pair][]provider.Service{
	provider.PagesPair: {provider.SocialPages, provider.SocialPhotos}, provider.PhotosPair: {provider.SocialPhotos},
}

// deleteRead deletes what was read at Meta through connections that were granted until a
// time: readings with all that they quote, and the names and numbers of pages. It comes
// before the connections end, so that an interrupted erasure finds them again.
func (s *Service) deleteRead(ctx context.Context, keys []key, until time.Time) error {
	for _, k := range keys {
		c, err := s.Store.Find(ctx, k.CompanyID, k.Pair)
		if err != nil {
			return err
		}
		services := readThrough[k.Pair]
		if len(services) == 0 || c.ConnectedAt.After(until) {
			continue
		}
		err = s.Store.Transaction(ctx, func(tx *gorm.DB) error {
			for _, statement := range []string{
				"DELETE FROM social_statistics WHERE company_id = ? AND service IN ?",
				"DELETE FROM social_statistics_history WHERE company_id = ? AND service IN ?",
				"DELETE FROM social_media_configs WHERE company_id = ? AND platform IN ?",
				"UPDATE audit_trail SET detail = '' WHERE company_id = ? AND service IN ? AND detail <> '' AND " +
					"action IN ('select_page', 'lose_page')",
			} {
				if err := tx.Exec(statement, k.CompanyID, services).Error; err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Deletion is a request to delete a person's data that was carried out: a row of
// data_deletions, which does not say whose data they were.
type Deletion struct {
	Code        string // by which the person asks for its state
	RequestedAt time.Time
	DeletedAt   time.Time // zero while it is not carried out
}

// TableName implements gorm's schema.Tabler.
func (Deletion) TableName() string { return "data_deletions" }

// pendingDeletion is a row of pending_deletions: a request that is not carried out yet.
type pendingDeletion struct {
	Code        string `gorm:"primaryKey"`
	Provider    provider.Name
	PersonID    string
	RequestID   string
	RequestedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (pendingDeletion) TableName() string { return "pending_deletions" }

// savePending stores a request with its job, unless it is stored already.
func (s *Service) savePending(ctx context.Context, p pendingDeletion) error {
	p.RequestedAt = database.Instant(p.RequestedAt)
	return s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&p).Error; err != nil {
			return err
		}
		return jobs.New(s.Store.DB).Insert(tx, jobs.Deletions{})
	})
}

func (s *Service) pendingDeletions(ctx context.Context) (all []pendingDeletion, err error) {
	err = s.Store.Read(ctx).Order("requested_at").Find(&all).Error
	return all, err
}

// finish stores that p was carried out, without the person, and requests a purge.
func (s *Service) finish(ctx context.Context, p pendingDeletion) error {
	return s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		d := Deletion{Code: p.Code, RequestedAt: database.Instant(p.RequestedAt), DeletedAt: s.Store.At(s.Now())}
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&d).Error; err != nil {
			return err
		}
		if err := tx.Delete(&p).Error; err != nil {
			return err
		}
		return s.storePurge(tx)
	})
}

// Deletion returns the deletion of a code, or the fault no_deletion.
func (s *Service) Deletion(ctx context.Context, code string) (d Deletion, err error) {
	var p pendingDeletion
	if err = s.Store.Read(ctx).Where("code = ?", code).Take(&p).Error; err == nil {
		return Deletion{Code: code, RequestedAt: p.RequestedAt.UTC()}, nil
	}
	if err = database.NotFound(err, CodeNoDeletion); !fault.Is(err, CodeNoDeletion) {
		return d, err
	}
	err = s.Store.Read(ctx).Where("code = ?", code).Take(&d).Error
	d.RequestedAt, d.DeletedAt = d.RequestedAt.UTC(), d.DeletedAt.UTC()
	return d, database.NotFound(err, CodeNoDeletion)
}

// Export calls each with all that is kept of a company, without secrets, as it is at one
// moment, section by section. The fault is company_not_found.
func Export(ctx context.Context, db *database.DB, companyID int64, each func(Row) error) error {
	if _, err := company.New(db).ByID(ctx, companyID); err != nil {
		return err
	}
	err := db.Snapshot(ctx, func(tx *gorm.DB) error {
		for _, section := range exportSections {
			if err := section.read(tx, companyID, each); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func (e exported) read(tx *gorm.DB, companyID int64, each func(Row) error) error {
	marked := strings.Fields(e.columns)
	names, values := make([]string, len(marked)), make([]string, len(marked))
	for i, column := range marked {
		names[i] = strings.TrimRight(column, "*?")
		values[i] = names[i]
		if document, member, inJSON := strings.Cut(names[i], "."); inJSON {
			names[i], values[i] = member, document+" ->> '"+member+"'"
		}
	}
	// The statement is made of the names above.
	statement := fmt.Sprintf("SELECT %s FROM %s WHERE %s = ? ORDER BY %s", strings.Join(values, ", "), e.table, e.key,
		names[0])
	rows, err := tx.Raw(statement, companyID).Rows()
	if err != nil {
		return err
	}
	return database.EachRow(rows, len(names), func(values []any) error {
		for i, column := range marked {
			values[i] = exportedValue(column, values[i])
		}
		return each(Row{Section: e.section, Names: names, Values: values})
	})
}

// DeleteUser deletes a user with the sessions. The faults are no_user, and
// user_connected while a connection names the user.
func DeleteUser(ctx context.Context, db *database.DB, id int64, e trail.Entry) error {
	err := db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("user_id = ?", id).Delete(&account.Session{}).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&account.User{})
		if err := database.Changed(result, account.CodeNoUser); err != nil {
			return err
		}
		return trail.Record(tx, e)
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return CodeUserConnected.Wrap(err)
	}
	return err
}

// DeleteCompany deletes a company with all that is its own; its users stay, without
// a company. The fault is company_not_found.
func DeleteCompany(ctx context.Context, db *database.DB, id int64, e trail.Entry) error {
	return db.Transaction(ctx, func(tx *gorm.DB) error {
		users := map[string]any{"company_id": nil, "updated_at": db.At(e.At)}
		if err := tx.Model(&account.User{}).Where("company_id = ?", id).Updates(users).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", id).Delete(&company.Company{})
		if err := database.Changed(result, company.CodeNotFound); err != nil {
			return err
		}
		// They may name its page, or its location.
		lines := tx.Model(&trail.Entry{}).Where("company_id = ? AND detail <> ''", id)
		if err := lines.UpdateColumn("detail", "").Error; err != nil {
			return err
		}
		return trail.Record(tx, e)
	})
}
