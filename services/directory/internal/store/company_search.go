package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"backend.example/services/directory/internal/directory"
)

// Polish letters, and what stands for them in a key of a name, which has so many
// characters. The index companies_by_name contains such keys.
const (
	polishLetters = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"
	plainLetters  = "acelnoszzacelnoszz"
	nameKeyLength = 100
)

// afterAnyText is greater than every text that begins like the one before it.
const afterAnyText = "\U0010FFFF"

// nameKey is the expression of the index of companies by name. It orders by bytes.
// SQLite has no translate, so it replaces one letter after the other.
func (s *Store) nameKey() string {
	if s.IsPostgres() {
		return fmt.Sprintf(`left(translate(lower(name), '%s', '%s'), %d) COLLATE "C"`,
			polishLetters, plainLetters, nameKeyLength)
	}
	key, plain := "lower(name)", []rune(plainLetters)
	for i, letter := range []rune(polishLetters) {
		key = "replace(" + key + ", '" + string(letter) + "', '" + string(plain[i]) + "')"
	}
	return fmt.Sprintf("substr(%s, 1, %d)", key, nameKeyLength)
}

// nameKeyOf is what the keys of names begin with when the names begin with text.
func nameKeyOf(text string) string {
	key := []rune(strings.Map(func(letter rune) rune {
		if i := slices.Index([]rune(polishLetters), letter); i >= 0 {
			return rune(plainLetters[i])
		}
		return letter
	}, strings.ToLower(strings.TrimSpace(text))))
	return string(key[:min(len(key), nameKeyLength)])
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
	key, prefix := s.nameKey(), nameKeyOf(search.Prefix)
	query := s.Read(ctx).Table("companies").Select("id, name, slug, status, "+key+" AS name_key").
		Where(key+" >= ?", max(prefix, search.After.Key))
	if prefix != "" {
		query = query.Where(key+" < ?", prefix+afterAnyText)
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
