package store

import (
	"context"

	"backend.example/services/directory/internal/directory"
)

// Polish letters, and what stands for them in a key.
const (
	polishLetters = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"
	plainLetters  = "acelnoszzacelnoszz"
)

// afterAnyText is greater than every text that begins like the one before it.
const afterAnyText = "\U0010FFFF"

// nameKey is that of migration 16. The collation orders by bytes, as SQLite does.
func (*postgresEngine) nameKey() string {
	return "left(translate(lower(name), '" + polishLetters + "', '" + plainLetters + `'), 100) COLLATE "C"`
}

// nameKey replaces one letter after the other: SQLite translates none.
func (*sqliteEngine) nameKey() string {
	key, plain := "lower(name)", []rune(plainLetters)
	for i, letter := range []rune(polishLetters) {
		key = "replace(" + key + ", '" + string(letter) + "', '" + string(plain[i]) + "')"
	}
	return "substr(" + key + ", 1, 100)"
}

// foundRow is a company of a list.
type foundRow struct {
	ID      int64
	Name    string
	Slug    string
	Status  string
	NameKey string
}

// SearchCompanies lists companies by name, from their index alone.
func (s *Store) SearchCompanies(ctx context.Context, search directory.CompanySearch) ([]directory.CompanyFound, error) {
	key := s.engine.nameKey()
	query := s.read.WithContext(ctx).Table("companies").Select("id, name, slug, status, "+key+" AS name_key").
		Where(key+" >= ?", max(search.Prefix, search.After.Key))
	if search.Prefix != "" {
		query = query.Where(key+" < ?", search.Prefix+afterAnyText)
	}
	if search.After.ID != 0 {
		query = query.Where("("+key+" > ? OR id > ?)", search.After.Key, search.After.ID)
	}
	var rows []foundRow
	if err := query.Order(key + ", id").Limit(search.Limit).Scan(&rows).Error; err != nil {
		return nil, failure("search companies", err, nil)
	}
	found := make([]directory.CompanyFound, len(rows))
	for i, row := range rows {
		found[i] = directory.CompanyFound{
			ID: row.ID, Name: row.Name, Slug: row.Slug, Active: row.Status == directory.CompanyStatusActive, Key: row.NameKey,
		}
	}
	return found, nil
}
