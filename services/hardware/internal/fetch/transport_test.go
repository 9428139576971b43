package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

// zipped responds with a page, compressed.
func zipped(page string) http.HandlerFunc {
	return withHeader("Content-Encoding", "gzip", func(w http.ResponseWriter, _ *http.Request) {
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, page)
		_ = z.Close()
	})
}

func TestGetNeverCutsAPageShort(t *testing.T) {
	chunked := func(w http.ResponseWriter, _ *http.Request) {
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, strings.Repeat("x", maxBody+1))
	}
	page := text(200, "<html>")
	for name, tt := range map[string]struct {
		respond http.HandlerFunc
		code    string
	}{
		"largest": {text(200, strings.Repeat(" ", maxBody)), ""},
		"largest, announced": {
			withHeader("Content-Length", strconv.Itoa(maxBody), text(200, strings.Repeat(" ", maxBody))), "",
		},
		"compressed":         {zipped("<html>"), ""},
		"identity":           {withHeader("Content-Encoding", "identity", page), ""},
		"too large":          {text(200, strings.Repeat(" ", maxBody+1)), CodeChanged},
		"too large, chunked": {chunked, CodeChanged},
		"gzip bomb":          {zipped(strings.Repeat("x", 64<<20)), CodeChanged},
		"gzip by its type": {
			withHeader("Content-Type", "application/gzip", func(w http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(w, "<html>")
			}), "",
		},
		"unknown encoding": {withHeader("Content-Encoding", "br", page), CodeChanged},
		"absurd length":    {withHeader("Content-Length", "9000000000000000", page), CodeChanged},
		"cut off":          {withHeader("Content-Length", "100000", page), CodeUnavailable},
		"broken gzip":      {withHeader("Content-Encoding", "gzip", page), CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t)
			s.on("/page", tt.respond)
			if tt.code == "" {
				s.wantPage(t, "/page")
			} else {
				s.wantCode(t, "/page", tt.code)
			}
		})
	}
}

func TestGetReportsASiteThatIsDown(t *testing.T) {
	s := newStub(t)
	s.Close()
	s.wantCode(t, "/page", CodeUnavailable)
}

func TestGetEndsWithItsContext(t *testing.T) {
	s := newStub(t)
	ctx, cancel := context.WithCancel(t.Context())
	released := make(chan struct{})
	s.on("/page", func(http.ResponseWriter, *http.Request) { cancel(); <-released })
	_, err := s.fetch(ctx, "/page")
	close(released)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// slowSite responds to every request after a time, or when its context ends.
type slowSite time.Duration

func (s slowSite) RoundTrip(req *http.Request) (*http.Response, error) {
	select {
	case <-time.After(time.Duration(s)):
		return &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: req},
			nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// brokenSite fails every request with its error, at once or when the request's time is over.
type brokenSite struct {
	err              error
	atOnce, responds bool // responds: it fails while its body is read
}

func (s brokenSite) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.responds {
		body, writer := io.Pipe()
		context.AfterFunc(req.Context(), func() { _ = writer.CloseWithError(s.err) })
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body, Request: req}, nil
	}
	if !s.atOnce {
		<-req.Context().Done()
	}
	return nil, s.err
}

// Transports report the end of a request's time in words of their own.
func TestEveryTimeoutIsSlow(t *testing.T) {
	for name, tt := range map[string]struct {
		site brokenSite
		code string
	}{
		"dialling takes too long": {
			brokenSite{err: &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, atOnce: true}, CodeSlow,
		},
		"stream closed after its time": {brokenSite{err: errors.New("stream closed")}, CodeSlow},
		"body that does not come":      {brokenSite{err: errors.New("stream closed"), responds: true}, CodeSlow},
		"stream closed":                {brokenSite{err: errors.New("stream closed"), atOnce: true}, CodeUnavailable},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := clientOf(t, "https://www.ceneo.pl")
			c.Timeout, c.Transport = 10*time.Second, tt.site
			if _, err := c.Get(t.Context(), &Request{}, "https://www.ceneo.pl/1", nil); !fault.Is(err, tt.code) {
				t.Errorf("%s: %v, want %s", name, err, tt.code)
			}
		})
	}
}
