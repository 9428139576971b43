package app

import (
	"context"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// readConnected reads what a person has just connected or chosen, except that it runs no
// audit. The job ends in a transaction in which the connection still has the grant and the
// choice that were read; else it begins again. A failure that may pass is tried again; others
// are in the state of the service.
func (a *App) readConnected(ctx context.Context, job *river.Job[jobs.Reading]) error {
	c, err := a.Store.ByID(ctx, job.Args.ConnectionID)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := a.readAll(ctx, c); err != nil && !jobs.IsLast(job.JobRow) {
		return err
	}
	isSame := false
	err = a.DB.Transaction(ctx, func(tx *gorm.DB) (err error) {
		if isSame, err = a.Store.StillReads(tx, c); err != nil || !isSame {
			return err
		}
		return jobs.Complete(tx, job)
	})
	if err == nil && !isSame {
		return river.JobSnooze(0)
	}
	return err
}

// readAll runs the steps of c and returns the last failure that may pass.
func (a *App) readAll(ctx context.Context, c connection.Connection) (mayPass error) {
	if !c.Active {
		return nil
	}
	for _, step := range a.readSteps()[c.Pair] {
		if step.Chosen != connection.ChosenNothing && step.Chosen != c.Chosen {
			continue
		}
		_, err := step.Run(ctx, c.CompanyID)
		if err == nil {
			continue
		}
		a.Log.WarnContext(ctx, "not read after it was connected or chosen",
			"company", c.CompanyID, "step", step.Name, "error", err)
		if fault.Is(err, provider.CodeTemporary) || fault.Is(err, provider.CodeThrottled) {
			mayPass = err
		}
	}
	return mayPass
}
