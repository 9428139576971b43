package erasure

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
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
	err = s.grants(ctx).Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.ID, p.Provider).Find(&keys).Error
	return keys, err
}

// persons lists who granted the connections, each once.
func (s *Service) persons(ctx context.Context) (persons []Person, err error) {
	err = s.Store.Read(ctx).Table("oauth_tokens").Distinct("provider", "provider_user_id AS id").
		Where("provider_user_id <> ''").Find(&persons).Error
	return persons, err
}

// Deletion is a request to delete a person's data that was carried out: a row of
// data_deletions, which does not say whose data they were.
type Deletion struct {
	Code        string // by which the person asks for its state
	RequestedAt time.Time
	DeletedAt   time.Time
}

// TableName implements gorm's schema.Tabler.
func (Deletion) TableName() string { return "data_deletions" }

// SaveDeletion stores a deletion, unless it is stored already.
func (s *Service) SaveDeletion(ctx context.Context, d Deletion) error {
	d.RequestedAt, d.DeletedAt = database.Instant(d.RequestedAt), database.Instant(d.DeletedAt)
	return s.Store.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&d).Error
}

// Deletion returns the deletion of a code, or the fault no_deletion.
func (s *Service) Deletion(ctx context.Context, code string) (d Deletion, err error) {
	err = s.Store.Read(ctx).Where("code = ?", code).Take(&d).Error
	d.RequestedAt, d.DeletedAt = d.RequestedAt.UTC(), d.DeletedAt.UTC()
	return d, database.NotFound(err, CodeNoDeletion)
}

// Export calls each with all that is kept of a company, without secrets, as it is at one
// moment, section by section. The fault is company_not_found.
func Export(ctx context.Context, s *store.Store, companyID int64, each func(Row) error) error {
	if _, err := s.Companies().ByID(ctx, companyID); err != nil {
		return err
	}
	err := s.Snapshot(ctx, func(tx *gorm.DB) error {
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
	names := make([]string, len(marked))
	for i, column := range marked {
		names[i] = strings.TrimRight(column, "*?")
	}
	// The statement is made of the names above.
	statement := fmt.Sprintf("SELECT %s FROM %s WHERE %s = ? ORDER BY %s", strings.Join(names, ", "), e.table, e.key, names[0])
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
