package connection

import (
	"context"
	"slices"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// PhotosVia returns the connection through which the company's photo-network account is
// read, and the id of the page that the account is linked to, empty if none is chosen.
// With a chosen page it is the social_pages connection, unless that cannot read the
// account and there is a social_photos connection. The faults are no_connection and
// no_page.
func (s *Service) PhotosVia(ctx context.Context, companyID int64) (via Connection, pageID string, err error) {
	pages, err := s.activeOrNone(ctx, companyID, provider.PagesPair)
	var photos Connection
	if err == nil && !s.readsPhotos(pages) {
		photos, err = s.activeOrNone(ctx, companyID, provider.PhotosPair)
	}
	if err != nil {
		return via, "", err
	}
	if pages.Chosen == ChosenPage {
		pageID = pages.AccountID
	}
	via = s.photosVia(pages, photos)
	switch {
	case via.Active && (via.Pair == provider.PhotosPair || via.Chosen == ChosenPage):
		return via, pageID, nil
	case pages.Active:
		return via, "", CodeNoPage.Fault()
	}
	return via, "", CodeNoConnection.Fault()
}

// activeOrNone is Active without a fault if there is no connection.
func (s *Service) activeOrNone(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	c, err := s.Active(ctx, companyID, p)
	if fault.Is(err, CodeNoConnection) {
		return Connection{}, nil
	}
	return c, err
}

// photosVia chooses between the connections of the two services, either of which may be
// missing. A page whose choice was lost has to be chosen again: any other page could be
// the wrong one.
func (s *Service) photosVia(pages, photos Connection) Connection {
	if !pages.Active {
		return photos
	}
	if pages.LostChoice != "" {
		return pages
	}
	if pages.Chosen == ChosenPage && (!photos.Active || s.readsPhotos(pages)) {
		return pages
	}
	return photos
}

// readsPhotos reports whether the account of the chosen page can be read through the
// social_pages connection.
func (s *Service) readsPhotos(pages Connection) bool {
	return pages.Chosen == ChosenPage && s.reason(asPhotos(pages)) == ""
}

// asPhotos returns a social_pages connection as the one of social_photos: it needs the
// scopes of that service, and denials of another do not concern it.
func asPhotos(pages Connection) Connection {
	pages.Pair = provider.PhotosPair
	pages.Denied = slices.DeleteFunc(slices.Clone(pages.Denied), func(s provider.Service) bool {
		return s != provider.SocialPhotos
	})
	return pages
}
