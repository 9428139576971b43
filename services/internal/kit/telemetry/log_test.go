package telemetry

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
)

// TestLinesOfALogger: those of loggers that are made of it have the trace's id as
// well, and lines without a trace have none.
func TestLinesOfALogger(t *testing.T) {
	r := record(t)
	ctx, end := r.Span(t.Context(), "work")
	defer end(nil)
	var out bytes.Buffer
	log := r.Logger(slog.New(slog.NewTextHandler(&out, nil)))
	for name, log := range map[string]*slog.Logger{"itself": log, "attributes": log.With("a", 1), "group": log.WithGroup("g")} {
		out.Reset()
		if log.InfoContext(ctx, "traced"); !strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s", name, &out)
		}
		out.Reset()
		if log.InfoContext(t.Context(), "not traced"); strings.Contains(out.String(), "trace_id=") {
			t.Errorf("%s: logged %s", name, &out)
		}
	}
}
