package main

import (
	"context"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
)

// The types below are parts of the service whose outcomes are counted.
type (
	countedSearch struct {
		*provider.Search
		metrics *metrics
	}
	countedSocial struct {
		*provider.Social
		metrics *metrics
	}
	countedPlaces struct {
		*provider.Places
		metrics *metrics
	}
	countedAudits struct {
		*directory.Audits
		metrics *metrics
	}
	countedScans struct {
		*store.Store
		metrics *metrics
	}
)

func (m *metrics) called(source, call string, err error) {
	m.calls.WithLabelValues(source, call, outcome(err)).Inc()
}

func (s countedSearch) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	token, err := s.Search.Refresh(ctx, c)
	s.metrics.called("provider_search", "refresh", err)
	return token, err
}

func (s countedSearch) ReadLocation(ctx context.Context, accessToken, name string) (directory.Profile, error) {
	profile, err := s.Search.ReadLocation(ctx, accessToken, name)
	s.metrics.called("provider_search", "location", err)
	return profile, err
}

func (s countedSocial) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	token, err := s.Social.Refresh(ctx, c)
	s.metrics.called("provider_social", "refresh", err)
	return token, err
}

func (s countedSocial) ReadPage(ctx context.Context, pageToken, pageID string) (directory.PageData, error) {
	data, err := s.Social.ReadPage(ctx, pageToken, pageID)
	s.metrics.called("provider_social", "page", err)
	return data, err
}

func (s countedSocial) ReadPhotos(ctx context.Context, pageToken, pageID string) (directory.PhotoData, error) {
	data, err := s.Social.ReadPhotos(ctx, pageToken, pageID)
	s.metrics.called("provider_social", "photos", err)
	return data, err
}

func (p countedPlaces) FindPlace(ctx context.Context, c directory.Company) (directory.Profile, error) {
	profile, err := p.Places.FindPlace(ctx, c)
	p.metrics.called("places", "place", err)
	return profile, err
}

func (a countedAudits) Trigger(ctx context.Context, actor directory.Actor, r directory.AuditRequest) (
	directory.Company, directory.Audit, *directory.Fetch, error,
) {
	company, audit, fetch, err := a.Audits.Trigger(ctx, actor, r)
	a.metrics.audits.WithLabelValues(outcome(err)).Inc()
	return company, audit, fetch, err
}

// Exclusively counts what runs alone over all replicas: the scan.
func (s countedScans) Exclusively(ctx context.Context, name string, fn func(context.Context) error) (ran bool, err error) {
	ran, err = s.Store.Exclusively(ctx, name, fn)
	if !ran && err == nil {
		return false, nil // another replica was at it
	}
	s.metrics.scans.WithLabelValues(outcome(err)).Inc()
	if err == nil {
		s.metrics.lastScan.SetToCurrentTime()
	}
	return ran, err
}
