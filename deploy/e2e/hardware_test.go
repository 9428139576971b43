package e2e

import (
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/stack"
)

type ranking struct {
	Source string
	Family string
	Count  int
	Rows   []struct {
		Type string
		Rank int
	}
}

type price struct {
	Query       string
	Source      string
	ProductName string
	OfferCount  int
	Lowest      struct{ Price float64 }
	Offers      []struct {
		Store string
		Price float64
	}
	Note string
}

type failure struct {
	Code    string
	Allowed []string
}

// base returns a backend to ask: the one of E2E_BASE_URL, else one of our own.
func base(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("E2E_BASE_URL"); url != "" {
		return strings.TrimSuffix(url, "/")
	}
	return stack.New(t, stack.Options{}).Gateway
}

func TestHardwareThroughTheGateway(t *testing.T) {
	url := base(t)

	t.Run("rankings", func(t *testing.T) {
		for _, family := range []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} {
			a := stack.Decode[ranking](t, stack.Get(t, url, "/api/benchmark/"+family+"?limit=3"))
			if a.Family != family || a.Count != 3 || len(a.Rows) != 3 || a.Rows[0].Type != strings.ToUpper(family) || a.Rows[0].Rank != 1 {
				t.Errorf("%s: %+v", family, a)
			}
			if a.Source == "local-fallback" {
				t.Errorf("%s came from the fallback although the source answers", family)
			}
		}
	})

	t.Run("prices", func(t *testing.T) {
		first := stack.Get(t, url, "/api/prices/ceneo?q=rtx+4070+super&category=gpu")
		a := stack.Decode[price](t, first)
		if !strings.Contains(a.ProductName, "4070 SUPER") || strings.Contains(a.ProductName, "Ti") {
			t.Errorf("rtx 4070 super found %q", a.ProductName)
		}
		sorted := slices.IsSortedFunc(a.Offers, func(x, y struct {
			Store string
			Price float64
		}) int {
			return int(100*x.Price) - int(100*y.Price)
		})
		if len(a.Offers) == 0 || len(a.Offers) > 5 || !sorted || a.Lowest.Price != a.Offers[0].Price {
			t.Errorf("offers: %+v", a)
		}
		again := stack.Get(t, url, "/api/prices/ceneo?q=RTX++4070+Super&category=gpu")
		if got := stack.Decode[price](t, again); got.Query != "RTX 4070 Super" || got.ProductName != a.ProductName {
			t.Errorf("the other spelling: %+v", got)
		}
		if status := again.Header.Get("Cache-Status"); !strings.Contains(status, "hit") {
			t.Errorf("the other spelling is no hit: Cache-Status %q", status)
		}
	})

	t.Run("nothing matched", func(t *testing.T) {
		a := stack.Get(t, url, "/api/prices/ceneo?q=brakwyniku+xyz")
		if got := stack.Decode[price](t, a); got.Note == "" || len(got.Offers) != 0 || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%+v, %v", got, a.Header)
		}
	})

	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"/api/benchmark/CPU":                       {http.StatusBadRequest, "unknown_type"},
		"/api/benchmark/gpu?limit=abc":             {http.StatusBadRequest, "invalid_limit"},
		"/api/benchmark/gpu?limit=0":               {http.StatusBadRequest, "invalid_limit"},
		"/api/prices/ceneo?q=ab":                   {http.StatusBadRequest, "query_too_short"},
		"/api/prices/ceneo?q=" + string(five000()): {http.StatusBadRequest, "query_too_long"},
		"/api/prices/ceneo?q=rtx%00super":          {http.StatusBadRequest, "invalid_query"},
		"/api/prices/ceneo?q=rtx+4070&category=x":  {http.StatusBadRequest, "unknown_category"},
		"/api/prices/other?q=rtx+4070":             {http.StatusNotFound, "unknown_aggregator"},
		"/no/such/path":                            {http.StatusNotFound, "not_found"},
	} {
		t.Run(path[:min(len(path), 40)], func(t *testing.T) {
			a := stack.Get(t, url, path)
			if got := stack.Decode[failure](t, a); a.Status != want.status || got.Code != want.code {
				t.Errorf("%d %+v, want %d %s", a.Status, got, want.status, want.code)
			}
		})
	}
}

func five000() []byte { return []byte(strings.Repeat("a", 5000)) }
