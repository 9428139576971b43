package e2e

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
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

type offer struct {
	Store      string
	Price      float64
	ShopRating float64
}

type price struct {
	Query       string
	Source      string
	ProductName string
	OfferCount  int
	Lowest      struct{ Price float64 }
	Offers      []offer
	Note        string

	Alternatives []struct{ ProductName string }
}

type quotesItem struct {
	Q        string `json:"q"`
	Category string `json:"category"`
}

type quotesRequest struct {
	Items []quotesItem `json:"items"`
}

type quotes struct {
	Items []struct {
		Status string
		Price  price
	}
}

type failure struct {
	Code    string
	Allowed []string
}

func TestHardwareThroughTheGateway(t *testing.T) {
	url := backend(t, harness.Options{})

	t.Run("rankings", func(t *testing.T) {
		for _, family := range []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} {
			a := harness.Decode[ranking](t, harness.Get(t, url, "/api/benchmark/"+family+"?limit=3"))
			if a.Family != family || a.Count != 3 || len(a.Rows) != 3 || a.Rows[0].Type != strings.ToUpper(family) || a.Rows[0].Rank != 1 {
				t.Errorf("%s: %+v", family, a)
			}
			if a.Source == "local-fallback" {
				t.Errorf("%s came from the fallback although the source responds", family)
			}
		}
	})

	t.Run("prices", func(t *testing.T) {
		first := harness.Get(t, url, "/api/prices/ceneo?q=rtx+4070+super&category=gpu")
		a := harness.Decode[price](t, first)
		if !strings.Contains(a.ProductName, "4070 SUPER") || strings.Contains(a.ProductName, "Ti") {
			t.Errorf("rtx 4070 super found %q", a.ProductName)
		}
		sorted := slices.IsSortedFunc(a.Offers, func(x, y offer) int { return cmp.Compare(x.Price, y.Price) })
		if len(a.Offers) == 0 || len(a.Offers) > 5 || !sorted || a.Lowest.Price != a.Offers[0].Price {
			t.Errorf("offers: %+v", a)
		}
		if a.Offers[0].ShopRating == 0 || len(a.Alternatives) == 0 {
			t.Errorf("no shop rating or no alternatives: %s", first.Body)
		}
		again := harness.Get(t, url, "/api/prices/ceneo?q=RTX++4070+Super&category=gpu")
		if got := harness.Decode[price](t, again); got.Query != "RTX 4070 Super" || got.ProductName != a.ProductName {
			t.Errorf("the other spelling: %+v", got)
		}
		if status := again.Header.Get("Cache-Status"); !strings.Contains(status, "hit") {
			t.Errorf("the other spelling is no hit: Cache-Status %q", status)
		}
	})

	t.Run("quotes", func(t *testing.T) {
		parts := quotesRequest{Items: []quotesItem{{"RTX 4070 Super", "gpu"}, {"ryzen 5 7600", "cpu"}, {"Ryzen 5 7600", "cpu"}}}
		first := harness.Decode[quotes](t, harness.Post(t, url, "/api/prices/ceneo/quotes", parts))
		if len(first.Items) != 3 || first.Items[0].Status != "ready" || first.Items[0].Price.Query != "RTX 4070 Super" {
			t.Errorf("first response: %+v", first)
		}
		harness.Eventually(t, "all parts are ready", func() bool {
			all := harness.Decode[quotes](t, harness.Post(t, url, "/api/prices/ceneo/quotes", parts)).Items
			return all[1].Status == "ready" && all[2].Status == "ready" && all[1].Price.ProductName == all[2].Price.ProductName
		})
	})

	t.Run("nothing matched", func(t *testing.T) {
		a := harness.Get(t, url, "/api/prices/ceneo?q=brakwyniku+xyz")
		if got := harness.Decode[price](t, a); got.Note == "" || len(got.Offers) != 0 || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%+v, %v", got, a.Header)
		}
	})

	for _, refused := range []struct {
		path   string
		status int
		code   string
	}{
		{path: "/api/benchmark/CPU", status: http.StatusBadRequest, code: "unknown_type"},
		{path: "/api/benchmark/gpu?limit=abc", status: http.StatusBadRequest, code: "invalid_limit"},
		{path: "/api/benchmark/gpu?limit=0", status: http.StatusBadRequest, code: "invalid_limit"},
		{path: "/api/prices/ceneo?q=ab", status: http.StatusBadRequest, code: "query_too_short"},
		{path: "/api/prices/ceneo?q=" + strings.Repeat("a", 5000), status: http.StatusBadRequest, code: "query_too_long"},
		{path: "/api/prices/ceneo?q=rtx%00super", status: http.StatusBadRequest, code: "invalid_query"},
		{path: "/api/prices/ceneo?q=rtx+4070&category=x", status: http.StatusBadRequest, code: "unknown_category"},
		{path: "/api/prices/other?q=rtx+4070", status: http.StatusNotFound, code: "unknown_aggregator"},
		{path: "/no/such/path", status: http.StatusNotFound, code: "not_found"},
	} {
		t.Run(refused.path[:min(len(refused.path), 40)], func(t *testing.T) {
			a := harness.Get(t, url, refused.path)
			if got := harness.Decode[failure](t, a); a.Status != refused.status || got.Code != refused.code {
				t.Errorf("%d %+v, want %d %s", a.Status, got, refused.status, refused.code)
			}
		})
	}
}
