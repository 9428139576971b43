package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// report adds a line with the promise, the figure and the verdict to the table when the test
// ends. The returned function sets the figure. With -short the test is skipped.
func report(t *testing.T, promise string) (measured func(format string, args ...any)) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	figure := "not measured"
	t.Cleanup(func() {
		verdict := "held"
		switch {
		case t.Failed():
			verdict = "BROKEN"
		case t.Skipped():
			verdict = "skipped"
		}
		t.Logf("%s: %s (%s)", promise, figure, verdict)
		if err := addLine(promise, figure, verdict); err != nil {
			t.Error(err)
		}
	})
	return func(format string, args ...any) { figure = fmt.Sprintf(format, args...) }
}

// addLine appends tab-separated cells to the file of PROVE_TABLE, if it is set.
func addLine(cells ...string) error {
	path := os.Getenv("PROVE_TABLE")
	if path == "" {
		return nil
	}
	table, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // #nosec G304 -- a setting of the tests
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(table, strings.Join(cells, "\t")); err != nil {
		return err
	}
	return table.Close()
}

// duration returns a setting or its default.
func duration(t *testing.T, name string, otherwise time.Duration) time.Duration {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.Fatalf("%s=%q is not a duration", name, text)
	}
	return d
}

// number returns a setting or its default.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q is not a number", name, text)
	}
	return n
}

// choices returns the random numbers of a test and logs the seed that repeats them.
func choices(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(number(t, "PROVE_SEED", int(time.Now().UnixNano()&0xffffff)))
	t.Logf("PROVE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0)) // #nosec G404 -- choices of a test
}

// leaked returns the first internal detail in a response, or an empty string.
func leaked(body []byte) string {
	for _, inner := range []string{"127.0.0.1", "sql", "SQL", "dial tcp", "EOF", ".go:", "goroutine", "connection refused", "context deadline", "pgx"} {
		if strings.Contains(string(body), inner) {
			return inner
		}
	}
	return ""
}
