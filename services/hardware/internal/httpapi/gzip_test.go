package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// plain sends a request past the contract, which knows no encodings and no scratches.
func (r replica) plain(path string, headers ...string) *httptest.ResponseRecorder {
	past := r.service
	past.Handler = r.echo
	return past.get(path, headers...)
}

func TestGzipIsServedToThoseWhoTakeIt(t *testing.T) {
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

func TestNotModifiedKnowsTheEncoding(t *testing.T) {
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
}

// TestGzipEncodesNothing: a hit in gzip takes the same memory for 500 rows as for
// ten, and writes the bytes of the one encoded copy.
func TestGzipEncodesNothing(t *testing.T) {
	r := newWorld().newReplica(t)
	r.get("/api/benchmark/gpu")
	ranked, _, err := r.rankings.Get(t.Context(), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	scratch(ranked.Rendered)
	for _, limit := range []string{"10", "11", "200", "500"} {
		plain, err := gzip.NewReader(r.plain("/api/benchmark/gpu?limit="+limit, "Accept-Encoding", "gzip").Body)
		if err != nil {
			t.Fatal(err)
		}
		// Only the sum is made anew, and tells that the two copies differ.
		if text, err := io.ReadAll(plain); bytes.Contains(text, []byte("~")) || !errors.Is(err, gzip.ErrChecksum) {
			t.Errorf("limit %s is not cut from the one encoded copy: %v", limit, err)
		}
	}
	one := allocations(r.echo, "/api/benchmark/gpu?limit=10", "Accept-Encoding", "gzip")
	all := allocations(r.echo, "/api/benchmark/gpu?limit=500", "Accept-Encoding", "gzip")
	if all > one {
		t.Errorf("%v allocations for 500 rows, %v for one", all, one)
	}
}

// TestWhatIsKeptIsCompressed from its first answer on; what is given out once never is.
func TestWhatIsKeptIsCompressed(t *testing.T) {
	w := newWorld()
	requireEncoding := func(r replica, want string) {
		t.Helper()
		if got := r.plain("/api/benchmark/gpu", "Accept-Encoding", "gzip").Header().Get("Content-Encoding"); got != want {
			t.Errorf("Content-Encoding %q, want %q", got, want)
		}
	}
	for range 2 { // from the source, then from the shared store
		r := w.newReplica(t)
		requireEncoding(r, "gzip")
		requireEncoding(r, "gzip")
	}
	c := newCanned(t, time.Hour)
	c.ranking, c.via = ranking(500, now), lookup.ViaLocal // an answer without a form
	requireEncoding(replica{service: c.service}, "")
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
