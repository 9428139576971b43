package audit_test

import (
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
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

// fails lets the requests whose path contains part fail.
func fails(a *apptest.App, part string, status int) {
	a.Intercept(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, part) {
			w.WriteHeader(status)
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
		part       string // of the paths that fail
		status     int
		age        time.Duration // of an audit before
		force      bool
		wantSteps  []string
		wantSource audit.Source
	}{
		"location and place": {true, "", 0, 0, false, []string{"business_profile ok", "places ok"}, audit.FromLocation},
		"no place": {true, places, 500, 0, false, []string{"business_profile ok", "places failed"},
			audit.FromLocation},
		"no connection": {false, "", 0, 0, false, []string{"business_profile skipped", "places ok"}, audit.FromPlace},
		"location fails": {true, location, 500, 0, false, []string{"business_profile failed", "places ok"},
			audit.FromPlace},
		"both fail": {true, "/v1/", 500, 0, false, []string{"business_profile failed", "places failed"},
			audit.FromRecord},
		"fresh data": {true, "", 0, 23 * time.Hour, false, []string{"business_profile reused"}, audit.FromLocation},
		"old data": {true, "", 0, 24 * time.Hour, false, []string{"business_profile ok", "places ok"},
			audit.FromLocation},
		"forced": {true, "", 0, time.Hour, true, []string{"business_profile ok", "places ok"}, audit.FromLocation},
		"the last data stand in": {true, "/v1/", 500, 29 * 24 * time.Hour, false,
			[]string{"business_profile failed", "places failed", "business_profile reused"}, audit.FromLocation},
		"the last data are too old": {true, "/v1/", 500, 30 * 24 * time.Hour, false,
			[]string{"business_profile failed", "places failed"}, audit.FromRecord},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, anna := apptest.New(t), (*apptest.Browser)(nil)
			if anna = a.Browser(a.Anna); test.connected {
				a, anna = chosen(t)
			}
			if test.age > 0 {
				run(anna, a.Company, nil)
				a.Clock.Pass(test.age)
				anna = a.Browser(a.Anna)
			}
			if test.part != "" {
				fails(a, test.part, test.status)
			}
			response := run(anna, a.Company, apptest.Body{"force_refresh": test.force})
			if diff := cmp.Diff(test.wantSteps, steps(response)); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			_, newest, err := a.Audits.Latest(t.Context(), audit.CompanyRef{ID: &a.Company.ID})
			if err != nil || newest.Source != test.wantSource {
				t.Errorf("source %s, %v, want %s", newest.Source, err, test.wantSource)
			}
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
	if want := apptest.Start; !got.DataAt.Equal(want) || !got.At.Equal(want.Add(2*time.Hour)) {
		t.Errorf("audit of %s, data of %s", got.At, got.DataAt)
	}
}

// A company that is only a name gets an audit although Google cannot be read.
func TestNameAlone(t *testing.T) {
	a := apptest.New(t)
	bar := a.AddCompany(
		"bar", func(c *company.Company) { *c = company.Company{Name: "Bar", Slug: c.Slug, Status: c.Status} },
	)
	admin := a.Browser(a.AddUser("ola", account.Admin, nil))
	fails(a, "/v1/", 500)
	response := run(admin, bar, nil)["audit"].(apptest.Body)
	if response["completeness_score"] != 13.3 || len(response["recommendations"].([]any)) != 9 {
		t.Errorf("audit %v", response)
	}
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
	if failed["company_name"] != a.Company.Name {
		t.Errorf("the failure does not name the company: %v", failed)
	}
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

// A location that cannot be read gives no audit.
func TestWeeklyAudit(t *testing.T) {
	a, _ := chosen(t)
	fails(a, bakery, 500)
	if worked, err := a.Audits.RunWeekly(t.Context(), a.Company.ID); worked || err == nil {
		t.Errorf("without its location: worked %t, %v", worked, err)
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
	if len(days) != 3 || days[2]-days[1] != 7 {
		t.Errorf("audited on the days %v", days)
	}
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
	if err != nil || worked || !other {
		t.Errorf("the first worked: %t, %v; the second: %t", worked, err, other)
	}
}

func TestCompares(t *testing.T) {
	for _, test := range []struct {
		a, b audit.Audit
		want bool
	}{
		{audit.Audit{Location: "locations/1", PlaceID: "p"}, audit.Audit{Location: "locations/1", PlaceID: "moved"},
			true},
		{audit.Audit{Location: "locations/1"}, audit.Audit{Location: "locations/2"}, false},
		{audit.Audit{PlaceID: "p"}, audit.Audit{PlaceID: "q"}, false},
		{audit.Audit{PlaceID: "p"}, audit.Audit{}, true},
		{audit.Audit{Source: audit.FromPlace}, audit.Audit{Source: audit.FromLocation}, false},
		{audit.Audit{Version: "1.0"}, audit.Audit{Version: "2.0"}, false},
	} {
		if got := test.a.Compares(&test.b); got != test.want {
			t.Errorf("%+v and %+v: %t", test.a, test.b, got)
		}
	}
}
