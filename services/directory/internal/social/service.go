package social

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Options configure a Service.
type Options struct {
	Connections *connection.Service
	Store       *connection.Store

	// Pages lists the pages that the owner of a user token manages, as far as the granted
	// scopes allow.
	Pages func(ctx context.Context, userToken string, granted []string) (provider.List[meta.Page], error)
	// FindPage reads one of them. A page that the person does not manage is the fault Gone
	// or Denied.
	FindPage func(ctx context.Context, userToken, pageID string) (meta.Page, error)
	// ReadPage reads a page's current figures.
	ReadPage func(ctx context.Context, pageToken, pageID string) (meta.PageData, error)
	// ReadPhotos reads the photo-network account that is linked to a page. If there is
	// none, the fault is Gone.
	ReadPhotos func(ctx context.Context, pageToken, pageID string) (meta.PhotoData, error)

	// Strict makes choosing pages require the right to edit the company. The contract
	// requires a login only.
	Strict bool
	Now    func() time.Time
	Log    *slog.Logger
}

// Service lets companies choose their page and syncs it. It is safe for concurrent use.
type Service struct{ Options }

// New returns a Service. It updates the publishing configuration when a connection's page
// changes.
func New(o Options) *Service {
	s := &Service{o}
	o.Store.OnChange = s.followPage
	return s
}

// Discover lists the pages that the owner of the company's active social_pages
// connection manages. The faults are no_connection and too_much_work.
func (s *Service) Discover(ctx context.Context, companyID int64) (provider.List[meta.Page], error) {
	c, err := s.Connections.Active(ctx, companyID, provider.PagesPair)
	if err == nil {
		err = s.Connections.LimitDiscover(ctx, companyID, provider.SocialPages)
	}
	if err != nil {
		return provider.List[meta.Page]{}, err
	}
	return s.list(ctx, c)
}

func (s *Service) list(ctx context.Context, c connection.Connection) (provider.List[meta.Page], error) {
	return connection.UseAsUser(ctx, s.Connections, c,
		func(ctx context.Context, userToken string) (provider.List[meta.Page], error) {
			return s.Pages(ctx, userToken, c.Scopes)
		})
}

// SyncPage refreshes the statistics of the company's chosen page.
func (s *Service) SyncPage(ctx context.Context, companyID int64) (PageData, error) {
	c, err := s.chosen(ctx, companyID)
	if err == nil {
		err = s.Connections.LimitSync(ctx, companyID, provider.SocialPages)
	}
	if err != nil {
		return PageData{}, err
	}
	return s.syncPage(ctx, c)
}

func (s *Service) syncPage(ctx context.Context, c connection.Connection) (PageData, error) {
	return sync(ctx, s, c, provider.SocialPages, pageParts,
		func(ctx context.Context, token, pageID string) (PageData, error) {
			read, err := s.ReadPage(ctx, token, pageID)
			return PageData{PageData: read}, err
		})
}

// SyncPhotos refreshes the statistics of the photo-network account that is linked to the
// company's chosen page or, if only social_photos is connected, to the only page that its
// user manages.
func (s *Service) SyncPhotos(ctx context.Context, companyID int64) (PhotoData, error) {
	via, pageID, err := s.Connections.PhotosVia(ctx, companyID)
	if err == nil {
		err = s.Connections.LimitSync(ctx, companyID, provider.SocialPhotos)
	}
	if err != nil {
		return PhotoData{}, err
	}
	return s.syncPhotos(ctx, via, pageID)
}

func (s *Service) syncPhotos(ctx context.Context, via connection.Connection, pageID string) (PhotoData, error) {
	return sync(ctx, s, via, provider.SocialPhotos, photoParts,
		func(ctx context.Context, token, account string) (PhotoData, error) {
			if via.Pair == provider.PhotosPair { // the token is the user's
				page, err := s.managedPage(ctx, token, via.Scopes, pageID)
				if err != nil {
					return PhotoData{}, err
				}
				token, account = page.AccessToken, page.ID
			}
			read, err := s.ReadPhotos(ctx, token, account)
			return PhotoData{PhotoData: read}, err
		})
}

// managedPage returns the page with that id or, if it is empty, the only one. The user
// must be able to act for it; otherwise, or if there are several, the fault is no_page.
func (s *Service) managedPage(ctx context.Context, userToken string, granted []string, id string) (meta.Page, error) {
	pages, err := s.Pages(ctx, userToken, granted)
	if err != nil {
		return meta.Page{}, err
	}
	found := slices.DeleteFunc(slices.Clone(pages.Items), func(p meta.Page) bool {
		return Refusal(p) != "" || id != "" && p.ID != id
	})
	switch {
	case len(found) == 1 && (pages.Complete || id != ""):
		return found[0], nil
	case len(found) < 2 && !pages.Complete:
		return meta.Page{}, provider.Temporary(errors.New("the list of pages is not complete"))
	}
	return meta.Page{}, connection.CodeNoPage.Fault()
}

// sync reads the data of an account and stores them. Metrics that the read missed are
// kept as the account's last sync had them.
func sync[T any](ctx context.Context, s *Service, c connection.Connection, service provider.Service,
	partsOf func(*T, connection.Connection) parts, read func(ctx context.Context, token, pageID string) (T, error),
) (T, error) {
	var none T
	data, err := connection.Use(ctx, s.Connections, c, read)
	now := partsOf(&data, c)
	noted := s.Connections.NoteDenial(ctx, c, service, cmp.Or(err, now.missed.Err))
	if err != nil {
		err = noted
	}
	s.Connections.NoteRead(ctx, c, service, now.name, err)
	if err != nil {
		history.NoteFailure(ctx, s.Store.DB, s.Log, c.CompanyID, service, s.Now(), err)
		return none, err
	}
	var before *parts
	if now.missed.Err != nil {
		latest, err := history.Latest[T](ctx, s.Store.DB, c.CompanyID, service)
		if err != nil {
			return none, err
		}
		if latest.Data != nil && latest.AccountID == now.account {
			before = new(partsOf(latest.Data, c))
		}
	}
	now.keepMissed(before)
	*now.syncedAt = s.Now()
	return data, history.Save(ctx, s.Store.DB, history.Reading[T]{
		CompanyID: c.CompanyID, Service: service, AccountID: now.account, Count: now.followers, Data: &data,
		SyncedAt: *now.syncedAt,
	})
}

// ScanPage is SyncPage for the scan, which is exempt from rate limits. Metrics that were
// missed are an error, although the rest is stored.
func (s *Service) ScanPage(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.chosen(ctx, companyID)
	if err != nil {
		return false, err
	}
	data, err := s.syncPage(ctx, c)
	return err == nil, cmp.Or(err, data.Missed.Err)
}

// ScanPhotos returns what ScanPage is, for photos and a pair whose connections are
// scanned. worked is also false if there is nothing to read, or not through that pair.
func (s *Service) ScanPhotos(p provider.Pair) func(ctx context.Context, companyID int64) (worked bool, err error) {
	return func(ctx context.Context, companyID int64) (worked bool, err error) {
		via, pageID, err := s.Connections.PhotosVia(ctx, companyID)
		if err == nil && via.Pair != p {
			return false, nil
		}
		var data PhotoData
		if err == nil {
			data, err = s.syncPhotos(ctx, via, pageID)
		}
		if fault.Is(err, provider.CodeGone) || fault.Is(err, connection.CodeNoPage) { // no page has to have an account
			return false, nil
		}
		return err == nil, cmp.Or(err, data.Missed.Err)
	}
}

// chosen returns the active connection with a page, or the fault no_connection or
// no_page.
func (s *Service) chosen(ctx context.Context, companyID int64) (connection.Connection, error) {
	c, err := s.Connections.Active(ctx, companyID, provider.PagesPair)
	if err == nil && c.Chosen != connection.ChosenPage {
		err = connection.CodeNoPage.Fault()
	}
	return c, err
}

// PageStatistics returns the last sync of the company's page, without data if there was
// none, and the page's followers at each sync, oldest first.
func (s *Service) PageStatistics(ctx context.Context, companyID int64) (history.Reading[PageData], []history.Point,
	error) {
	return history.Read[PageData](ctx, s.Store.DB, companyID, provider.SocialPages)
}

// PhotoStatistics is PageStatistics of the photo-network account.
func (s *Service) PhotoStatistics(ctx context.Context, companyID int64) (history.Reading[PhotoData], []history.Point,
	error) {
	return history.Read[PhotoData](ctx, s.Store.DB, companyID, provider.SocialPhotos)
}
