package directory

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"backend.example/services/internal/kit/fault"
)

// historyLength is how many readings a history goes back.
const historyLength = 90

// Followers is how many an account had at a moment.
type Followers struct {
	At    time.Time
	Count int
}

// PageStatistics returns what the last sync of the company's page read, nil when
// there was none, and the page's followers at that and earlier syncs, oldest first.
func (p *Pages) PageStatistics(ctx context.Context, companyID int64) (*PageData, []Followers, error) {
	return readings[PageData](ctx, p.store, companyID, SocialPages)
}

// PhotoStatistics is PageStatistics of the photo-network account.
func (p *Pages) PhotoStatistics(ctx context.Context, companyID int64) (*PhotoData, []Followers, error) {
	return readings[PhotoData](ctx, p.store, companyID, SocialPhotos)
}

// readings leaves out those of an account that the company had before.
func readings[T any](ctx context.Context, store PageStore, companyID int64, service Service) (*T, []Followers, error) {
	latest, err := store.LatestStatistics(ctx, companyID, service)
	if fault.Is(err, "no_statistics") {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	var data T
	if err := json.Unmarshal(latest.Data, &data); err != nil {
		return nil, nil, fmt.Errorf("statistics of %s: %w", service, err)
	}
	past, err := store.StatisticsHistory(ctx, companyID, service, historyLength)
	if err != nil {
		return nil, nil, err
	}
	var followers []Followers
	for _, reading := range slices.Backward(past) {
		if reading.AccountID == latest.AccountID {
			followers = append(followers, Followers{At: reading.SyncedAt, Count: reading.Followers})
		}
	}
	return &data, followers, nil
}
