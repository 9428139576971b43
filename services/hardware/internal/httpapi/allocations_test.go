package httpapi_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"
)

// maxAllocations is what our own code may allocate for a hit.
const maxAllocations = 8

// TestHitAllocatesLittle counts what a hit allocates beyond what echo does for a
// handler that writes the same bytes.
func TestHitAllocatesLittle(t *testing.T) {
	r, bare := newWorld().newReplica(t), echo.New()
	for _, path := range []string{"/api/benchmark/gpu", priceOf + "q=rtx+4070+super&category=gpu"} {
		etag := r.get(path).Header().Get("ETag")
		body := r.get(path).Body.Bytes()
		bare.GET("/*", func(c echo.Context) error {
			c.Response().WriteHeader(http.StatusOK)
			_, err := c.Response().Write(body)
			return err
		})
		for name, headers := range map[string][]string{
			"a hit": nil, "a hit in gzip": {"Accept-Encoding", "gzip, deflate, br, zstd"}, "304": {"If-None-Match", etag},
		} {
			own := allocations(r.echo, path, headers...) - allocations(bare, path, headers...)
			if own > maxAllocations {
				t.Errorf("%s of %s allocates %v times", name, path, own)
			}
		}
	}
}

// allocations is how often an answer to a request allocates: the least of many runs,
// because pools forget at random while races are looked for.
func allocations(by http.Handler, path string, headers ...string) float64 {
	request, out := httptest.NewRequest(http.MethodGet, path, nil), &sink{header: http.Header{}}
	if len(headers) == 2 {
		request.Header.Set(headers[0], headers[1])
	}
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
