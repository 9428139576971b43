package directorytest

import (
	"cmp"
	"context"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
)

// steps are those of the program, on the functions of the providers.
func (s *Service) steps() map[provider.Pair][]scan.Step {
	return map[provider.Pair][]scan.Step{
		PagesPair: {
			{Name: "sync photos", Chosen: connection.ChosenPage, Run: s.scanPhotos(PagesPair)},
			{Name: "sync page", Chosen: connection.ChosenPage, Run: s.scanPage},
		},
		PhotosPair: {{Name: "sync photos", Run: s.scanPhotos(PhotosPair)}},
		ProfilePair: {
			{Name: "audit", Chosen: connection.ChosenLocation, Run: s.scanLocation},
			{Name: "sync performance", Chosen: connection.ChosenLocation, Run: s.scanPerformance},
		},
		AnalyticsPair: {{Name: "sync search figures", Run: s.scanSearch}},
	}
}

// step reads a service with a connection as the features do.
func step[T any](ctx context.Context, s *Service, c connection.Connection, service provider.Service,
	read func(ctx context.Context, token, account string) (T, error)) (worked bool, err error) {
	_, err = connection.Use(ctx, s.Connections, c, read)
	err = s.Connections.NoteDenial(ctx, c, service, err)
	s.Connections.NoteRead(ctx, c, service, "", err)
	return err == nil, err
}

func (s *Service) scanPage(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.Connections.Active(ctx, companyID, PagesPair)
	if err == nil && c.Chosen != connection.ChosenPage {
		err = connection.CodeNoPage.Fault()
	}
	if err != nil {
		return false, err
	}
	worked, err = step(ctx, s, c, provider.SocialPages, s.Social.readPage)
	return worked, cmp.Or(err, s.Social.Page.Missed.Err)
}

func (s *Service) scanPhotos(p provider.Pair) func(context.Context, int64) (bool, error) {
	return func(ctx context.Context, companyID int64) (worked bool, err error) {
		via, pageID, err := s.Connections.PhotosVia(ctx, companyID)
		if err != nil || via.Pair != p {
			return false, err
		}
		worked, err = step(ctx, s, via, provider.SocialPhotos,
			func(ctx context.Context, token, account string) (data meta.PhotoData, err error) {
				if p == PagesPair {
					return s.Social.readPhotos(ctx, token, account)
				}
				pages, err := s.Social.pages(ctx, token, nil)
				if err != nil {
					return data, err
				}
				for _, page := range pages.Items {
					if page.AccessToken != "" && (pageID == "" || page.ID == pageID) {
						return s.Social.readPhotos(ctx, page.AccessToken, page.ID)
					}
				}
				return data, connection.CodeNoPage.Fault()
			})
		if fault.Is(err, provider.CodeGone) || fault.Is(err, connection.CodeNoPage) {
			return false, nil
		}
		return worked, cmp.Or(err, s.Social.Photos.Missed.Err)
	}
}

// scanLocation audits a company that was not audited for a week.
func (s *Service) scanLocation(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.Connections.Active(ctx, companyID, ProfilePair)
	if err != nil {
		return false, err
	}
	_, last, err := s.Audits.Latest(ctx, audit.CompanyRef{ID: &companyID})
	if err == nil && s.Now.Sub(last.At) < 7*24*time.Hour {
		return false, nil
	}
	if worked, err = step(ctx, s, c, provider.SearchProfile, s.Search.readLocation); err != nil {
		return false, err
	}
	a := audit.Assess(&audit.Profile{Source: audit.FromLocation, FetchedAt: s.Now})
	a.CompanyID, a.At = companyID, s.Now
	return worked, s.Audits.Save(ctx, &a)
}

func (s *Service) scanPerformance(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.Connections.Active(ctx, companyID, ProfilePair)
	if err != nil {
		return false, err
	}
	_, err = connection.UseOptional(ctx, s.Connections, c,
		func(ctx context.Context, token, location string) (google.Performance, error) {
			return s.Search.readPerformance(ctx, token, google.PerformanceQuery{Location: location})
		})
	return err == nil, err
}

func (s *Service) scanSearch(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.Connections.Active(ctx, companyID, AnalyticsPair)
	if err != nil {
		return false, err
	}
	return step(ctx, s, c, provider.SearchAnalytics,
		func(ctx context.Context, token, _ string) (google.SearchData, error) {
			if _, err := s.Search.sites(ctx, token); err != nil {
				return google.SearchData{}, err
			}
			return s.Search.readSearch(ctx, token, "sc-domain:piekarnia.example")
		})
}

// SyncPage reads the chosen page with its connection.
func (s *Service) SyncPage() error {
	_, err := s.scanPage(s.T.Context(), s.Company.ID)
	return err
}

// SyncPhotos reads the account that is linked to the chosen page.
func (s *Service) SyncPhotos() error {
	_, err := s.scanPhotos(PagesPair)(s.T.Context(), s.Company.ID)
	return err
}

// ChoosePage chooses a page, which is published to.
func (s *Service) ChoosePage(pageID string) error {
	ctx := s.T.Context()
	listed, err := s.Connections.Active(ctx, s.Company.ID, PagesPair)
	if err != nil {
		return err
	}
	page, err := connection.UseAsUser(ctx, s.Connections, listed,
		func(ctx context.Context, token string) (meta.Page, error) {
			return s.Social.findPage(ctx, token, pageID)
		})
	if err != nil {
		return err
	}
	entry := Actor(s.Anna).Entry(s.Company.ID, "select_page", PagesPair, s.Now)
	entry.Detail = page.ID
	held, err := s.Store.Connections.Hold(ctx, s.Company.ID, PagesPair)
	if err != nil {
		return err
	}
	defer held.Release()
	held.Choose(connection.ChosenPage, provider.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken})
	held.ReconnectReason, held.Denied = "", nil
	tx, err := held.Update(&entry)
	if err != nil {
		return err
	}
	if err := social.SaveConfig(tx, s.Store.DB, social.Config{
		Platform: social.Platform, CompanyID: s.Company.ID, PageID: page.ID, PageName: page.Name,
		AccessToken: page.AccessToken, IsActive: true, DebugMode: true, UpdatedBy: s.Anna.ID,
		CreatedAt: s.Now, UpdatedAt: s.Now,
	}); err != nil {
		return err
	}
	return held.Commit()
}
