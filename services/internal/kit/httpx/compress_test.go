package httpx_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
)

// negotiated is what a client sees of a response.
type negotiated struct {
	Status                     int
	Encoding, ETag, Vary, Body string
}

// Every coding has an ETag of its own, and ranges are those of the plain body.
func TestCompression(t *testing.T) {
	long := strings.Repeat("0123456789", 200)
	s := newService()
	s.GET("/long", func(c echo.Context) error {
		c.Response().Header().Set("Content-Type", "text/css")
		c.Response().Header().Set("ETag", `"a"`)
		http.ServeContent(c.Response(), c.Request(), "", time.Time{}, strings.NewReader(long))
		return nil
	})
	s.GET("/short", func(c echo.Context) error { return c.String(http.StatusOK, "short") })
	s.GET("/picture", func(c echo.Context) error { return c.Blob(http.StatusOK, "image/png", []byte(long)) })
	for _, test := range []struct {
		request string // the path and headers
		want    negotiated
	}{
		{"/long", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding=gzip", negotiated{200, "gzip", `"a-gzip"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding=br,gzip;q=0", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding=gzip Range=bytes=2-4", negotiated{206, "", `"a"`, "Accept-Encoding", "234"}},
		{"/long Accept-Encoding=gzip If-None-Match=\"a-gzip\"", negotiated{304, "", `"a-gzip"`, "Accept-Encoding", ""}},
		{"/long If-None-Match=\"a-gzip\"", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/short Accept-Encoding=gzip", negotiated{200, "", "", "", "short"}},
		{"/picture Accept-Encoding=gzip", negotiated{200, "", "", "", long}},
	} {
		path, headers, _ := strings.Cut(test.request, " ")
		r := httptest.NewRequest(http.MethodGet, path, nil)
		for header := range strings.FieldsSeq(headers) {
			name, value, _ := strings.Cut(header, "=")
			r.Header.Set(name, value)
		}
		if diff := cmp.Diff(test.want, negotiate(t, s, r)); diff != "" {
			t.Errorf("%s: %s", test.request, diff)
		}
	}
}

// negotiate returns the response with its body uncompressed.
func negotiate(t *testing.T, s service, r *http.Request) negotiated {
	t.Helper()
	answer := s.do(r)
	h, body := answer.Header(), answer.Body.Bytes()
	if h.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body, err = io.ReadAll(reader); err != nil {
			t.Fatal(err)
		}
	}
	return negotiated{answer.Code, h.Get("Content-Encoding"), h.Get("ETag"), h.Get("Vary"), string(body)}
}
