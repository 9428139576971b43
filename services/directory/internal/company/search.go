package company

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/fault"
)

// Polish letters, and the letters that replace them in the key of a name, which has at
// most nameKeyLength characters. The index companies_by_name contains these keys.
const (
	polishLetters = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ"
	plainLetters  = "acelnoszzacelnoszz"
	nameKeyLength = 100
)

// afterAnyText is greater than every text with the same beginning.
const afterAnyText = "\U0010FFFF"

// Found is a company as a list shows it.
type Found struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Slug   string `json:"slug"`
	Status string `json:"status"`
	Key    string `json:"-"` // of its name, in the order of the list
}

// Active reports whether the audit routes can see the company.
func (f Found) Active() bool { return f.Status == StatusActive }

// Position is where a list continues: after the company with that key and id.
type Position struct {
	Key string
	ID  int64 // 0: from the beginning
}

const pageLength = 25

// Search lists a page of the companies whose name begins with text, or whose slug it is, by name. more
// reports whether there is another page.
func (s *Companies) Search(ctx context.Context, text string, after Position) (found []Found, more bool, err error) {
	found, err = s.byName(ctx, text, after, pageLength+1, "")
	if err != nil {
		return nil, false, err
	}
	if more = len(found) > pageLength; more {
		found = found[:pageLength]
	}
	if slug := strings.TrimSpace(text); after.ID == 0 && CheckSlug(slug) == nil {
		found, err = s.withSlug(ctx, found, slug)
	}
	return found, more, err
}

const shortestName = 2 // characters that SearchActive needs to search by name

// SearchActive returns the active company with the slug text, or up to 10 whose name begins with text.
// more reports whether there are others.
func (s *Companies) SearchActive(ctx context.Context, text string) (found []Found, more bool, err error) {
	text = strings.TrimSpace(text)
	if slug := strings.ToLower(text); CheckSlug(slug) == nil {
		c, err := s.FoundBySlug(ctx, slug)
		if err != nil && !fault.Is(err, CodeNotFound) {
			return nil, false, err
		}
		if c.Active() {
			return []Found{c}, false, nil
		}
	}
	if utf8.RuneCountInString(text) < shortestName {
		return nil, false, nil
	}
	const most = 10
	found, err = s.byName(ctx, text, Position{}, most+1, StatusActive)
	return found[:min(len(found), most)], len(found) > most, err
}

// withSlug puts the company with that slug first, unless it is in found or does not exist.
func (s *Companies) withSlug(ctx context.Context, found []Found, slug string) ([]Found, error) {
	if slices.ContainsFunc(found, func(f Found) bool { return f.Slug == slug }) {
		return found, nil
	}
	c, err := s.FoundBySlug(ctx, slug)
	if fault.Is(err, CodeNotFound) {
		return found, nil
	}
	return append([]Found{c}, found...), err
}

// Found returns c as a list shows it.
func (c *Company) Found() Found { return Found{ID: c.ID, Name: c.Name, Slug: c.Slug, Status: c.Status} }

// byName lists the companies with a status, or all if it is empty, by name.
func (s *Companies) byName(ctx context.Context, prefix string, after Position, limit int, status string) (
	found []Found, err error) {
	key, prefix := NameKey(s.db), NameKeyOf(prefix)
	query := s.db.Read(ctx).Table("companies").Select("id, name, slug, status, "+key+" AS key").
		Where(key+" >= ?", max(prefix, after.Key))
	if status != "" {
		query = query.Where("status = ?", status)
	}
	if prefix != "" {
		query = query.Where(key+" < ?", prefix+afterAnyText)
	}
	if after.ID != 0 {
		query = query.Where("("+key+" > ? OR id > ?)", after.Key, after.ID)
	}
	err = query.Order(key + ", id").Limit(limit).Find(&found).Error
	return found, err
}

const choiceLength = 500

// Choice lists the active companies to choose one from, by name; of more than 500 the first.
func (s *Companies) Choice(ctx context.Context) ([]Found, error) {
	return s.byName(ctx, "", Position{}, choiceLength, StatusActive)
}

// NameKey returns the SQL expression for the key of a company's name, which has to be the one in the
// index companies_by_name. Keys are ordered by their bytes. SQLite has no function translate.
func NameKey(db *database.DB) string {
	if db.IsPostgres() {
		return fmt.Sprintf(`left(translate(lower(name), '%s', '%s'), %d) COLLATE "C"`, polishLetters, plainLetters,
			nameKeyLength)
	}
	key, plain := "lower(name)", []rune(plainLetters)
	for i, letter := range []rune(polishLetters) {
		key = "replace(" + key + ", '" + string(letter) + "', '" + string(plain[i]) + "')"
	}
	return fmt.Sprintf("substr(%s, 1, %d)", key, nameKeyLength)
}

// NameKeyOf returns the beginning of the keys of names that begin with text.
func NameKeyOf(text string) string {
	key := []rune(strings.Map(func(letter rune) rune {
		if i := slices.Index([]rune(polishLetters), letter); i >= 0 {
			return rune(plainLetters[i])
		}
		return letter
	}, strings.ToLower(strings.TrimSpace(text))))
	return string(key[:min(len(key), nameKeyLength)])
}

// String is the position in an address, and ParsePosition reads it.
func (p Position) String() string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", p.ID, p.Key))
}

// ParsePosition returns the beginning for an empty text.
func ParsePosition(text string) (p Position, ok bool) {
	if text == "" {
		return p, true
	}
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	id, key, found := strings.Cut(string(decoded), " ")
	p.Key = key
	p.ID, _ = strconv.ParseInt(id, 10, 64)
	return p, err == nil && found && p.ID > 0
}
