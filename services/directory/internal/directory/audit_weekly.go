package directory

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

// auditInterval is how old the last audit of a company is when the scan makes another.
const auditInterval = 7 * 24 * time.Hour

// rescan is the scan's audit of a company whose location is chosen, unless it was
// audited within the week, by whomever. It counts for nobody's limit. A location that
// cannot be read is an error, and no audit: without it the score would look changed.
func (a *Audits) rescan(ctx context.Context, companyID int64) error {
	c, err := a.activeCompany(ctx, CompanyRef{ID: &companyID})
	if fault.Is(err, CodeCompanyNotFound) {
		return errNothing
	}
	if err != nil {
		return err
	}
	now := a.options.Now()
	last, err := a.options.Store.LatestAudit(ctx, companyID)
	switch {
	case err == nil && now.Sub(last.At) < auditInterval:
		return errNothing
	case err != nil && !fault.Is(err, CodeNoAudit):
		return err
	}
	location, err := a.options.Locations.ReadChosen(ctx, companyID)
	if err != nil {
		return err
	}
	location.FetchedAt = now // so that the audit takes it as fresh
	if err := a.options.Store.SaveProfile(ctx, companyID, *location.normal()); err != nil {
		return err
	}
	_, _, err = a.run(ctx, c, AuditRequest{Save: true, FetchExternal: true}, Actor{})
	return err
}
