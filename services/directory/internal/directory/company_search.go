package directory

import (
	"context"
	"strings"

	"backend.example/services/internal/kit/fault"
)

// CompanyFound is a company as a list shows it.
type CompanyFound struct {
	ID     int64
	Name   string
	Slug   string
	Active bool
	Key    string // of its name, in the order of the list
}

// CompanyPosition is where a list goes on: behind the company of that key and id.
type CompanyPosition struct {
	Key string
	ID  int64 // 0: from the beginning
}

// CompanySearch says which companies are wanted.
type CompanySearch struct {
	Prefix string // what the name begins with, as people type it; empty: anything
	After  CompanyPosition
	Limit  int
}

// CompanyStore finds companies. It is an interface because a database is outside of the
// domain.
type CompanyStore interface {
	Company(ctx context.Context, id int64) (Company, error)
	CompanyBySlug(ctx context.Context, slug string) (Company, error)
	SearchCompanies(ctx context.Context, search CompanySearch) ([]CompanyFound, error)
}

// Companies lists the companies that a user may look at.
type Companies struct{ store CompanyStore }

// NewCompanies returns a Companies.
func NewCompanies(store CompanyStore) *Companies { return &Companies{store} }

// companiesListed is the length of a page of the list.
const companiesListed = 25

// Search lists, for administrators, the companies whose name begins with text, or whose
// slug it is, by name and a page at a time; more says that there is another page. Others
// see their own company.
func (c *Companies) Search(ctx context.Context, actor Actor, text string, after CompanyPosition) (found []CompanyFound, more bool, err error) {
	if !actor.User.CanAccessAdminPanel() {
		found, err = c.own(ctx, actor)
		return found, false, err
	}
	found, err = c.store.SearchCompanies(ctx, CompanySearch{Prefix: text, After: after, Limit: companiesListed + 1})
	if err != nil {
		return nil, false, err
	}
	if more = len(found) > companiesListed; more {
		found = found[:companiesListed]
	}
	if slug := strings.TrimSpace(text); after.ID == 0 && CheckSlug(slug) == nil {
		found, err = c.withSlug(ctx, found, slug)
	}
	return found, more, err
}

func (c *Companies) own(ctx context.Context, actor Actor) ([]CompanyFound, error) {
	if actor.User.CompanyID == nil {
		return nil, nil
	}
	company, err := c.store.Company(ctx, *actor.User.CompanyID)
	if err != nil {
		return nil, err
	}
	return []CompanyFound{foundOf(company)}, nil
}

// withSlug puts the company of that slug first, unless it is there already.
func (c *Companies) withSlug(ctx context.Context, found []CompanyFound, slug string) ([]CompanyFound, error) {
	for _, company := range found {
		if company.Slug == slug {
			return found, nil
		}
	}
	company, err := c.store.CompanyBySlug(ctx, slug)
	if fault.Is(err, CodeCompanyNotFound) {
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	return append([]CompanyFound{foundOf(company)}, found...), nil
}

func foundOf(c Company) CompanyFound {
	return CompanyFound{ID: c.ID, Name: c.Name, Slug: c.Slug, Active: c.Active()}
}
