package social

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
)

// SyncFacebook handles POST /api/oauth/provider_social/sync-facebook.
func (s *Service) SyncFacebook(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.log, "Statystyki strony zostały odświeżone.", s.SyncPage)
}

// SyncInstagram handles POST /api/oauth/provider_social/sync-instagram.
func (s *Service) SyncInstagram(c echo.Context, actor account.Actor) error {
	return httpapi.Sync(c, actor.MayEdit, s.log, "Statystyki konta zostały odświeżone.", s.SyncPhotos)
}

// SyncPage refreshes the statistics of the company's chosen page.
func (s *Service) SyncPage(ctx context.Context, companyID int64) (PageData, error) {
	c, err := s.connections.Chosen(ctx, companyID, provider.PagesPair, connection.CodeNoPage)
	if err != nil {
		return PageData{}, err
	}
	if err = s.connections.LimitSync(ctx, companyID, provider.SocialPages); err != nil {
		return PageData{}, err
	}
	return s.syncPage(ctx, c)
}

func (s *Service) syncPage(ctx context.Context, c connection.Connection) (PageData, error) {
	return sync(ctx, s, c, provider.SocialPages, pageParts,
		func(ctx context.Context, token, pageID, known string) (PageData, error) {
			read, err := s.client.ReadPage(ctx, token, pageID, known)
			return PageData{PageData: read}, err
		})
}

// SyncPhotos refreshes the photo-network account of the chosen page or, if only social_photos is
// connected, of the only page that its user manages.
func (s *Service) SyncPhotos(ctx context.Context, companyID int64) (PhotoData, error) {
	via, pageID, err := s.connections.PhotosVia(ctx, companyID)
	if err != nil {
		return PhotoData{}, err
	}
	if err = s.connections.LimitSync(ctx, companyID, provider.SocialPhotos); err != nil {
		return PhotoData{}, err
	}
	return s.syncPhotos(ctx, via, pageID)
}

func (s *Service) syncPhotos(ctx context.Context, via connection.Connection, pageID string) (PhotoData, error) {
	return sync(ctx, s, via, provider.SocialPhotos, photoParts,
		func(ctx context.Context, token, account, known string) (PhotoData, error) {
			if via.Pair == provider.PhotosPair { // the token is the user's
				page, err := s.managedPage(ctx, token, via.Scopes, pageID)
				if err != nil {
					return PhotoData{}, err
				}
				token, account = page.AccessToken, page.ID
			}
			read, err := s.client.ReadPhotos(ctx, token, account, known)
			return PhotoData{PhotoData: read}, err
		})
}

// managedPage returns the page with that id or, without one, the only one for which the user can act.
func (s *Service) managedPage(ctx context.Context, userToken string, granted []string, id string) (meta.Page, error) {
	pages, err := s.client.Pages(ctx, userToken, granted)
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

// sync reads and stores the data of an account. read gets the account whose earlier days are stored.
func sync[T any](ctx context.Context, s *Service, c connection.Connection, service provider.Service,
	partsOf func(*T, connection.Connection) parts,
	read func(ctx context.Context, token, pageID, known string) (T, error),
) (T, error) {
	var none T
	latest, err := statistics.Latest[T](ctx, s.store.DB, c.CompanyID, service)
	if err != nil {
		return none, err
	}
	var before *parts
	known := ""
	if latest.Data != nil {
		before = new(partsOf(latest.Data, c))
		if before.reading.State == MetricsComplete {
			known = latest.AccountID
		}
	}
	data, err := connection.Use(ctx, s.connections, c, func(ctx context.Context, token, pageID string) (T, error) {
		return read(ctx, token, pageID, known)
	})
	now := partsOf(&data, c)
	noted := s.connections.NoteDenial(ctx, c, service, cmp.Or(err, now.read.Missed.Err))
	if err != nil {
		err = noted
	}
	s.connections.NoteRead(ctx, c, service, now.name, err)
	if err != nil {
		return none, err
	}
	if latest.AccountID != now.account {
		before = nil
	}
	now.keepMissed(before, s.store.Now())
	return data, statistics.Save(ctx, s.store.DB, statistics.Reading[T]{
		CompanyID: c.CompanyID, Service: service, AccountID: now.account, Count: now.followers, Data: &data,
		SyncedAt: now.reading.SyncedAt, Days: now.read.Days,
	})
}

// ScanPage is SyncPage without limits. Metrics that were missed are an error, although the rest is stored.
func (s *Service) ScanPage(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.connections.Chosen(ctx, companyID, provider.PagesPair, connection.CodeNoPage)
	if err != nil {
		return false, err
	}
	data, err := s.syncPage(ctx, c)
	return err == nil, cmp.Or(err, data.Missed.Err)
}

// ScanPhotos is ScanPage for photos that are read through p. worked is false if there are none.
func (s *Service) ScanPhotos(ctx context.Context, companyID int64, p provider.Pair) (worked bool, err error) {
	via, pageID, err := s.connections.PhotosVia(ctx, companyID)
	if fault.Is(err, connection.CodeNoPage) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if via.Pair != p {
		return false, nil
	}
	data, err := s.syncPhotos(ctx, via, pageID)
	if fault.Is(err, provider.CodeGone) || fault.Is(err, connection.CodeNoPage) { // no page has to have an account
		return false, nil
	}
	return err == nil, cmp.Or(err, data.Missed.Err)
}

// PageStatistics returns the last sync of the page, and its followers at each sync, oldest first.
func (s *Service) PageStatistics(ctx context.Context, companyID int64) (
	statistics.Reading[PageData], []statistics.Point, error,
) {
	return statistics.Read[PageData](ctx, s.store.DB, companyID, provider.SocialPages)
}

// PhotoStatistics is PageStatistics of the photo-network account.
func (s *Service) PhotoStatistics(ctx context.Context, companyID int64) (
	statistics.Reading[PhotoData], []statistics.Point, error,
) {
	return statistics.Read[PhotoData](ctx, s.store.DB, companyID, provider.SocialPhotos)
}
