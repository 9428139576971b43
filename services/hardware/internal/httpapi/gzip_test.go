package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

// plain sends a request past the contract, which covers no encodings.
func (r replica) plain(path string, headers ...string) *httptest.ResponseRecorder {
	past := r.service
	past.Handler = r.echo
	return past.get(path, headers...)
}

func TestGzipIsServedIfAccepted(t *testing.T) {
	r := newWorld().newReplica(t)
	full := r.get("/api/benchmark/gpu")
	for accept, want := range map[string]string{
		"": "", "identity": "", "br, zstd": "", "*": "", "gzipped": "", "gzip;q=0": "", "gzip ; Q=0.000": "", "br, gzip;q=0": "",
		"gzip": "gzip", "GZip": "gzip", "gzip, deflate, br, zstd": "gzip", "br;q=1,gzip;q=0.1": "gzip", "gzip;q=x": "gzip",
	} {
		answer := r.plain("/api/benchmark/gpu", "Accept-Encoding", accept)
		h, body := answer.Header(), answer.Body.Bytes()
		if got := h.Get("Content-Encoding"); got != want || h.Get("Vary") != "Accept-Encoding" || h.Get("Content-Length") != strconv.Itoa(len(body)) {
			t.Errorf("Accept-Encoding %q: %v", accept, h)
			continue
		}
		if same := h.Get("ETag") == full.Header().Get("ETag"); same != (want == "") {
			t.Errorf("Accept-Encoding %q: ETag %q, without encoding %q", accept, h.Get("ETag"), full.Header().Get("ETag"))
		}
		if want != "" {
			body = unzip(t, body)
		}
		if !bytes.Equal(body, full.Body.Bytes()) {
			t.Errorf("Accept-Encoding %q: another body", accept)
		}
	}
}

func TestNotModifiedDependsOnTheEncoding(t *testing.T) {
	r := newWorld().newReplica(t)
	r.get("/api/benchmark/gpu")
	zipped := []string{"Accept-Encoding", "gzip"}
	etag := r.plain("/api/benchmark/gpu", zipped...).Header().Get("ETag")
	again := r.plain("/api/benchmark/gpu", append(zipped, "If-None-Match", etag)...)
	h := again.Header()
	if again.Code != http.StatusNotModified || h.Get("ETag") != etag || h.Get("Vary") == "" || h.Get("Content-Encoding") != "" {
		t.Errorf("answer %d %v", again.Code, h)
	}
	if other := r.plain("/api/benchmark/gpu", "If-None-Match", etag); other.Code != http.StatusOK {
		t.Errorf("the tag of the gzip body stands for the plain one: %d", other.Code)
	}
	plain := r.plain("/api/benchmark/gpu").Header().Get("ETag")
	if other := r.plain("/api/benchmark/gpu", append(zipped, "If-None-Match", plain)...); other.Code != http.StatusOK {
		t.Errorf("the tag of the plain body stands for the one in gzip: %d", other.Code)
	}
}

// TestGzipIsForKeptAnswers: from the first response on. What is not kept, or short, is
// sent plain.
func TestGzipIsForKeptAnswers(t *testing.T) {
	w := newWorld()
	requireEncoding := func(s service, path, want string) {
		t.Helper()
		past := replica{service: s}
		if got := past.plain(path, "Accept-Encoding", "gzip").Header().Get("Content-Encoding"); got != want {
			t.Errorf("%s: Content-Encoding %q, want %q", path, got, want)
		}
	}
	for range 2 { // from the source, then from the shared store
		r := w.newReplica(t)
		requireEncoding(r.service, "/api/benchmark/gpu", "gzip")
		requireEncoding(r.service, "/api/benchmark/gpu", "gzip")
		requireEncoding(r.service, "/api/benchmark/gpu?limit=1", "")
	}
	c := newCanned(t, 25*time.Hour)
	c.ranking = ranking(500, now.Add(-25*time.Hour))
	requireEncoding(c.service, "/api/benchmark/gpu", "")
}

func unzip(t *testing.T, body []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}
