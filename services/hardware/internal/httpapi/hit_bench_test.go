package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// BenchmarkHit measures what a kept answer costs.
func BenchmarkHit(b *testing.B) {
	r := newWorld().newReplica(b)
	price := priceOf + "q=rtx+4070+super&category=gpu"
	for _, path := range []string{"/api/benchmark/gpu", "/api/benchmark/gpu?limit=500", price} {
		r.plain(path)
		etag := r.plain(path).Header().Get("ETag")
		for _, headers := range [][2]string{{}, {"Accept-Encoding", "gzip, deflate, br, zstd"}, {"If-None-Match", etag}} {
			request := httptest.NewRequest(http.MethodGet, path, nil)
			if headers[0] != "" {
				request.Header.Set(headers[0], headers[1])
			}
			b.Run(path[:18]+path[len(path)-3:]+"/"+headers[0], func(b *testing.B) {
				out := &sink{header: http.Header{}}
				b.ReportAllocs()
				for b.Loop() {
					clear(out.header)
					out.body.Reset()
					r.echo.ServeHTTP(out, request)
				}
			})
		}
	}
}
