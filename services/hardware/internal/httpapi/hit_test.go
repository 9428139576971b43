package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// sink takes a body without allocating for it.
type sink struct {
	header http.Header
	body   bytes.Buffer
}

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) WriteHeader(int)             {}
func (s *sink) Write(b []byte) (int, error) { return s.body.Write(b) }

// allocations returns how often a hit allocates: the least of many runs, because
// pools drop entries at random under the race detector.
func allocations(by http.Handler, path, encoding string) float64 {
	request, out := httptest.NewRequest(http.MethodGet, path, nil), &sink{header: http.Header{}}
	request.Header.Set("Accept-Encoding", encoding)
	least := math.Inf(1)
	for range 200 {
		least = min(least, testing.AllocsPerRun(1, func() {
			clear(out.header)
			out.body.Reset()
			by.ServeHTTP(out, request)
		}))
	}
	return least
}

// TestHitEncodesNothing: a hit has its body, and allocates as little for 500 rows as for
// one, plain and in gzip.
func TestHitEncodesNothing(t *testing.T) {
	s := newLongRanking(t, 0)
	s.via = lookup.ViaLocal
	limited := func(limit string) string { return "/api/benchmark/gpu?limit=" + limit }
	paths := []string{limited("10"), limited("200"), limited("500"), priceOf + "q=abc"}
	for _, encoding := range []string{"identity", "gzip"} {
		ten := allocations(s, paths[0], encoding)
		for _, path := range paths {
			if n := allocations(s, path, encoding); n < ten-5 || n > ten+5 { // a price has more parameters
				t.Errorf("%s in %s: %v allocations, %v for ten rows", path, encoding, n, ten)
			}
		}
	}
	if n := s.bodies.Misses(); n != int64(len(paths)) {
		t.Errorf("%d bodies of %d were encoded", n, len(paths))
	}
}

// newLongRanking returns a service whose default answer is long enough for gzip.
func newLongRanking(t *testing.T, age time.Duration) *service {
	s := newService(t, age).unchecked()
	s.ranking = ranking(500, now.Add(-age))
	return s
}

func TestGzipIsServedIfAccepted(t *testing.T) {
	s := newLongRanking(t, 0)
	full := s.get("/api/benchmark/gpu")
	for accept, want := range map[string]string{
		"": "", "identity": "", "br, zstd": "", "*": "", "gzipped": "", "gzip;q=0": "", "gzip ; Q=0.000": "", "br, gzip;q=0": "",
		"gzip": "gzip", "GZip": "gzip", "gzip, deflate, br, zstd": "gzip", "br;q=1,gzip;q=0.1": "gzip", "gzip;q=x": "gzip",
	} {
		answer := s.get("/api/benchmark/gpu", "Accept-Encoding", accept)
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
	s := newLongRanking(t, 0)
	zipped := []string{"Accept-Encoding", "gzip"}
	etag := s.get("/api/benchmark/gpu", zipped...).Header().Get("ETag")
	again := s.get("/api/benchmark/gpu", append(zipped, "If-None-Match", etag)...)
	h := again.Header()
	if again.Code != http.StatusNotModified || h.Get("ETag") != etag || h.Get("Vary") == "" || h.Get("Content-Encoding") != "" {
		t.Errorf("answer %d %v", again.Code, h)
	}
	if other := s.get("/api/benchmark/gpu", "If-None-Match", etag); other.Code != http.StatusOK {
		t.Errorf("the tag of the gzip body stands for the plain one: %d", other.Code)
	}
	plain := s.get("/api/benchmark/gpu").Header().Get("ETag")
	if other := s.get("/api/benchmark/gpu", append(zipped, "If-None-Match", plain)...); other.Code != http.StatusOK {
		t.Errorf("the tag of the plain body stands for the one in gzip: %d", other.Code)
	}
}

// TestGzipIsForKeptAnswers: from the first response on. What is not kept, or short, is
// sent plain.
func TestLongAnswersAreCompressed(t *testing.T) {
	fresh, expired := newLongRanking(t, 0), newLongRanking(t, 25*time.Hour)
	for range 2 {
		for _, tt := range []struct {
			s          *service
			path, want string
		}{
			{fresh, "/api/benchmark/gpu", "gzip"}, {fresh, "/api/benchmark/gpu?limit=1", ""}, {expired, "/api/benchmark/gpu", "gzip"},
		} {
			if got := tt.s.get(tt.path, "Accept-Encoding", "gzip").Header().Get("Content-Encoding"); got != tt.want {
				t.Errorf("%s: Content-Encoding %q, want %q", tt.path, got, tt.want)
			}
		}
	}
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
