package benchmarksite_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/benchmarksite"
	"backend.example/deploy/sandbox/internal/faults"
)

const header = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL\n"

func get(handler http.Handler, method, path string, fault faults.Fault) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, nil)
	if fault.Kind != "" {
		request = request.WithContext(faults.WithFault(request.Context(), fault))
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	return recorder
}

func TestAnswers(t *testing.T) {
	handler := benchmarksite.New().Handler
	cases := []struct {
		method, path string
		status       int
		contentType  string
		begins       string
	}{
		{"GET", "/resources/download/csv/CPU_UserBenchmarks.csv", 200, "text/csv", header + "CPU,"},
		{"GET", "/resources/download/csv/GPU_UserBenchmarks.csv", 200, "text/csv", header + "GPU,,Nvidia,RTX 5090,1,"},
		{"GET", "/resources/download/csv/SSD_UserBenchmarks.csv", 200, "text/csv", header + "SSD,"},
		{"GET", "/resources/download/csv/HDD_UserBenchmarks.csv", 200, "text/csv", header + "HDD,"},
		{"GET", "/resources/download/csv/RAM_UserBenchmarks.csv", 200, "text/csv", header + "RAM,"},
		{"GET", "/resources/download/csv/USB_UserBenchmarks.csv", 200, "text/csv", header + "USB,"},
		{"GET", "/resources/download/csv/cpu_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"GET", "/resources/download/csv/TPU_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"GET", "/robots.txt", 200, "text/plain", "User-agent: *\nAllow: /\n"},
		{"GET", "/", 200, "text/html", "<!DOCTYPE html>"},
		{"GET", "/page/developer", 200, "text/html", "<!DOCTYPE html>"},
		{"GET", "/nowhere", 404, "text/html", "<!DOCTYPE html>"},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			answer := get(handler, c.method, c.path, faults.Fault{})
			if answer.Code != c.status || !strings.HasPrefix(answer.Header().Get("Content-Type"), c.contentType) {
				t.Errorf("got %d %s", answer.Code, answer.Header())
			}
			if !strings.HasPrefix(answer.Body.String(), c.begins) {
				t.Errorf("begins %.80q, want %q", answer.Body, c.begins)
			}
		})
	}
}

func TestTheDeveloperPageLinksEveryDownload(t *testing.T) {
	page := get(benchmarksite.New().Handler, "GET", "/page/developer", faults.Fault{}).Body.String()
	if !strings.Contains(page, "danymi demonstracyjnymi") {
		t.Error("the page does not tell that the figures are made up")
	}
	for _, family := range []string{"CPU", "GPU", "SSD", "HDD", "RAM", "USB"} {
		if !strings.Contains(page, `href="/resources/download/csv/`+family+`_UserBenchmarks.csv"`) {
			t.Errorf("no link to %s", family)
		}
	}
}

func TestDownloadsAreTheSameOnEveryStart(t *testing.T) {
	const path = "/resources/download/csv/GPU_UserBenchmarks.csv"
	first := get(benchmarksite.New().Handler, "GET", path, faults.Fault{})
	second := get(benchmarksite.New().Handler, "GET", path, faults.Fault{})
	if first.Body.String() != second.Body.String() {
		t.Error("two starts serve different rows")
	}
	if got := first.Header().Get("Content-Length"); got != strconv.Itoa(first.Body.Len()) {
		t.Errorf("Content-Length %s for %d bytes", got, first.Body.Len())
	}
}

func TestBadCSVSendsAPage(t *testing.T) {
	answer := get(benchmarksite.New().Handler, "GET", "/resources/download/csv/CPU_UserBenchmarks.csv",
		faults.Fault{Kind: benchmarksite.BadCSV})
	if answer.Code != 200 || !strings.HasPrefix(answer.Body.String(), "<!DOCTYPE html>") ||
		!strings.HasPrefix(answer.Header().Get("Content-Type"), "text/html") {
		t.Errorf("got %d %s %.60q", answer.Code, answer.Header(), answer.Body)
	}
}

func TestItDeclaresItsFaults(t *testing.T) {
	site := benchmarksite.New().Site
	board := faults.NewBoard(site)
	if err := board.Set("benchmark", faults.Fault{Kind: benchmarksite.BadCSV}); err != nil {
		t.Error(err)
	}
	if err := board.Set("benchmark", faults.Fault{Kind: "captcha"}); err == nil {
		t.Error("it takes the captcha of the aggregator")
	}
}
