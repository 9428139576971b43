package scan

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
)

// Readers read through connections.
type Readers struct {
	Connections *connection.Service
	Social      *social.Service
	Statistics  *statistics.Service
	Audits      *audit.Service
}

// step is what is done with a connection, by its name in logs.
type step string

const (
	renewal       step = "renew"
	weeklyAudit   step = "audit"
	performance   step = "sync performance"
	searchFigures step = "sync search figures"
	pageFigures   step = "sync page"
	photoFigures  step = "sync photos"
)

func stepsOf(c connection.Connection) []step {
	switch {
	case c.Pair == provider.ProfilePair && c.Chosen == connection.ChosenLocation:
		return []step{weeklyAudit, performance}
	case c.Pair == provider.PagesPair && c.Chosen == connection.ChosenPage:
		return []step{photoFigures, pageFigures}
	case c.Pair == provider.PhotosPair:
		return []step{photoFigures}
	case c.Pair == provider.AnalyticsPair:
		return []step{searchFigures}
	}
	return nil
}

// read does a step, exempt from rate limits. It reports whether something was stored; with an
// error, only a part was.
func (r Readers) read(ctx context.Context, s step, c connection.Connection) (worked bool, err error) {
	switch s {
	case renewal:
		fresh, err := r.Connections.RenewEarly(ctx, c)
		if err != nil {
			return false, err
		}
		return fresh.UserToken() != c.UserToken(), nil
	case weeklyAudit:
		return r.Audits.RunWeekly(ctx, c.CompanyID)
	case performance:
		return r.Statistics.ScanPerformance(ctx, c.CompanyID)
	case searchFigures:
		return r.Statistics.ScanSearch(ctx, c.CompanyID)
	case pageFigures:
		return r.Social.ScanPage(ctx, c.CompanyID)
	case photoFigures:
		return r.Social.ScanPhotos(ctx, c.CompanyID, c.Pair)
	}
	return false, fmt.Errorf("no step %q", s)
}

// ReadConnected reads what a person has just connected or chosen, except that it runs no
// audit. The job ends in a transaction in which the connection still has the grant and the
// choice that were read; else it begins again. A failure that may pass is tried again; others
// are in the state of the service.
func (s *Service) ReadConnected(ctx context.Context, job *river.Job[jobs.Reading]) error {
	store := s.Connections.Store
	c, err := store.ByID(ctx, job.Args.ConnectionID)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	isComplete, err := s.readAll(ctx, c)
	if err != nil && !jobs.IsLast(job.JobRow) {
		return err
	}
	isSame := false
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) (err error) {
		if isSame, err = store.StillReads(tx, c); err != nil || !isSame {
			return err
		}
		if isComplete { // the next scan need not read it again
			if err := s.mark(tx, c.ID); err != nil {
				return err
			}
		}
		return jobs.Complete(tx, job)
	})
	if err != nil || isSame {
		return err
	}
	return river.JobSnooze(0)
}

// readAll runs the steps of c but the audit. It reports whether none is left, and returns a failure
// that may pass.
func (s *Service) readAll(ctx context.Context, c connection.Connection) (isComplete bool, mayPass error) {
	if !c.Active {
		return false, nil
	}
	isComplete = true
	for _, step := range stepsOf(c) {
		if step == weeklyAudit {
			isComplete = false
			continue
		}
		if _, err := s.People.read(ctx, step, c); err != nil {
			s.Log.WarnContext(ctx, "not read after it was connected or chosen",
				"company", c.CompanyID, "step", step, "error", err)
			if fault.Is(err, provider.CodeTemporary) || fault.Is(err, provider.CodeThrottled) {
				mayPass = err
			}
		}
	}
	return isComplete && mayPass == nil, mayPass
}
