package jobs

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// observer logs and counts each attempt of a job.
type observer struct {
	river.MiddlewareDefaults
	log      *slog.Logger
	finished func(kind string, took time.Duration, err error) // nil for none
}

// Work implements rivertype.WorkerMiddleware.
func (o *observer) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	began := time.Now()
	err := work(ctx)
	took := time.Since(began)
	var snooze *rivertype.JobSnoozeError
	if errors.As(err, &snooze) {
		return err
	}
	if o.finished != nil {
		o.finished(job.Kind, took, err)
	}
	log := o.log.With("kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "seconds", took.Seconds())
	switch {
	case err == nil:
		log.DebugContext(ctx, "job done")
	case IsLast(job):
		log.ErrorContext(ctx, "job failed and is given up", "error", err)
	default:
		log.WarnContext(ctx, "job failed; it is tried again", "error", err)
	}
	return err
}

// warnings leaves out what River logs at its information level, and its own lines about failed
// jobs, which observer writes.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}
