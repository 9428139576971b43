package statistics_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
)

const (
	discover = "/api/oauth/provider_search/discover-properties"
	choose   = "/api/oauth/provider_search/select-property"
	sync     = "/api/oauth/provider_search/sync-analytics"
	domain   = "sc-domain:piekarnia-kowalski.example"
	address  = "https://piekarnia-kowalski.example/"
	florist  = "sc-domain:kwiaciarnia-polna.example" // which Piotr's account reads, too
)

// wantSite syncs a company and checks whose figures were read.
func wantSite(t *testing.T, b *apptest.Browser, companyID int64, site string) {
	t.Helper()
	data, _ := b.Post(sync, apptest.Body{"company_id": companyID}).Want(http.StatusOK).JSON()["data"].(apptest.Body)
	if data["site"] != site {
		t.Errorf("read %v, want %s", data["site"], site)
	}
}

// TestSelectProperty checks that the chosen property is read, also after connecting again, and
// the one that fits the website if none is chosen.
func TestSelectProperty(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.AnalyticsPair, "anna")
	wantSite(t, anna, a.Company.ID, address)
	anna.Post(choose, apptest.Body{"property": domain}).Want(http.StatusOK)
	wantSite(t, anna, a.Company.ID, domain)
	anna.Connect(provider.AnalyticsPair, "anna")
	wantSite(t, anna, a.Company.ID, domain)
	want := []any{
		apptest.Body{"property": address, "fits_website": true, "is_chosen": false},
		apptest.Body{"property": domain, "fits_website": true, "is_chosen": true},
	}
	got := anna.Post(discover, nil).Want(http.StatusOK).JSON()["properties"]
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("properties (-want +got):\n%s", diff)
	}
	anna.Post(choose, apptest.Body{"property": florist}).
		WantError(http.StatusNotFound, "Połączone konto nie ma tej witryny w Search Console.")
	anna.Post(choose, apptest.Body{"property": nil}).Want(http.StatusOK)
	wantSite(t, anna, a.Company.ID, address)
	a.WantTrail("connect", "select_property", "connect", "select_property")
}

// TestPropertyOfAnAgency checks that a company whose website no property fits can choose one
// that its agency's account reads, and what is said when that account is replaced.
func TestPropertyOfAnAgency(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	customer := a.AddCompany("kwiaty", func(c *company.Company) { c.Website = "https://kwiaty.example" })
	owner := a.Browser(a.AddUser("ewa", account.Manager, &customer))
	owner.Connect(provider.AnalyticsPair, "piotr")
	body := apptest.Body{"company_id": customer.ID}
	if got := owner.Post(sync, body).Want(http.StatusBadRequest).JSON()["code"]; got != "no_site" {
		t.Errorf("code %v, want no_site", got)
	}
	owner.Post(choose, apptest.Body{"property": florist}).Want(http.StatusOK)
	wantSite(t, owner, customer.ID, florist)
	owner.Connect(provider.AnalyticsPair, "anna")
	if got := owner.Post(sync, body).Want(http.StatusBadRequest).JSON()["code"]; got != "property_lost" {
		t.Errorf("code %v, want property_lost", got)
	}
	services, _ := owner.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	status, _ := services[provider.AnalyticsPair.String()].(apptest.Body)
	state, _ := status["state"].(apptest.Body)
	if diff := cmp.Diff(apptest.Body{
		"progress": "failed", "read_at": nil, "of": nil, "act": "add_property",
		"reason": "Połączone konto nie odczytuje już witryny, którą wybrano w Search Console. Wybierz inną.",
	}, state); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}
