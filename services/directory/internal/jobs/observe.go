package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"backend.example/services/directory/internal/metrics"
	"backend.example/services/internal/kit/telemetry"
)

// observer logs, counts and traces each attempt of a job.
type observer struct {
	river.MiddlewareDefaults
	log     *slog.Logger
	tracing *telemetry.Tracing
	metrics *metrics.Metrics
}

// Work implements rivertype.WorkerMiddleware.
func (o *observer) Work(ctx context.Context, job *rivertype.JobRow, work func(context.Context) error) error {
	began := time.Now()
	traced, end := o.tracing.Span(ctx, "job "+job.Kind)
	err := work(traced)
	took := time.Since(began)
	var snooze *rivertype.JobSnoozeError
	if errors.As(err, &snooze) {
		end(nil)
		return err
	}
	end(err)
	o.metrics.Job(job.Kind, took, err)
	log := o.log.With("kind", job.Kind, "job", job.ID, "attempt", job.Attempt, "seconds", took.Seconds())
	if company := companyOf(job); company != 0 {
		log = log.With("company", company)
	}
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

func companyOf(job *rivertype.JobRow) int64 {
	var args struct {
		CompanyID int64 `json:"company_id"`
	}
	if err := json.Unmarshal(job.EncodedArgs, &args); err != nil {
		return 0
	}
	return args.CompanyID
}

// warnings leaves out what River logs at its information level, and its own lines about failed
// jobs, which observer writes.
type warnings struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}
