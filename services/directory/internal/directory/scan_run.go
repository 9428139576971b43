package directory

import (
	"context"
	"maps"
	"slices"

	"backend.example/services/internal/kit/fault"
)

// scanBatch is how many companies the repository lists at a time.
const scanBatch = 100

// scanRun is one run of a Scan.
type scanRun struct {
	*Scan
	waiting map[Provider]bool // providers that asked to wait
	result  ScanResult
}

func (r *scanRun) all(ctx context.Context, progress func(ScanProgress)) error {
	ids, err := r.companies(ctx)
	if err != nil {
		return err
	}
	for i, id := range ids {
		failed := r.result.Failed
		r.company(ctx, id)
		if err := ctx.Err(); err != nil {
			return err
		}
		r.result.Companies++
		if progress != nil {
			progress(ScanProgress{Done: i + 1, Total: len(ids), CompanyID: id, Failed: r.result.Failed > failed})
		}
	}
	return nil
}

// companies lists those with an active connection of any pair, ascending.
func (r *scanRun) companies(ctx context.Context) ([]int64, error) {
	found := map[int64]bool{}
	for _, p := range Pairs() {
		for after := int64(0); ; {
			ids, err := r.oauth.store.ConnectedCompanies(ctx, p, after, scanBatch)
			if err != nil {
				return nil, err
			}
			for _, id := range ids {
				found[id], after = true, id
			}
			if len(ids) < scanBatch {
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func (r *scanRun) company(ctx context.Context, id int64) {
	connections, err := r.oauth.store.Connections(ctx, id)
	if err != nil {
		r.fail(ctx, id, "list", err)
		return
	}
	for _, c := range connections {
		if ctx.Err() != nil {
			return
		}
		if c.Active {
			r.connection(ctx, c)
		}
	}
}

// connection renews the credential; a chosen page is synced, too, for which it
// does not take the user's.
func (r *scanRun) connection(ctx context.Context, c Connection) {
	if c.ReconnectReason != "" || r.waiting[c.Pair.Provider] {
		r.result.Skipped++
		return
	}
	fresh, err := r.oauth.freshEarly(ctx, c)
	switch {
	case err != nil:
		r.failConnection(ctx, c, "renew", err)
	case fresh.UserToken() != c.UserToken():
		r.result.Renewed++
	}
	if c.Pair == pagesPair && c.Chosen == ChosenPage && !r.waiting[c.Pair.Provider] {
		r.sync(ctx, c)
	}
}

// sync reads the photo-network account, which a page need not have, and the page.
func (r *scanRun) sync(ctx context.Context, c Connection) {
	err := r.syncChosen(ctx, c.CompanyID, func(c Connection) error { _, err := r.pages.syncPhotos(ctx, c); return err })
	switch {
	case err == nil:
		r.result.Synced++
	case !fault.Is(err, CodeGone):
		r.failConnection(ctx, c, "sync photos", err)
	}
	if fault.Is(err, CodeReconnect) || r.waiting[c.Pair.Provider] || ctx.Err() != nil {
		return
	}
	err = r.syncChosen(ctx, c.CompanyID, func(c Connection) error { _, err := r.pages.syncPage(ctx, c); return err })
	if err != nil {
		r.failConnection(ctx, c, "sync page", err)
		return
	}
	r.result.Synced++
}

// syncChosen syncs what is chosen now, which counts for nobody's limit.
func (r *scanRun) syncChosen(ctx context.Context, companyID int64, sync func(Connection) error) error {
	c, err := r.pages.chosen(ctx, companyID)
	if err != nil {
		return err
	}
	return sync(c)
}

func (r *scanRun) failConnection(ctx context.Context, c Connection, step string, err error) {
	if fault.Is(err, CodeThrottled) {
		r.waiting[c.Pair.Provider] = true
	}
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
}

// fail counts and logs what went wrong, unless the run itself was ended.
func (r *scanRun) fail(ctx context.Context, companyID int64, step string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.result.Failed++
	r.oauth.log.WarnContext(ctx, "scan step failed", "company", companyID, "step", step, "error", err)
}
