package prices_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/catalog"
)

// waitForLists waits until every list has been asked for its last page.
func waitForLists(t *testing.T, a *apptest.App, pages int) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); {
		if len(a.Asked()) >= 9*pages && strings.Contains(a.Log.String(), "lists read") {
			return
		}
	}
	t.Fatalf("the lists were not read: %v", a.Asked())
}

func TestListsAreReadOnceForAll(t *testing.T) {
	one, two := withRedis(t, "HARDWARE_LIST_PAGES=5")
	one.Start()
	waitForLists(t, one, 5)
	two.Start()
	waitForLists(t, two, 5)
	if n := len(one.Asked()); n != 45 {
		t.Errorf("%d requests, want 45 for five pages of nine lists", n)
	}
	for _, category := range catalog.Categories() {
		var got struct {
			Rows []struct{ ProductName, ProductURL string }
		}
		two.Get("/api/prices/ceneo/popular?category=" + category).Want(200).JSON(&got)
		if len(got.Rows) == 0 {
			t.Errorf("no popular %s", category)
		}
	}
}

func TestListsSaveRequests(t *testing.T) {
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=5"))
	a.Start()
	waitForLists(t, a, 5)
	a.Ceneo.ClearRequests()
	q := catalog.Query{Text: "Samsung 990 PRO 4TB", Category: "storage"}
	if known, ok := a.Prices.Known(q); !ok || known.Value.PriceLow <= 0 {
		t.Errorf("the price of a listed drive is not known for rankings: %+v", known)
	}
	if _, ok := a.Prices.Kept(q); ok {
		t.Error("the price of a list passes for offers")
	}
	a.Get("/api/prices/ceneo?q=Samsung+990+PRO+4TB&category=storage").Want(200)
	if got := kinds(a); !slices.Equal(got, []string{productPath}) {
		t.Errorf("requests %v, want no search for a model that one listed product has", got)
	}
}

func TestPopularFits(t *testing.T) {
	a := apptest.New(t, apptest.Setting("HARDWARE_LIST_PAGES=1"))
	a.Start()
	waitForLists(t, a, 1)
	var got struct {
		Rows []struct{ ProductName, Fits string }
	}
	a.Get("/api/prices/ceneo/popular?category=motherboard&with=cpu:Ryzen+7+7800X3D").Want(200).JSON(&got)
	for _, row := range got.Rows {
		if strings.Contains(row.ProductName, "B650") && row.Fits != "compatible" {
			t.Errorf("%s is %q for a processor of its socket", row.ProductName, row.Fits)
		}
		if strings.Contains(row.ProductName, "B760") && row.Fits != "incompatible" {
			t.Errorf("%s is %q for a processor of another socket", row.ProductName, row.Fits)
		}
	}
}
