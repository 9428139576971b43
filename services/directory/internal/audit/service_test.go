package audit_test

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/testkit"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const bakery = "locations/1002519486895516595"

// chosen returns a service whose company has chosen the bakery, and Anna's browser.
func chosen(t *testing.T) (*apptest.App, *apptest.Browser) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Post("/api/oauth/provider_search/select-location", apptest.Body{"location_name": bakery}).Want(http.StatusOK)
	return a, anna
}

// fail lets the requests whose path contains part fail.
func fail(a *apptest.App, part string) {
	a.Intercept(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, part) {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
}

// run audits the company and returns the response.
func run(anna *apptest.Browser, of company.Company, more apptest.Body) apptest.Body {
	body := apptest.Body{"company_id": of.ID}
	for name, value := range more {
		body[name] = value
	}
	return anna.Post("/api/bizprofile/audit", body).Want(http.StatusOK).JSON()
}

func TestSources(t *testing.T) {
	const places, location = "/v1/places", bakery
	// steps returns the steps of a response as "source status" each.
	steps := func(response apptest.Body) (list []string) {
		fetch, _ := response["google_fetch"].(apptest.Body)
		all, _ := fetch["steps"].([]any)
		for _, s := range all {
			step := s.(apptest.Body)
			list = append(list, step["step"].(string)+" "+step["status"].(string))
		}
		return list
	}
	for name, test := range map[string]struct {
		connected  bool
		failing    string        // part of the paths that fail; empty: none
		age        time.Duration // of an audit before; zero: there was none
		force      bool
		wantSteps  []string
		wantSource audit.Source // of the audit
	}{
		"location and place": {true, "", 0, false, []string{"business_profile ok", "places ok"}, audit.FromLocation},
		"no place": {true, places, 0, false, []string{"business_profile ok", "places failed"},
			audit.FromLocation},
		"no connection": {false, "", 0, false, []string{"business_profile skipped", "places ok"}, audit.FromPlace},
		"location fails": {true, location, 0, false, []string{"business_profile failed", "places ok"},
			audit.FromPlace},
		"both fail": {true, "/v1/", 0, false, []string{"business_profile failed", "places failed"},
			audit.FromRecord},
		"fresh data": {true, "", 23 * time.Hour, false, []string{"business_profile reused"}, audit.FromLocation},
		"old data": {true, "", 24 * time.Hour, false, []string{"business_profile ok", "places ok"},
			audit.FromLocation},
		"forced": {true, "", time.Hour, true, []string{"business_profile ok", "places ok"}, audit.FromLocation},
		"the last data stand in": {true, "/v1/", 29 * 24 * time.Hour, false,
			[]string{"business_profile failed", "places failed", "business_profile reused"}, audit.FromLocation},
		"the last data are too old": {true, "/v1/", 30 * 24 * time.Hour, false,
			[]string{"business_profile failed", "places failed"}, audit.FromRecord},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var a *apptest.App
			var anna *apptest.Browser
			if test.connected {
				a, anna = chosen(t)
			} else {
				a = apptest.New(t)
				anna = a.Browser(a.Anna)
			}
			if test.age > 0 {
				run(anna, a.Company, nil)
				a.Clock.Pass(test.age)
				anna = a.Browser(a.Anna)
			}
			if test.failing != "" {
				fail(a, test.failing)
			}
			response := run(anna, a.Company, apptest.Body{"force_refresh": test.force})
			testkit.Equal(t, "steps", steps(response), test.wantSteps)
			_, newest, err := a.Audits.Latest(t.Context(), audit.CompanyRef{ID: &a.Company.ID})
			if err != nil {
				t.Fatal(err)
			}
			testkit.Equal(t, "source", newest.Source, test.wantSource)
		})
	}
}

func TestDataHaveTheirOwnTime(t *testing.T) {
	a, anna := chosen(t)
	run(anna, a.Company, nil)
	a.Clock.Pass(2 * time.Hour)
	run(anna, a.Company, nil)
	_, got, err := a.Audits.Latest(t.Context(), audit.CompanyRef{ID: &a.Company.ID})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "time of the data", got.DataAt, apptest.Start)
	testkit.Equal(t, "time of the audit", got.At, apptest.Start.Add(2*time.Hour))
}

// A company that is only a name gets an audit although Google cannot be read.
func TestNameAlone(t *testing.T) {
	a := apptest.New(t)
	bar := a.AddCompany("bar", func(c *company.Company) {
		*c = company.Company{Name: "Bar", Slug: c.Slug, Status: c.Status}
	})
	admin := a.Browser(a.AddUser("ola", account.Admin, nil))
	fail(a, "/v1/")
	response := run(admin, bar, nil)["audit"].(apptest.Body)
	testkit.Equal(t, "score", response["completeness_score"], any(13.3))
	testkit.Equal(t, "number of recommendations", len(response["recommendations"].([]any)), 9)
}

// Refused and failed audits do not count.
func TestLimit(t *testing.T) {
	a := apptest.New(t)
	anna, other := a.Browser(a.Anna), a.AddCompany("obca")
	offline := apptest.Body{"fetch_external": false, "company_id": a.Company.ID}
	anna.Post("/api/bizprofile/audit", apptest.Body{"save": true}).Want(http.StatusBadRequest)
	anna.Post("/api/bizprofile/audit", apptest.Body{"company_id": other.ID}).Want(http.StatusForbidden)
	db := databasetest.Database{DB: a.DB}
	db.Exec(t, "CREATE TRIGGER refuse BEFORE INSERT ON profile_audits BEGIN SELECT RAISE(ABORT, 'full'); END")
	failed := anna.Post("/api/bizprofile/audit", offline).Want(http.StatusInternalServerError).JSON()
	testkit.Equal(t, "company that the failure names", failed["company_name"], any(a.Company.Name))
	db.Exec(t, "DROP TRIGGER refuse")
	for range 20 {
		anna.Post("/api/bizprofile/audit", offline).Want(http.StatusOK)
	}
	anna.Post("/api/bizprofile/audit", offline).Want(http.StatusTooManyRequests)
}

func TestStoredProfileCannotBeDecoded(t *testing.T) {
	a, anna := chosen(t)
	run(anna, a.Company, nil)
	databasetest.Database{DB: a.DB}.Exec(t, `UPDATE company_profiles SET data = '{"hours": 7}'`)
	anna.Post("/api/bizprofile/audit", apptest.Body{"company_id": a.Company.ID}).
		WantError(http.StatusBadRequest, "Zapisanych danych profilu firmy nie można odczytać. Pobierz je na nowo.")
}

// There is one audit a week, and none while the location cannot be read.
func TestWeeklyAudit(t *testing.T) {
	a, _ := chosen(t)
	fail(a, bakery)
	worked, err := a.Audits.RunWeekly(t.Context(), a.Company.ID)
	testkit.Equal(t, "worked without its location", worked, false)
	if err == nil {
		t.Error("an audit without its location is no error")
	}
	a.Intercept(nil)
	var days []int
	for day := range 15 {
		worked, err := a.Audits.RunWeekly(t.Context(), a.Company.ID)
		if err != nil {
			t.Fatal(err)
		}
		if worked {
			days = append(days, day)
		}
		a.Clock.Pass(24 * time.Hour)
	}
	if len(days) != 3 {
		t.Fatalf("audited on the days %v, want on 3 of 15", days)
	}
	testkit.Equal(t, "days between the last two audits", days[2]-days[1], 7)
}

// Another worker does the same audit while one waits for the location.
func TestWeeklyAuditByTwoWorkers(t *testing.T) {
	a, _ := chosen(t)
	var begun atomic.Bool
	other := false
	a.Intercept(func(http.ResponseWriter, *http.Request) {
		if !begun.CompareAndSwap(false, true) {
			return
		}
		var err error
		if other, err = a.Audits.RunWeekly(t.Context(), a.Company.ID); err != nil {
			t.Error(err)
		}
	})
	worked, err := a.Audits.RunWeekly(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "the other worker worked", other, true)
	testkit.Equal(t, "the waiting worker worked", worked, false)
}

func TestCompares(t *testing.T) {
	for name, test := range map[string]struct {
		a, b audit.Audit
		want bool
	}{
		"one location": {audit.Audit{Location: "locations/1", PlaceID: "p"},
			audit.Audit{Location: "locations/1", PlaceID: "moved"}, true},
		"two locations":    {audit.Audit{Location: "locations/1"}, audit.Audit{Location: "locations/2"}, false},
		"two places":       {audit.Audit{PlaceID: "p"}, audit.Audit{PlaceID: "q"}, false},
		"an unknown place": {audit.Audit{PlaceID: "p"}, audit.Audit{}, true},
		"two sources":      {audit.Audit{Source: audit.FromPlace}, audit.Audit{Source: audit.FromLocation}, false},
		"two versions":     {audit.Audit{Version: "1.0"}, audit.Audit{Version: "2.0"}, false},
	} {
		testkit.Equal(t, name, test.a.Compares(&test.b), test.want)
	}
}
