package connection

import (
	"context"
	"fmt"
	"time"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
)

// workWindow is in what time a company may make the service ask a provider so often.
const workWindow = 10 * time.Minute

// LimitDiscover counts a use for the company. Too many are the fault too_much_work.
func (o *OAuth) LimitDiscover(ctx context.Context, companyID int64, s provider.Service) error {
	return o.mayWork(ctx, limit.Limit{Kind: "discover", Subject: workSubject(companyID, s), Max: o.discovers, Window: workWindow})
}

// LimitSync is LimitDiscover for syncs.
func (o *OAuth) LimitSync(ctx context.Context, companyID int64, s provider.Service) error {
	return o.mayWork(ctx, limit.Limit{Kind: "sync", Subject: workSubject(companyID, s), Max: o.syncs, Window: workWindow})
}

func workSubject(companyID int64, s provider.Service) string {
	return fmt.Sprintf("%d %s", companyID, s)
}

func (o *OAuth) mayWork(ctx context.Context, l limit.Limit) error {
	return o.limits.Take(ctx, o.now(), limit.CodeTooMuchWork, l)
}
