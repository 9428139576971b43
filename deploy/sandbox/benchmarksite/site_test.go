package benchmarksite_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/benchmarksite"
)

func TestAnswers(t *testing.T) {
	const header = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL\n"
	for _, c := range []struct {
		path        string
		status      int
		contentType string
		begins      string
	}{
		{"/resources/download/csv/CPU_UserBenchmarks.csv", 200, "text/csv", header + "CPU,"},
		{"/resources/download/csv/GPU_UserBenchmarks.csv", 200, "text/csv", header + "GPU,,Nvidia,RTX 5090,1,"},
		{"/resources/download/csv/cpu_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"/resources/download/csv/TPU_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"/robots.txt", 200, "text/plain", "User-agent: *\nAllow: /\n"},
		{"/", 200, "text/html", "<!DOCTYPE html>"},
		{"/page/developer", 200, "text/html", "<!DOCTYPE html>"},
		{"/nowhere", 404, "text/html", "<!DOCTYPE html>"},
	} {
		recorder := httptest.NewRecorder()
		benchmarksite.New().ServeHTTP(recorder, httptest.NewRequest("GET", c.path, nil))
		if recorder.Code != c.status || !strings.HasPrefix(recorder.Header().Get("Content-Type"), c.contentType) {
			t.Errorf("%s: got %d %s", c.path, recorder.Code, recorder.Header())
		}
		if !strings.HasPrefix(recorder.Body.String(), c.begins) {
			t.Errorf("%s: begins %.80q, want %q", c.path, recorder.Body, c.begins)
		}
	}
}
