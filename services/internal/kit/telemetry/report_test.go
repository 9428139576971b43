package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReportsAreSeldom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		r := &reporter{log: slog.New(slog.NewJSONHandler(&out, nil))}
		for range 13 { // two minutes, every 10 s
			r.Handle(errors.New("no collector"))
			time.Sleep(10 * time.Second)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(lines) != 3 || !strings.Contains(lines[0], `"not_logged":0`) || !strings.Contains(lines[2], `"error":"no collector","not_logged":5`) {
			t.Errorf("logged %q", lines)
		}
	})
}
