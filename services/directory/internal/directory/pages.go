package directory

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"backend.example/services/internal/kit/fault"
)

// PageStore is what choosing and syncing pages needs of the repository.
type PageStore interface {
	// SelectPage saves what change made of the connection, and the configuration,
	// in one transaction, and returns the connection as stored.
	SelectPage(ctx context.Context, companyID int64, p Pair, change func(*Connection) error, config SocialConfig, e Entry) (Connection, error)
	SaveStatistics(ctx context.Context, s Statistics) error
	// LatestStatistics is the current reading, or the fault no_statistics.
	LatestStatistics(ctx context.Context, companyID int64, service Service) (Statistics, error)
	// StatisticsHistory lists the n newest readings, newest first, without their data.
	StatisticsHistory(ctx context.Context, companyID int64, service Service, n int) ([]Statistics, error)
}

// Pages lets a company choose its social page and syncs it.
type Pages struct {
	oauth *OAuth
	store PageStore
	now   func() time.Time
	log   *slog.Logger
}

// NewPages returns a Pages.
func NewPages(oauth *OAuth, store PageStore, now func() time.Time, log *slog.Logger) *Pages {
	return &Pages{oauth: oauth, store: store, now: now, log: log}
}

var pagesPair = Pair{ProviderSocial, SocialPages}

// Discover lists the pages that the owner of the company's active social_pages
// connection manages. No such connection is the fault no_connection.
func (p *Pages) Discover(ctx context.Context, companyID int64) ([]Page, error) {
	c, err := p.oauth.Active(ctx, companyID, pagesPair)
	if err != nil {
		return nil, err
	}
	return p.managed(ctx, c)
}

// managed lists pages with the user's token.
func (p *Pages) managed(ctx context.Context, c Connection) (pages []Page, err error) {
	list := p.oauth.providers[ProviderSocial].Pages
	if list == nil {
		return nil, cannot(ProviderSocial, "list pages")
	}
	err = p.oauth.UseAsUser(ctx, c, func(ctx context.Context, c Connection) (err error) {
		pages, err = list(ctx, c.UserToken())
		return err
	})
	return pages, err
}

// Select links the page with pageID to the company: its credential replaces the
// user's, which is kept, and the configuration for publishing is made or
// updated, in one transaction. A statistics sync follows, whose failure is only
// logged; its data are nil then. The faults are no_connection, page_not_found
// and page_without_credential.
func (p *Pages) Select(ctx context.Context, actor Actor, companyID int64, pageID string) (Page, *PageData, error) {
	c, err := p.oauth.Active(ctx, companyID, pagesPair)
	if err != nil {
		return Page{}, nil, err
	}
	pages, err := p.managed(ctx, c)
	if err != nil {
		return Page{}, nil, err
	}
	page, err := pick(pages, pageID)
	if err != nil {
		return Page{}, nil, err
	}
	entry := actor.entry(companyID, "select_page", pagesPair, p.now())
	entry.Detail = page.ID
	config := SocialConfig{
		Platform: PlatformPages, CompanyID: companyID, PageID: page.ID, PageName: page.Name, AccessToken: page.AccessToken,
		Active: true, DebugMode: true, UpdatedBy: actor.User.ID, UpdatedAt: p.now(),
	}
	choose := func(c *Connection) error { return c.choose(page) }
	if c, err = p.store.SelectPage(ctx, companyID, pagesPair, choose, config, entry); err != nil {
		return Page{}, nil, err
	}
	data, err := p.syncPage(ctx, c)
	if err != nil {
		p.log.WarnContext(ctx, "page not synced after it was chosen", "company", companyID, "error", err, "request_id", actor.RequestID)
		return page, nil, nil
	}
	return page, &data, nil
}

func pick(pages []Page, id string) (Page, error) {
	for _, page := range pages {
		if page.ID != id {
			continue
		}
		if page.AccessToken == "" {
			return Page{}, fault.New(fault.Invalid, "page_without_credential", "Wybrana strona nie udostępnia tokenu dostępu.")
		}
		return page, nil
	}
	return Page{}, fault.New(fault.NotFound, "page_not_found", "Nie znaleziono wybranej strony wśród zarządzanych stron.")
}

// choose puts the page's credential in the place of the user's.
func (c *Connection) choose(page Page) error {
	if !c.Active {
		return noConnection()
	}
	if c.Chosen != ChosenPage {
		c.UserAccessToken, c.UserExpiresAt = c.AccessToken, c.ExpiresAt
	}
	c.AccessToken, c.ExpiresAt = page.AccessToken, nil // a page's token made of a long-lived user token does not expire
	c.Chosen, c.AccountID, c.AccountName, c.ReconnectReason = ChosenPage, page.ID, page.Name, ""
	return nil
}

// SyncPage refreshes the statistics of the company's chosen page.
func (p *Pages) SyncPage(ctx context.Context, companyID int64) (PageData, error) {
	c, err := p.chosen(ctx, companyID)
	if err != nil {
		return PageData{}, err
	}
	return p.syncPage(ctx, c)
}

func (p *Pages) syncPage(ctx context.Context, c Connection) (PageData, error) {
	data, err := readChosen(ctx, p.oauth, c, p.oauth.providers[ProviderSocial].ReadPage)
	if err != nil {
		return PageData{}, err
	}
	data.SyncedAt = p.now()
	reading := Statistics{Service: SocialPages, AccountID: c.AccountID, Followers: data.FollowersCount, SyncedAt: data.SyncedAt}
	return data, p.keep(ctx, c.CompanyID, reading, data)
}

// SyncPhotos refreshes the statistics of the photo-network account that is
// linked to the company's chosen page.
func (p *Pages) SyncPhotos(ctx context.Context, companyID int64) (PhotoData, error) {
	c, err := p.chosen(ctx, companyID)
	if err != nil {
		return PhotoData{}, err
	}
	data, err := readChosen(ctx, p.oauth, c, p.oauth.providers[ProviderSocial].ReadPhotos)
	if err != nil {
		return PhotoData{}, err
	}
	data.SyncedAt = p.now()
	reading := Statistics{
		Service: SocialPhotos, AccountID: data.Profile.ID, Followers: data.Profile.FollowersCount, SyncedAt: data.SyncedAt,
	}
	return data, p.keep(ctx, companyID, reading, data)
}

// chosen returns the active connection with a page, or the fault no_connection
// or no_page.
func (p *Pages) chosen(ctx context.Context, companyID int64) (Connection, error) {
	c, err := p.oauth.Active(ctx, companyID, pagesPair)
	if err == nil && c.Chosen != ChosenPage {
		err = fault.New(fault.NotFound, "no_page", "Najpierw wybierz stronę firmy.")
	}
	return c, err
}

// readChosen runs read with token and id of the chosen page.
func readChosen[T any](ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, pageToken, pageID string) (T, error)) (data T, err error) {
	if read == nil {
		return data, cannot(c.Pair.Provider, "read "+string(c.Pair.Service))
	}
	err = o.Use(ctx, c, func(ctx context.Context, c Connection) (err error) {
		data, err = read(ctx, c.AccessToken, c.AccountID)
		return err
	})
	return data, err
}

// keep stores a reading with its data.
func (p *Pages) keep(ctx context.Context, companyID int64, reading Statistics, data any) (err error) {
	reading.CompanyID = companyID
	if reading.Data, err = json.Marshal(data); err != nil {
		return err
	}
	return p.store.SaveStatistics(ctx, reading)
}
