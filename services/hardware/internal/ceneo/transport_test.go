package ceneo

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

func TestFindNeverCutsAPageShort(t *testing.T) {
	bomb := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		chunk := make([]byte, 64<<10)
		for range 1 << 10 { // 64 MiB, some 64 KiB compressed
			if _, err := z.Write(chunk); err != nil {
				return
			}
		}
	}
	tests := map[string]struct {
		answer http.HandlerFunc
		code   string
	}{
		"too large":          {text(200, fixture(t, "list.html")+strings.Repeat(" ", DefaultMaxBody)), lookup.CodeChanged},
		"too large, chunked": {flushed(strings.Repeat("<p>", DefaultMaxBody)), lookup.CodeChanged},
		"gzip bomb":          {bomb, lookup.CodeChanged},
		"unknown encoding":   {withHeader("Content-Encoding", "br", fixture(t, "list.html")), lookup.CodeChanged},
		"absurd length":      {withHeader("Content-Length", "9000000000000000", "<html>"), lookup.CodeChanged},
		"cut off":            {withHeader("Content-Length", "100000", "<html>"), lookup.CodeUnavailable},
		"broken gzip":        {withHeader("Content-Encoding", "gzip", "no gzip"), lookup.CodeUnavailable},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, pacer := openStub(t)
			s.on(searchPath, tt.answer)
			_, err := find(t.Context(), a, query("RTX 4070"))
			wantCode(t, err, tt.code)
			if begun, sent := pacer.turns(); len(begun) != 2 || sent != 2 {
				t.Errorf("turns %v, %d sent", begun, sent)
			}
		})
	}
}

func TestFindReadsCompressedPages(t *testing.T) {
	s, a, _ := openStub(t)
	list := fixture(t, "list.html")
	s.on(searchPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		_, _ = io.WriteString(z, list)
	})
	mustFind(t, a, query("RTX 4070"))
}

func TestFindReportsASourceThatIsNotThere(t *testing.T) {
	s, a, pacer := openStub(t)
	s.Close()
	_, err := find(t.Context(), a, query("RTX 4070"))
	wantCode(t, err, lookup.CodeUnavailable)
	if begun, sent := pacer.turns(); len(begun) != 1 || sent != 1 {
		t.Errorf("turns %v, %d sent: the turn of a failed request was not given back", begun, sent)
	}
}

// The pacer must hear of a request when it is written, not when it is answered.
func TestSentIsCalledBeforeTheAnswer(t *testing.T) {
	s, _, _ := openStub(t)
	written := make(chan struct{}, 3)
	o, _ := options(t, s.URL)
	o.Pacer = pacerFunc(func(context.Context) (func(), error) { return func() { written <- struct{}{} }, nil })
	s.on(robotsPath, func(http.ResponseWriter, *http.Request) {
		select {
		case <-written:
		case <-time.After(10 * time.Second):
			t.Error("answered, but not reported as written")
		}
	})
	mustFind(t, NewAggregator(o), query("RTX 4070"))
}

func slowAggregator(t *testing.T, takes, wait time.Duration) *Aggregator {
	t.Helper()
	return NewAggregator(AggregatorOptions{
		BaseURL: mustParse(t, "https://www.ceneo.pl"), Timeout: 10 * time.Second, Transport: slowSource{takes}, Now: time.Now,
		Pacer: pacerFunc(func(ctx context.Context) (func(), error) {
			select {
			case <-time.After(wait):
				return func() {}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}),
	})
}

func TestTimeIsCountedFromTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		_, err := find(t.Context(), slowAggregator(t, 9*time.Second, time.Hour), query("Logitech MX Keys"))
		wantCode(t, err, lookup.CodeUnavailable) // the stub's 404, in time
		if took := time.Since(started); took != 2*(time.Hour+9*time.Second) {
			t.Errorf("took %v", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		started := time.Now()
		_, err := find(t.Context(), slowAggregator(t, time.Hour, time.Minute), query("RTX 4070"))
		wantCode(t, err, lookup.CodeSlow)
		if took := time.Since(started); took != time.Minute+10*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestTheCallersDeadlineIsNotTheSourcesFault(t *testing.T) {
	for name, wait := range map[string]time.Duration{"while asking": 0, "while waiting": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				_, err := find(ctx, slowAggregator(t, 9*time.Second, wait), query("RTX 4070"))
				if !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, lookup.CodeSlow) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}
