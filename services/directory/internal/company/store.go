package company

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/trail"
)

// Companies are the companies in the database. It is safe for concurrent use.
type Companies struct{ db *database.DB }

// New returns the companies in db.
func New(db *database.DB) *Companies { return &Companies{db} }

// BeforeSave implements gorm's callback: the columns of lists are never JSON's null.
func (c *Company) BeforeSave(*gorm.DB) error {
	if c.Categories == nil {
		c.Categories = []string{}
	}
	if c.Services == nil {
		c.Services = []string{}
	}
	return nil
}

// AfterFind implements gorm's callback.
func (c *Company) AfterFind(*gorm.DB) error {
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	return nil
}

// Create adds c and sets its ID and times. The fault is CodeSlugTaken.
func (s *Companies) Create(ctx context.Context, c *Company) error {
	return s.insert(s.db.Write(ctx), c)
}

func (s *Companies) insert(tx *gorm.DB, c *Company) error {
	c.CreatedAt = s.db.At(time.Time{})
	c.UpdatedAt = c.CreatedAt
	return database.Duplicate(tx.Create(c).Error, CodeSlugTaken)
}

// List lists all companies.
func (s *Companies) List(ctx context.Context) (companies []Company, err error) {
	err = s.db.Read(ctx).Order("id").Find(&companies).Error
	return companies, err
}

// ByID returns a company, or CodeNotFound.
func (s *Companies) ByID(ctx context.Context, id int64) (c Company, err error) {
	err = s.db.Read(ctx).Where("id = ?", id).Take(&c).Error
	return c, database.NotFound(err, CodeNotFound)
}

// FoundBySlug is BySlug with what a list shows.
func (s *Companies) FoundBySlug(ctx context.Context, slug string) (f Found, err error) {
	err = s.db.Read(ctx).Table("companies").Select(foundColumns).Where("slug = ?", slug).Take(&f).Error
	return f, database.NotFound(err, CodeNotFound)
}

var foundColumns = []string{"id", "name", "slug", "status"}

// Numbered lists the companies with these ids by name.
func (s *Companies) Numbered(ctx context.Context, ids []int64) (found []Found, err error) {
	err = s.db.Read(ctx).Table("companies").Select(foundColumns).Where("id IN ?", ids).
		Order(NameKey(s.db) + ", id").Find(&found).Error
	return found, err
}

// BySlug returns a company, or CodeNotFound.
func (s *Companies) BySlug(ctx context.Context, slug string) (c Company, err error) {
	err = s.db.Read(ctx).Where("slug = ?", slug).Take(&c).Error
	return c, database.NotFound(err, CodeNotFound)
}

// SetPlaceID stores the external place identifier of a company, or returns CodeNotFound.
func (s *Companies) SetPlaceID(ctx context.Context, id int64, placeID string) error {
	result := s.db.Write(ctx).Model(&Company{}).Where("id = ?", id).Update("place_id", placeID)
	return database.Changed(result, CodeNotFound)
}

// Add checks and adds a company. The faults are those of apply, CodeInvalidSlug and CodeSlugTaken.
func (s *Companies) Add(ctx context.Context, slug string, change Change, e trail.Entry) (c Company, err error) {
	c = Company{Slug: slug, Status: StatusActive}
	if err := CheckSlug(slug); err != nil {
		return c, err
	}
	if change.Name == nil {
		change.Name = new("")
	}
	if _, err := change.apply(&c); err != nil {
		return c, err
	}
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := s.insert(tx, &c); err != nil {
			return err
		}
		e.CompanyID = c.ID
		return trail.Record(tx, e)
	})
	return c, err
}

// Edit writes only the columns that change names, so that concurrent edits do not undo each other, and
// returns the company as it is then. The faults are those of apply and CodeNotFound.
func (s *Companies) Edit(ctx context.Context, id int64, change Change, e trail.Entry) (c Company, err error) {
	edited := Company{ID: id}
	fields, err := change.apply(&edited)
	if err != nil {
		return c, err
	}
	if len(fields) == 0 {
		return s.ByID(ctx, id)
	}
	e.CompanyID, e.Detail = id, strings.Join(fields, ", ")
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		result := tx.Model(&edited).Select(append(fields, "updated_at")).Updates(&edited)
		if err := database.Changed(result, CodeNotFound); err != nil {
			return err
		}
		if err := tx.Where("id = ?", id).Take(&c).Error; err != nil {
			return err
		}
		return trail.Record(tx, e)
	})
	return c, err
}
