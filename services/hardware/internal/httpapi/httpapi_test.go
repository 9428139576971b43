package httpapi_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/httpx"
)

// The run fails if a response that the contract documents never occurs in it.
func TestMain(m *testing.M) { os.Exit(apptest.Checker.Run(m.Run)) }

const (
	ryzen   = "/api/prices/ceneo?q=Ryzen+7+7800X3D&category=cpu"
	popular = "/api/prices/ceneo/popular?category="
	quotes  = "/api/prices/ceneo/quotes"
)

type failure struct {
	Error, Code string
	Allowed     []string
}

func TestRefusedRequests(t *testing.T) {
	a := apptest.New(t)
	families := []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"}
	categories := []string{"cpu", "gpu", "ram", "storage", "motherboard", "psu", "cooling", "case"}
	tests := []struct {
		path    string
		status  int
		code    string
		allowed []string
	}{
		{"/api/benchmark/psu", 400, "unknown_type", families},
		{"/api/benchmark/gpu?limit=0", 400, "invalid_limit", nil},
		{"/api/benchmark/gpu?limit=x", 400, "invalid_limit", nil},
		{"/api/benchmark/gpu?limit=%zz", 400, "invalid_query_string", nil},
		{"/api/prices/ceneo?q=i7", 400, "query_too_short", nil},
		{"/api/prices/ceneo", 400, "query_too_short", nil},
		{"/api/prices/ceneo?q=a%00bc", 400, "invalid_query", nil},
		{"/api/prices/ceneo?q=%zz", 400, "invalid_query_string", nil},
		{"/api/prices/ceneo?q=abc&category=ssd", 400, "unknown_category", categories},
		{"/api/prices/skapiec?q=abc", 404, "unknown_aggregator", []string{"ceneo"}},
		{popular, 400, "unknown_category", categories},
		{popular + "cpu&with=ab", 400, "query_too_short", nil},
		{popular + "cpu&with=a%00bc", 400, "invalid_query", nil},
		{popular + "cpu&with=%zz", 400, "invalid_query_string", nil},
		{popular + "cpu" + strings.Repeat("&with=abc", 21), 400, "invalid_with", nil},
		{"/api/prices/skapiec/popular?category=cpu", 404, "unknown_aggregator", []string{"ceneo"}},
		{"/api/nothing", 404, "not_found", nil},
	}
	for _, test := range tests {
		response := a.Get(test.path)
		var got failure
		response.JSON(&got)
		want := failure{got.Error, test.code, test.allowed}
		if diff := cmp.Diff(want, got); diff != "" || response.Code != test.status || got.Error == "" {
			t.Errorf("%s: status %d, want %d (-want +got):\n%s", test.path, response.Code, test.status, diff)
		}
		if cached := response.Header().Get("Cache-Control"); cached != "no-store" {
			t.Errorf("%s: Cache-Control %q", test.path, cached)
		}
	}
	if asked := a.Asked(); len(asked) > 0 {
		t.Errorf("requests to the source: %v", asked)
	}
}

// TestStatuses makes every failure of a source that the contract documents.
func TestStatuses(t *testing.T) {
	tests := []struct {
		fault  fake.Fault
		status int
		code   string
	}{
		{fake.Fault{Kind: "status", Status: 500}, 502, "source_unavailable"},
		{fake.Fault{Kind: "slow", DelayMS: 500}, 504, "source_timeout"},
		{fake.Fault{Kind: "captcha"}, 502, "source_blocked"},
	}
	a := apptest.New(t, "HARDWARE_SOURCE_TIMEOUT=200ms")
	a.Get(ryzen).Want(200)
	for _, test := range tests {
		a.Ceneo.SetFault(test.fault)
		var got failure
		a.Get("/api/prices/ceneo?q=RTX+4070").Want(test.status).JSON(&got)
		if got.Code != test.code {
			t.Errorf("%+v: code %q, want %q", test.fault, got.Code, test.code)
		}
	}
	response := a.Get("/api/prices/ceneo?q=RTX+4070").Want(503)
	if response.Header().Get("Retry-After") == "" {
		t.Error("a paused source without Retry-After")
	}
	a.Get(ryzen).Want(200) // what is cached is there all the same
}

func TestRankings(t *testing.T) {
	a := apptest.New(t) // its rankings have 250 rows
	counts := map[string]int{"": 200, "?limit=3": 3, "?limit=501": 250, "?limit=99999999999999999999": 250}
	for path, count := range counts {
		if strings.Contains(path, "999") {
			a.Handler = a.Unchecked // the checker reads integers of 64 bits at most
		}
		var got struct {
			Source string
			Count  int
			Rows   []struct{ Rank int }
		}
		a.Get("/api/benchmark/gpu" + path).Want(200).JSON(&got)
		if got.Source != "userbenchmark.com" || got.Count != count || len(got.Rows) != count {
			t.Errorf("limit %q: %d rows of %s, want %d", path, got.Count, got.Source, count)
		}
	}
}

func TestRankingFallback(t *testing.T) {
	a := apptest.New(t)
	a.Get("/api/benchmark/gpu").Want(200)
	a.UserBenchmark.SetFault(fake.Fault{Kind: "status", Status: 500})
	a.UserBenchmark.ClearRequests()
	a.Clock.Pass(25 * time.Hour)
	for _, family := range []string{"gpu", "cpu", "gpu"} {
		response := a.Get("/api/benchmark/" + family).Want(200)
		var got struct {
			Source string
			Count  int
		}
		response.JSON(&got)
		if got.Source != "local-fallback" || got.Count == 0 || response.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %+v, %v", family, got, response.Header())
		}
	}
	files := 0
	for _, request := range a.UserBenchmark.Requests() {
		if strings.HasSuffix(request.Path, ".csv") {
			files++
		}
	}
	if files != 1 {
		t.Errorf("%d requests for a ranking, want one until the pause ends", files)
	}
}

func TestHTTPCaching(t *testing.T) {
	a := apptest.New(t)
	tests := []struct {
		name, path         string
		advance            time.Duration
		headers            []string
		status             int
		cache, cacheStatus string
	}{
		{"fetched", ryzen, 0, nil, 200, "public, max-age=86400", "hardware; fwd=miss; stored; ttl=86400"},
		{"a hit", ryzen, time.Hour, nil, 200, "public, max-age=82800", "hardware; hit; ttl=82800; detail=local"},
		{"nothing matched", "/api/prices/ceneo?q=brakwyniku", 0, nil, 200, "no-store", "hardware; fwd=miss"},
	}
	for _, test := range tests {
		a.Clock.Pass(test.advance)
		response := a.Get(test.path, test.headers...).Want(test.status)
		header := response.Header()
		got := []string{header.Get("Cache-Control"), header.Get("Cache-Status"), header.Get("Age")}
		if diff := cmp.Diff([]string{test.cache, test.cacheStatus, ""}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
	tag := a.Get(ryzen).Header().Get("ETag")
	a.Get(ryzen, "If-None-Match", tag).Want(304)
	head := a.Do(httptest.NewRequest(http.MethodHead, ryzen, nil)).Want(200)
	if head.Header().Get("ETag") != tag || head.Body.Len() > 0 {
		t.Errorf("HEAD: tag %q, %d bytes", head.Header().Get("ETag"), head.Body.Len())
	}
	a.Do(httptest.NewRequest(http.MethodHead, ryzen, nil), "If-None-Match", tag).Want(304)
	a.Get("/api/benchmark/gpu", "If-None-Match", a.Get("/api/benchmark/gpu").Header().Get("ETag")).Want(304)
	a.Do(httptest.NewRequest(http.MethodHead, "/api/benchmark/gpu", nil)).Want(200)
	a.Do(httptest.NewRequest(http.MethodHead, popular+"cpu", nil)).Want(200)
	a.Handler = a.Unchecked // the checker reads no encodings
	zipped := a.Get("/api/benchmark/gpu", "Accept-Encoding", "br, gzip").Want(200)
	plain := a.Get("/api/benchmark/gpu").Want(200)
	if zipped.Header().Get("ETag") == plain.Header().Get("ETag") {
		t.Error("two encodings have one ETag")
	}
	reader, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := io.ReadAll(reader)
	if err != nil || string(unzipped) != plain.Body.String() {
		t.Errorf("the encodings differ, %v", err)
	}
}

func TestQuotesRequests(t *testing.T) {
	a := apptest.New(t)
	tests := map[string]string{
		`{"items":[]}`: "invalid_items", `{"items":[` + strings.Repeat(`{"q":"abc"},`, 20) +
			`{"q":"abc"}]}`: "invalid_items",
		`{"items":[{"q":"ab"}]}`: "query_too_short", `{"items":[{"q":"abc\u0000"}]}`: "invalid_query",
		`{"items":[{"q":"abc","category":"ssd"}]}`: "unknown_category",
		`{"item":[]}`: "invalid_body", `{"items":[{"q":"abc"}]} {}`: "invalid_body", `[`: "invalid_body",
		`{"items":[{"q":"` + strings.Repeat("x", httpapi.BodyLimit) + `"}]}`: "body_too_large",
	}
	for body, code := range tests {
		var got failure
		a.Post(quotes, body).JSON(&got)
		if got.Code != code {
			t.Errorf("%.40s: code %q, want %q", body, got.Code, code)
		}
	}
}

func TestQuotes(t *testing.T) {
	a := apptest.New(t, "HARDWARE_PRICE_INTERVAL=150ms")
	body := `{"items":[{"q":"Ryzen 7 7800X3D","category":"cpu"},{"q":"MSI B650 GAMING PLUS WIFI"},{"q":"brakwyniku"}]}`
	type item struct {
		Status, Fits string
		Place        int
		Price        struct{ ProductName string }
	}
	var first, last struct{ Items []item }
	a.Post(quotes, body).Want(200).JSON(&first)
	if got := first.Items[1]; got.Status != "queued" || got.Place == 0 {
		t.Errorf("at first %+v, want it to be queued at some place", got)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		response := a.Post(quotes, body).Want(200)
		if !strings.Contains(response.Body.String(), `"queued"`) {
			response.JSON(&last)
			break
		}
	}
	var got []string
	for _, i := range last.Items {
		got = append(got, i.Status, i.Fits)
	}
	if diff := cmp.Diff([]string{"ready", "compatible", "ready", "compatible", "ready", ""}, got); diff != "" {
		t.Errorf("statuses and fits (-want +got):\n%s", diff)
	}
}

// TestEveryDocumentedResponse makes those that the other tests make without the checker.
func TestEveryDocumentedResponse(t *testing.T) {
	a := apptest.New(t, "HARDWARE_LIST_PAGES=1")
	for _, path := range []string{"/api/prices/skapiec?q=abcd", "/api/prices/skapiec/popular?category=cpu"} {
		a.Get(path).Want(404)
	}
	a.Post("/api/prices/skapiec/quotes", `{"items":[{"q":"abcd"}]}`).Want(404)
	for _, path := range []string{"/api/benchmark/psu", "/api/prices/ceneo?q=i7", popular} {
		a.Do(httptest.NewRequest(http.MethodHead, path, nil)).Want(400)
	}
	ranking := a.Get("/api/benchmark/gpu").Header().Get("ETag")
	a.Do(httptest.NewRequest(http.MethodHead, "/api/benchmark/gpu", nil), "If-None-Match", ranking).Want(304)
	a.Do(httptest.NewRequest(http.MethodPut, ryzen, nil)).Want(405)
	a.Do(httptest.NewRequest(http.MethodOptions, ryzen, nil), "Origin", "https://pc.example").Want(204)
	busy := apptest.New(t, "HARDWARE_PRICE_INTERVAL=1h", "HARDWARE_PRICE_MAX_WAIT=1s")
	busy.Get(ryzen).Want(503)
	odd := apptest.New(t)
	pages := map[string]string{"/robots.txt": "User-agent: *\nDisallow: /Procesory\n"}
	odd.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		body, ok := pages[r.URL.Path]
		if !ok {
			body = "<html>another layout</html>"
		}
		_, _ = io.WriteString(w, body)
		return true
	})
	odd.Get("/api/prices/ceneo?q=RTX+4070&category=gpu").Want(502)
	pages["/robots.txt"] = "User-agent: *\nDisallow: /\n"
	odd.Clock.Pass(25 * time.Hour)
	odd.Get("/api/prices/ceneo?q=RTX+4070&category=gpu").Want(502)
	a.Start()
	var tag string
	for deadline := time.Now().Add(10 * time.Second); tag == "" && time.Now().Before(deadline); {
		response := a.Get(popular + "cpu&with=gpu:RTX+4070").Want(200)
		if !strings.Contains(response.Body.String(), `"count":0`) {
			tag = response.Header().Get("ETag")
		}
	}
	a.Get(popular+"cpu&with=gpu:RTX+4070", "If-None-Match", tag).Want(304)
	a.Do(httptest.NewRequest(http.MethodHead, popular+"cpu&with=gpu:RTX+4070", nil), "If-None-Match", tag).Want(304)
}

func TestPanic(t *testing.T) {
	broken := httpapi.New(nil, &prices.Prices{Settings: prices.Settings{Aggregator: "ceneo"}}, nil, nil, nil)
	e := httpx.New(httpx.Options{
		Log: slog.New(slog.DiscardHandler), Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "hardware"),
		BodyLimit: httpapi.BodyLimit, ErrorBody: broken.Render,
	})
	broken.Register(e)
	a := &apptest.App{T: t, Handler: apptest.Checker.Wrap(t, e)}
	for _, path := range []string{"/api/benchmark/gpu", ryzen, popular + "cpu"} {
		a.Get(path).Want(500)
	}
	a.Post(quotes, `{"items":[{"q":"abcd"}]}`).Want(500)
}

func TestFailuresShowNoInternals(t *testing.T) {
	a := apptest.New(t)
	a.Get(ryzen).Want(200)
	a.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		panic(http.ErrAbortHandler)
	})
	body := a.Get("/api/prices/ceneo?q=RTX+4070").Want(502).Body.String()
	var got map[string]any
	internal := strings.Contains(body, "127.0.0.1") || strings.Contains(body, ".go:")
	if err := json.Unmarshal([]byte(body), &got); err != nil || internal {
		t.Errorf("%v, body %s", err, body)
	}
}
