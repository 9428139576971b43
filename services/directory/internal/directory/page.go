package directory

import (
	"context"
	"time"

	"backend.example/services/directory/internal/provider"
)

// Page is a social page that a user manages.
type Page struct {
	ID          string
	Name        string
	Category    string
	FanCount    int
	AccessToken string // the page's own; empty when the user may not act for it
}

// Selectable reports whether a company can choose the page.
func (p Page) Selectable() bool { return p.AccessToken != "" }

// Refusal says in Polish why the page cannot be chosen; empty: it can.
func (p Page) Refusal() string {
	if p.Selectable() {
		return ""
	}
	return CodePageWithoutCredential.Text
}

// PlatformPages is the platform value of a page's configuration.
const PlatformPages = string(SocialPages)

// SocialConfig is the social media configuration that publishing works with,
// one for each (platform, company).
type SocialConfig struct {
	Platform    string
	CompanyID   int64
	PageID      string
	PageName    string
	AccessToken string // the page's, for publishing
	Active      bool
	DebugMode   bool
	UpdatedBy   int64 // user id
	UpdatedAt   time.Time
}

// Pages lets a company choose its social page and syncs it.
type Pages struct {
	oauth *OAuth
	store StatisticsStore
}

// NewPages returns a Pages.
func NewPages(oauth *OAuth, store StatisticsStore) *Pages { return &Pages{oauth: oauth, store: store} }

var pagesPair = provider.PagesPair

// Discover lists the pages that the owner of the company's active social_pages
// connection manages. The faults are no_connection and too_much_work.
func (p *Pages) Discover(ctx context.Context, companyID int64) (List[Page], error) {
	_, pages, err := p.discover(ctx, companyID, p.oauth.mayDiscover)
	return pages, err
}

// discover asks may right before it asks the provider, and returns the connection
// with which it did.
func (p *Pages) discover(ctx context.Context, companyID int64, may func(context.Context, int64, Service) error) (c Connection, pages List[Page], err error) {
	c, err = p.oauth.active(ctx, companyID, pagesPair)
	if err != nil {
		return c, pages, err
	}
	list := p.oauth.providers[ProviderSocial].Pages
	if list == nil {
		return c, pages, cannot(ProviderSocial, "list pages")
	}
	if err := may(ctx, companyID, SocialPages); err != nil {
		return c, pages, err
	}
	pages, err = useAsUser(ctx, p.oauth, c, func(ctx context.Context, userToken string) (List[Page], error) {
		return list(ctx, userToken, c.Scopes)
	})
	return c, pages, err
}

// Select links the page with pageID to the company: its credential replaces the
// user's, which is kept, and the configuration for publishing is made or
// updated, in one transaction. A statistics sync follows, whose failure is only
// logged; its data are nil then. The faults are no_connection, page_not_found,
// page_without_credential and connection_changed.
func (p *Pages) Select(ctx context.Context, actor Actor, companyID int64, pageID string) (Page, *PageData, error) {
	var page Page
	var c Connection
	err := untilUnchanged(func() (err error) {
		page, c, err = p.choose(ctx, actor, companyID, pageID)
		return err
	})
	if err != nil {
		return Page{}, nil, err
	}
	data, err := p.syncPage(ctx, c)
	if err != nil {
		p.oauth.log.WarnContext(ctx, "page not synced after it was chosen", "company", companyID, "error", err, "request_id", actor.RequestID)
		return page, nil, nil
	}
	return page, &data, nil
}

// choose lists the pages and links one, if the connection is still that of the list.
func (p *Pages) choose(ctx context.Context, actor Actor, companyID int64, pageID string) (Page, Connection, error) {
	listed, pages, err := p.discover(ctx, companyID, unlimited)
	if err != nil {
		return Page{}, Connection{}, err
	}
	page, err := pages.Find(func(page Page) bool { return page.ID == pageID }, CodePageNotFound)
	if err == nil && !page.Selectable() {
		err = CodePageWithoutCredential.Fault()
	}
	if err != nil {
		return Page{}, Connection{}, err
	}
	now := p.oauth.now()
	entry := actor.entry(companyID, "select_page", pagesPair, now)
	entry.Detail = page.ID
	config := SocialConfig{
		Platform: PlatformPages, CompanyID: companyID, PageID: page.ID, PageName: page.Name, AccessToken: page.AccessToken,
		Active: true, DebugMode: true, UpdatedBy: actor.User.ID, UpdatedAt: now,
	}
	c, err := p.oauth.store.SelectPage(ctx, companyID, pagesPair, func(c *Connection) error {
		if err := c.stillOf(&listed); err != nil {
			return err
		}
		c.choose(ChosenPage, page.ID, page.Name, page.AccessToken)
		c.ReconnectReason, c.Denied = "", nil
		return nil
	}, config, entry)
	return page, c, err
}
