package jobs

import (
	"context"
	"log/slog"
	"net/http"

	"riverqueue.com/riverui"
)

// UI returns the pages of River at a path, until ctx ends. They show and change jobs, so they
// are for operators alone; requests of other sites are refused.
func (q *Queue) UI(ctx context.Context, path string, log *slog.Logger) (http.Handler, error) {
	handler, err := riverui.NewHandler(&riverui.HandlerOpts{
		Endpoints: riverui.NewEndpoints(q.client, nil), Logger: log, Prefix: path,
	})
	if err != nil {
		return nil, err
	}
	if err := handler.Start(ctx); err != nil {
		return nil, err
	}
	return http.NewCrossOriginProtection().Handler(handler), nil
}
