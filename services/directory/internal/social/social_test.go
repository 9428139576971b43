package social_test

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// The pages that Anna manages at the sandbox. She may not act for the market's.
const (
	bakery = "105600000010001"
	branch = "105600000010002"
	market = "105600000010003"
)

// connected returns a service whose company has connected social_pages, and Anna's browser.
func connected(t *testing.T, with ...string) (*apptest.App, *apptest.Browser) {
	t.Helper()
	a := apptest.New(t, with...)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.PagesPair, "anna")
	return a, anna
}

// selectPage chooses a page in a browser.
func selectPage(a *apptest.App, b *apptest.Browser, page string) *apptest.Response {
	return b.Post("/api/oauth/provider_social/select-page",
		apptest.Body{"company_id": a.Company.ID, "page_id": page})
}

// chosen is connected after the bakery's page was chosen.
func chosen(t *testing.T, with ...string) (*apptest.App, *apptest.Browser) {
	t.Helper()
	a, anna := connected(t, with...)
	selectPage(a, anna, bakery).Want(http.StatusOK)
	return a, anna
}

// publishing returns a company's publishing configuration without its times; the zero one if there is none.
func publishing(a *apptest.App, companyID int64) (c social.Config) {
	a.T.Helper()
	err := a.DB.Read(a.T.Context()).Where("company_id = ?", companyID).Limit(1).Find(&c).Error
	if err == nil && c.ID != 0 {
		c.AccessToken, err = a.DB.Unseal(c.AccessToken,
			database.PlaceOf("social_media_configs", "access_token", social.Platform, companyID))
	}
	if err != nil {
		a.T.Fatal(err)
	}
	c.CreatedAt, c.UpdatedAt = time.Time{}, time.Time{}
	return c
}

// replyError makes Meta refuse requests with an error of the Graph API.
func replyError(a *apptest.App, pattern, code string) {
	a.Meta.SetReply(pattern, fake.Reply{Status: 400, Body: `{"error":{"message":"no","code":` + code + `}}`})
}

func TestSelectPage(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a, anna := connected(t, apptest.On(db.URL))
		before := a.Connection(provider.PagesPair)
		response := selectPage(a, anna, bakery).Want(http.StatusOK).JSON()
		want := apptest.Body{"id": bakery, "name": "Piekarnia Kowalski", "category": "Piekarnia"}
		testkit.Equal(t, "page", response["page"], any(want))
		synced, _ := response["sync"].(apptest.Body)
		testkit.Equal(t, "name in the sync", synced["name"], any("Piekarnia Kowalski"))
		got := a.Connection(provider.PagesPair)
		if got.AccessToken == "" || got.AccessToken == before.AccessToken {
			t.Error("the page's token did not replace the user's")
		}
		wanted := before
		wanted.Chosen = connection.ChosenPage
		wanted.AccountID = bakery
		wanted.AccountName = "Piekarnia Kowalski"
		wanted.UserAccessToken, wanted.UserExpiresAt = before.AccessToken, before.ExpiresAt
		wanted.AccessToken, wanted.ExpiresAt = got.AccessToken, nil
		wanted.Readings, wanted.UpdatedAt = got.Readings, got.UpdatedAt
		testkit.Equal(t, "connection", got, wanted)
		config := social.Config{
			ID: 1, Platform: "social_pages", CompanyID: a.Company.ID, PageID: bakery, PageName: "Piekarnia Kowalski",
			AccessToken: got.AccessToken, IsActive: true, DebugMode: true, UpdatedBy: a.Anna.ID,
		}
		testkit.Equal(t, "configuration", publishing(a, a.Company.ID), config)
		a.WantTrail("connect", "select_page")
	})
}

func TestSelectAnotherPage(t *testing.T) {
	a, anna := chosen(t)
	before := a.Connection(provider.PagesPair)
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Nie zarządzasz już tą stroną." })
	selectPage(a, anna, branch).Want(http.StatusOK)
	got := a.Connection(provider.PagesPair)
	testkit.Equal(t, "page", got.AccountID, branch)
	testkit.Equal(t, "reason for connecting again", got.ReconnectReason, "")
	testkit.Equal(t, "token of the user", got.UserAccessToken, before.UserAccessToken)
	if got.AccessToken == before.AccessToken {
		t.Error("the token is still that of the former page")
	}
	config := publishing(a, a.Company.ID)
	testkit.Equal(t, "id of the configuration, which was replaced", config.ID, 1)
	testkit.Equal(t, "page of the configuration", config.PageID, branch)
	testkit.Equal(t, "token of the configuration", config.AccessToken, got.AccessToken)
}

func TestSelectPageRefused(t *testing.T) {
	endDuringList := func(a *apptest.App) {
		a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/me/accounts") {
				a.Intercept(nil)
				endConnection(a)
			}
		})
	}
	for name, test := range map[string]struct {
		page   string
		before func(*apptest.App)
		status int // 0: any but 200
		text   string
	}{
		"not managed":         {"105600000010004", nil, http.StatusNotFound, social.CodePageNotFound.Text},
		"without credential":  {market, nil, http.StatusBadRequest, social.CodePageWithoutCredential.Text},
		"provider refuses":    {bakery, func(a *apptest.App) { replyError(a, "GET /v25.0/me/accounts", "200") }, 0, ""},
		"without connection":  {bakery, endConnection, http.StatusNotFound, connection.CodeNoConnection.Text},
		"ended while listing": {bakery, endDuringList, http.StatusNotFound, connection.CodeNoConnection.Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, anna := connected(t)
			if test.before != nil {
				test.before(a)
			}
			response := selectPage(a, anna, test.page)
			if response.Code == http.StatusOK {
				t.Fatal("the page was chosen")
			}
			if test.status != 0 {
				response.WantError(test.status, test.text)
			}
			testkit.Equal(t, "configuration for publishing", publishing(a, a.Company.ID), social.Config{})
			testkit.Equal(t, "choice", a.Connection(provider.PagesPair).Chosen, connection.ChosenNothing)
		})
	}
}

// endConnection disconnects social_pages.
func endConnection(a *apptest.App) {
	a.Browser(a.Anna).Post("/api/oauth/disconnect/provider_social/social_pages", nil).Want(http.StatusOK)
}

func TestSelectPageFromACutList(t *testing.T) {
	a, anna := connected(t)
	replyError(a, "GET /v25.0/me/businesses", "2") // so the list is not complete
	a.Meta.SetReply("GET /v25.0/me/accounts", fake.Reply{Body: `{"data":[]}`})
	selectPage(a, anna, bakery).Want(http.StatusOK)
	selectPage(a, anna, "105600000010004").WantError(http.StatusNotFound, social.CodePageNotFound.Text)
}

func TestSelectPageOutlivesItsSync(t *testing.T) {
	a, anna := connected(t)
	replyError(a, "GET /v25.0/"+bakery, "2")
	response := selectPage(a, anna, bakery).Want(http.StatusOK).JSON()
	testkit.Equal(t, "sync", response["sync"], nil)
	c := a.Connection(provider.PagesPair)
	testkit.Equal(t, "page", c.AccountID, bakery)
	log := a.Log.String()
	if !strings.Contains(log, "page not synced after it was chosen") {
		t.Errorf("the log does not name the failure:\n%s", log)
	}
	if strings.Contains(log, c.AccessToken) {
		t.Errorf("the log contains the token:\n%s", log)
	}
}

func TestSelectPageWhileAnotherReconnects(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a, anna := connected(t, apptest.On(db.URL))
		ewa := a.Browser(a.AddUser("ewa", account.Manager, &a.Company))
		a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/me/accounts") {
				a.Intercept(nil)
				ewa.Connect(provider.PagesPair, "marek")
			}
		})
		selectPage(a, anna, bakery).WantError(http.StatusNotFound, social.CodePageNotFound.Text)
		c := a.Connection(provider.PagesPair)
		testkit.Equal(t, "owner of the connection", c.OwnerName, "Marek Nowak")
		testkit.Equal(t, "choice", c.Chosen, connection.ChosenNothing)
	})
}

func TestSelectPageIsWholeOrNot(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a, anna := connected(t, apptest.On(db.URL))
		before := a.Connection(provider.PagesPair)
		for _, table := range []string{"social_media_configs", "audit_trail"} {
			db.Exec(t, "ALTER TABLE "+table+" RENAME TO hidden")
			selectPage(a, anna, bakery).Want(http.StatusInternalServerError)
			db.Exec(t, "ALTER TABLE hidden RENAME TO "+table)
			if diff := cmp.Diff(before, a.Connection(provider.PagesPair)); diff != "" {
				t.Errorf("without %s (-want +got):\n%s", table, diff)
			}
			testkit.Equal(t, "without "+table+": configuration", publishing(a, a.Company.ID), social.Config{})
		}
	})
}

func TestPublishingFollowsThePage(t *testing.T) {
	a, anna := chosen(t)
	other := a.AddCompany("cukiernia")
	theirs := social.Config{Platform: social.Platform, CompanyID: other.ID, PageID: "1", AccessToken: "page",
		IsActive: true, UpdatedBy: a.Anna.ID}
	if err := social.SaveConfig(a.DB.Write(t.Context()), a.DB, theirs); err != nil {
		t.Fatal(err)
	}
	wantPublishing := func(when string, active bool) {
		t.Helper()
		c := publishing(a, a.Company.ID)
		testkit.Equal(t, when+": is active", c.IsActive, active)
		testkit.Equal(t, when+": page", c.PageID, bakery)
		token := ""
		if active {
			token = a.Connection(provider.PagesPair).AccessToken
		}
		testkit.Equal(t, when+": token", c.AccessToken, token)
	}
	anna.Connect(provider.PagesPair, "anna")
	wantPublishing("connected again", true)
	anna.Connect(provider.PagesPair, "marek")
	wantPublishing("page out of reach", false)
	anna.Connect(provider.PagesPair, "anna")
	selectPage(a, anna, bakery).Want(http.StatusOK)
	wantPublishing("chosen again", true)
	endConnection(a)
	wantPublishing("disconnected", false)
	testkit.Equal(t, "another company: is active", publishing(a, other.ID).IsActive, true)
}

func TestDisconnectIsWholeOrNot(t *testing.T) {
	a, anna := chosen(t)
	write := a.DB.Write(t.Context())
	if err := write.Exec("CREATE TRIGGER fails BEFORE UPDATE OF access_token ON social_media_configs " +
		"BEGIN SELECT RAISE(FAIL, 'full'); END").Error; err != nil {
		t.Fatal(err)
	}
	anna.Post("/api/oauth/disconnect/provider_social/social_pages", nil).Want(http.StatusInternalServerError)
	testkit.Equal(t, "connection is active", a.Connection(provider.PagesPair).Active, true)
	testkit.Equal(t, "configuration is active", publishing(a, a.Company.ID).IsActive, true)
}

func TestDiscoverPages(t *testing.T) {
	a, anna := connected(t, "DIRECTORY_COMPANY_ACCESS=strict")
	body := apptest.Body{"company_id": a.Company.ID}
	response := anna.Post("/api/oauth/provider_social/discover-pages", body).Want(http.StatusOK).JSON()
	var got []string
	for _, page := range response["pages"].([]any) {
		if p := page.(apptest.Body); p["selectable"] == true {
			got = append(got, p["id"].(string))
		}
	}
	slices.Sort(got)
	testkit.Equal(t, "selectable", got, []string{bakery, branch})
	stranger := a.AddCompany("obca")
	other := a.Browser(a.AddUser("ewa", account.Manager, &stranger))
	other.Post("/api/oauth/provider_social/discover-pages", body).Want(http.StatusForbidden)
	selectPage(a, other, bakery).Want(http.StatusForbidden)
}

const bakeryPhotos = "17841400000000101"

// syncBoth reads the page and the photos.
func syncBoth(a *apptest.App) (social.PageData, social.PhotoData) {
	a.T.Helper()
	page, err := a.Social.SyncPage(a.T.Context(), a.Company.ID)
	photos, photosErr := a.Social.SyncPhotos(a.T.Context(), a.Company.ID)
	if err := errors.Join(err, photosErr); err != nil {
		a.T.Fatal(err)
	}
	return page, photos
}

func TestPhotosAgreeWithTheirStatus(t *testing.T) {
	type step = func(*apptest.App, *apptest.Browser)
	choose := func(a *apptest.App, b *apptest.Browser) {
		b.Connect(provider.PagesPair, "anna")
		selectPage(a, b, bakery).Want(http.StatusOK)
	}
	photosOf := func(person string) step {
		return func(_ *apptest.App, b *apptest.Browser) { b.Connect(provider.PhotosPair, person) }
	}
	change := func(change func(*connection.Connection)) step {
		return func(a *apptest.App, _ *apptest.Browser) { a.Change(provider.PagesPair, change) }
	}
	denied := func(service provider.Service) step {
		return change(func(c *connection.Connection) { c.Denied = []provider.Service{service} })
	}
	fewScopes := change(func(c *connection.Connection) { c.Scopes = []string{"pages_show_list"} })
	revoked := change(func(c *connection.Connection) { c.ReconnectReason = "Cofnięto." })
	lost := change(func(c *connection.Connection) {
		c.Chosen = connection.ChosenNothing
		c.AccountID = ""
		c.AccountName = ""
		c.UserAccessToken, c.LostChoice = "", "Piekarnia"
	})
	type outcome struct {
		Connected, NeedsUser bool   // in the status before the sync
		Code                 string // of the sync's fault; empty if there is none
		Read                 string // id of the account that was read
	}
	const read, ofZofia = bakeryPhotos, "17841400000000102"
	for name, test := range map[string]struct {
		steps []step
		want  outcome
	}{
		"nothing connected":             {nil, outcome{Code: "no_connection"}},
		"photos alone, no page":         {[]step{photosOf("tomasz")}, outcome{true, false, "no_page", ""}},
		"photos alone, several pages":   {[]step{photosOf("zofia")}, outcome{true, false, "no_page", ""}},
		"photos alone, without account": {[]step{photosOf("marek")}, outcome{true, false, "provider_gone", ""}},
		"page chosen":                   {[]step{choose}, outcome{true, false, "", read}},
		"both, page first":              {[]step{choose, photosOf("zofia")}, outcome{true, false, "", read}},
		"page denied": {[]step{choose, denied(provider.SocialPages)},
			outcome{true, false, "", read}},
		"photos denied": {[]step{choose, denied(provider.SocialPhotos)},
			outcome{true, true, "", read}},
		"photos denied, other connection": {
			[]step{choose, denied(provider.SocialPhotos), photosOf("anna")}, outcome{true, false, "", read},
		},
		"page without the scopes": {[]step{choose, fewScopes, photosOf("anna")}, outcome{true, false, "", read}},
		"page of another person": {[]step{choose, fewScopes, photosOf("zofia")},
			outcome{true, false, "no_page", ""}},
		"page revoked": {[]step{choose, revoked}, outcome{true, true, "provider_reconnect", ""}},
		"page revoked, other connection": {
			[]step{choose, revoked, photosOf("anna")}, outcome{true, false, "", read},
		},
		"page lost":                   {[]step{choose, lost}, outcome{true, true, "no_page", ""}},
		"page lost, other connection": {[]step{choose, lost, photosOf("anna")}, outcome{true, true, "no_page", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := apptest.New(t)
			anna := a.Browser(a.Anna)
			for _, do := range test.steps {
				do(a, anna)
			}
			status, err := a.Connections.Status(t.Context(), apptest.Actor(a.Anna))
			if err != nil {
				t.Fatal(err)
			}
			photos := status[provider.PhotosPair.String()]
			data, err := a.Social.SyncPhotos(t.Context(), a.Company.ID)
			got := outcome{photos.Connected, photos.NeedsReconnect, "", data.Profile.ID}
			if err != nil {
				got.Code = fault.From(err).Code
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPhotosOfAnIncompleteList(t *testing.T) {
	a := apptest.New(t)
	a.Browser(a.Anna).Connect(provider.PhotosPair, "tomasz")
	replyError(a, "GET /v25.0/me/businesses", "2")
	_, err := a.Social.SyncPhotos(t.Context(), a.Company.ID)
	if !fault.Is(err, provider.CodeTemporary) {
		t.Errorf("err = %v, want %s", err, provider.CodeTemporary)
	}
}

func TestRefusedPhotosMarkTheConnection(t *testing.T) {
	for name, code := range map[string]string{"revoked": "190", "denied": "200"} {
		t.Run(name, func(t *testing.T) {
			a, anna := chosen(t)
			replyError(a, "GET /v25.0/"+bakery, code)
			if _, err := a.Social.SyncPhotos(t.Context(), a.Company.ID); err == nil {
				t.Error("refused photos were synced")
			}
			if c := a.Connection(provider.PagesPair); !c.NeedsUser() {
				t.Errorf("the connection is not marked: denied %v, reason %q", c.Denied, c.ReconnectReason)
			}
			body := anna.Get("/api/oauth/status").Want(http.StatusOK).Body.String()
			n := strings.Count(body, `"needs_reconnect":true`)
			testkit.Equal(t, "number of services that need their user", n, 2) // the page shares the connection
		})
	}
}

func TestNothingToReadClearsADenial(t *testing.T) {
	a, anna := connected(t)
	selectPage(a, anna, branch).Want(http.StatusOK)
	a.Change(provider.PagesPair, func(c *connection.Connection) {
		c.Denied = []provider.Service{provider.SocialPhotos}
	})
	_, err := a.Social.SyncPhotos(t.Context(), a.Company.ID)
	if !fault.Is(err, provider.CodeGone) {
		t.Errorf("err = %v, want %s", err, provider.CodeGone)
	}
	if c := a.Connection(provider.PagesPair); c.NeedsUser() {
		t.Errorf("the connection is still marked: denied %v", c.Denied)
	}
}

func TestSyncKeepsMissedMetrics(t *testing.T) {
	a, _ := chosen(t)
	page, photos := syncBoth(a)
	if page.State != social.MetricsComplete || photos.State != social.MetricsComplete {
		t.Fatalf("first sync: %+v, %+v", page.MetricsReading, photos.MetricsReading)
	}
	firstSync := page.SyncedAt
	a.Meta.SetToggle("usage_percent", 97)
	for range 2 {
		a.Clock.Pass(24 * time.Hour)
		kept, keptPhotos := syncBoth(a)
		testkit.Equal(t, "metrics", kept.Metrics, page.Metrics)
		testkit.Equal(t, "insights", keptPhotos.Insights, photos.Insights)
		testkit.Equal(t, "state", kept.State, social.MetricsSkipped)
		testkit.Equal(t, "time of the sync", kept.SyncedAt, a.Clock.Now())
		if kept.Reason == nil {
			t.Error("no reason for the missed metrics")
		}
		keptFrom := map[string]time.Time{}
		for name := range page.Metrics {
			keptFrom[name] = firstSync
		}
		testkit.Equal(t, "times of the kept metrics", kept.KeptFrom, keptFrom)
		stored, _, err := a.Social.PageStatistics(t.Context(), a.Company.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&kept, stored.Data, cmpopts.IgnoreTypes(meta.Missed{}, meta.Days{})); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	}
	selectPage(a, a.Browser(a.Anna), branch).Want(http.StatusOK)
	other, err := a.Social.SyncPage(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "number of metrics of another page", len(other.Metrics), 0)
	testkit.Equal(t, "number of kept metrics of another page", len(other.KeptFrom), 0)
	a.Meta.SetToggle("usage_percent", 0)
	page, err = a.Social.SyncPage(t.Context(), a.Company.ID)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "state after a full sync", page.State, social.MetricsComplete)
	testkit.Equal(t, "number of kept metrics after a full sync", len(page.KeptFrom), 0)
}

func TestDeniedMetricsMarkTheConnection(t *testing.T) {
	a, _ := chosen(t)
	const insights = "GET /v25.0/" + bakeryPhotos + "/insights"
	for _, step := range []struct {
		code   string // of the refusal of figures; empty: they are read
		denied bool   // whether the connection is marked afterwards
	}{{"10", true}, {"10", true}, {"4", true}, {"", false}} {
		a.Meta.SetReply(insights, fake.Reply{Body: `{"data":[]}`})
		if step.code != "" {
			replyError(a, insights, step.code)
		}
		syncBoth(a)
		denied := slices.Contains(a.Connection(provider.PagesPair).Denied, provider.SocialPhotos)
		testkit.Equal(t, "denied after the refusal "+step.code, denied, step.denied)
	}
	a.WantTrail("connect", "select_page", "reconnect_required")
}

func TestScanSteps(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	ctx, id := t.Context(), a.Company.ID
	// check checks what a scan step returned; the zero code is no error.
	check := func(when string, worked bool, err error, want bool, code fault.Code) {
		t.Helper()
		testkit.Equal(t, when+": worked", worked, want)
		got := ""
		if err != nil {
			got = fault.From(err).Code
		}
		testkit.Equal(t, when+": fault", got, code.Name)
	}
	worked, err := a.Social.ScanPhotos(ctx, id, provider.PagesPair)
	check("photos without a connection", worked, err, false, connection.CodeNoConnection)
	anna.Connect(provider.PagesPair, "anna")
	worked, err = a.Social.ScanPage(ctx, id)
	check("page without a choice", worked, err, false, connection.CodeNoPage)
	worked, err = a.Social.ScanPhotos(ctx, id, provider.PagesPair)
	check("photos without a choice", worked, err, false, fault.Code{})
	selectPage(a, anna, bakery).Want(http.StatusOK)
	worked, err = a.Social.ScanPhotos(ctx, id, provider.PagesPair)
	check("photos through the page", worked, err, true, fault.Code{})
	worked, err = a.Social.ScanPhotos(ctx, id, provider.PhotosPair)
	check("photos through the other connection", worked, err, false, fault.Code{})
	replyError(a, "GET /v25.0/"+bakery, "4")
	worked, err = a.Social.ScanPage(ctx, id)
	check("page that is throttled", worked, err, false, provider.CodeThrottled)
	a.Meta.Reset()
	anna.Connect(provider.PagesPair, "anna")
	a.Meta.SetToggle("usage_percent", 97)
	worked, err = a.Social.ScanPage(ctx, id)
	check("page whose metrics are missed", worked, err, true, provider.CodeThrottled)
}

func TestStatistics(t *testing.T) {
	a, anna := connected(t)
	selectPage(a, anna, branch).Want(http.StatusOK)
	a.Clock.Pass(time.Hour)
	selectPage(a, anna, bakery).Want(http.StatusOK)
	a.Clock.Pass(24 * time.Hour)
	page, photos := syncBoth(a)
	reading, followers, err := a.Social.PageStatistics(t.Context(), a.Company.ID)
	if err != nil || len(followers) != 2 {
		t.Fatalf("%d readings of the page, want 2; err = %v", len(followers), err)
	}
	testkit.Equal(t, "newest followers of the page", followers[1].Count, page.FollowersCount)
	testkit.Equal(t, "page of the reading", reading.AccountID, bakery)
	testkit.Equal(t, "time of the reading", reading.SyncedAt, a.Clock.Now())
	_, followers, err = a.Social.PhotoStatistics(t.Context(), a.Company.ID)
	if err != nil || len(followers) != 1 {
		t.Fatalf("%d readings of the photos, want 1; err = %v", len(followers), err)
	}
	testkit.Equal(t, "followers of the photos", followers[0].Count, photos.Profile.FollowersCount)
}

func TestFailuresAreReported(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Get(anna.Authorize(provider.PagesPair).Allow("anna", "pages_show_list", "pages_read_engagement",
		"read_insights", "instagram_basic", "instagram_manage_insights")).Want(http.StatusFound)
	selectPage(a, anna, bakery).Want(http.StatusOK)
	ctx := t.Context()
	id := a.Company.ID
	actor := apptest.Actor(a.Anna)
	later := func() { a.Clock.Pass(time.Second) }
	a.FailEach([]databasetest.Call{
		{Name: "discover", Run: func() error { return databasetest.ErrorOf(a.Social.Discover(ctx, id)) }},
		{Name: "select", Run: func() error { _, _, err := a.Social.Select(ctx, actor, id, branch); return err }},
		{
			Name: "sync of the page", Before: later,
			Run: func() error { return databasetest.ErrorOf(a.Social.SyncPage(ctx, id)) },
		},
		{
			Name: "sync that misses metrics", Before: func() { later(); a.Meta.SetToggle("usage_percent", 97) },
			Run: func() error { return databasetest.ErrorOf(a.Social.SyncPage(ctx, id)) },
		},
		{Name: "figures", Run: func() error { _, _, err := a.Social.PageStatistics(ctx, id); return err }},
	}...)
}
