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
		if diff := cmp.Diff(want, response["page"]); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
		if synced, _ := response["sync"].(apptest.Body); synced["name"] != "Piekarnia Kowalski" {
			t.Errorf("sync = %v", response["sync"])
		}
		got := a.Connection(provider.PagesPair)
		if got.AccessToken == "" || got.AccessToken == before.AccessToken {
			t.Errorf("the page's token did not replace the user's")
		}
		wanted := before
		wanted.Chosen = connection.ChosenPage
		wanted.AccountID = bakery
		wanted.AccountName = "Piekarnia Kowalski"
		wanted.UserAccessToken, wanted.UserExpiresAt = before.AccessToken, before.ExpiresAt
		wanted.AccessToken, wanted.ExpiresAt = got.AccessToken, nil
		wanted.Readings, wanted.UpdatedAt = got.Readings, got.UpdatedAt
		if diff := cmp.Diff(wanted, got); diff != "" {
			t.Errorf("connection (-want +got):\n%s", diff)
		}
		config := social.Config{
			ID: 1, Platform: "social_pages", CompanyID: a.Company.ID, PageID: bakery, PageName: "Piekarnia Kowalski",
			AccessToken: got.AccessToken, IsActive: true, DebugMode: true, UpdatedBy: a.Anna.ID,
		}
		if diff := cmp.Diff(config, publishing(a, a.Company.ID)); diff != "" {
			t.Errorf("configuration (-want +got):\n%s", diff)
		}
		a.WantTrail("connect", "select_page")
	})
}

func TestSelectAnotherPage(t *testing.T) {
	a, anna := chosen(t)
	before := a.Connection(provider.PagesPair)
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Nie zarządzasz już tą stroną." })
	selectPage(a, anna, branch).Want(http.StatusOK)
	got := a.Connection(provider.PagesPair)
	if got.AccountID != branch || got.ReconnectReason != "" {
		t.Errorf("page %s, reason %q", got.AccountID, got.ReconnectReason)
	}
	if got.UserAccessToken != before.UserAccessToken || got.AccessToken == before.AccessToken {
		t.Error("the user's token was not kept, or the page's not replaced")
	}
	config := publishing(a, a.Company.ID)
	if config.ID != 1 || config.PageID != branch || config.AccessToken != got.AccessToken {
		t.Errorf("configuration %+v", config)
	}
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
		status int
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
			if c := publishing(a, a.Company.ID); c.ID != 0 {
				t.Errorf("configuration %+v", c)
			}
			if c := a.Connection(provider.PagesPair); c.Chosen != connection.ChosenNothing {
				t.Errorf("chosen %v", c.Chosen)
			}
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
	if response := selectPage(a, anna, bakery).Want(http.StatusOK).JSON(); response["sync"] != nil {
		t.Errorf("sync = %v", response["sync"])
	}
	c := a.Connection(provider.PagesPair)
	if c.AccountID != bakery {
		t.Errorf("chosen %s", c.AccountID)
	}
	log := a.Log.String()
	if !strings.Contains(log, "page not synced after it was chosen") || strings.Contains(log, c.AccessToken) {
		t.Errorf("log %s", log)
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
		if c := a.Connection(provider.PagesPair); c.Chosen != connection.ChosenNothing || c.OwnerName != "Marek Nowak" {
			t.Errorf("chosen %v on the connection of %s", c.Chosen, c.OwnerName)
		}
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
			if c := publishing(a, a.Company.ID); c.ID != 0 {
				t.Errorf("without %s: configuration %+v", table, c)
			}
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
		if c.IsActive != active || c.PageID != bakery {
			t.Errorf("%s: configuration %+v", when, c)
		}
		if active && c.AccessToken != a.Connection(provider.PagesPair).AccessToken {
			t.Errorf("%s: it has not the token of the page", when)
		}
		if !active && c.AccessToken != "" {
			t.Errorf("%s: it keeps a token", when)
		}
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
	if c := publishing(a, other.ID); !c.IsActive {
		t.Errorf("of another company: %+v", c)
	}
}

func TestDisconnectIsWholeOrNot(t *testing.T) {
	a, anna := chosen(t)
	write := a.DB.Write(t.Context())
	if err := write.Exec("CREATE TRIGGER fails BEFORE UPDATE OF access_token ON social_media_configs " +
		"BEGIN SELECT RAISE(FAIL, 'full'); END").Error; err != nil {
		t.Fatal(err)
	}
	anna.Post("/api/oauth/disconnect/provider_social/social_pages", nil).Want(http.StatusInternalServerError)
	if !a.Connection(provider.PagesPair).Active || !publishing(a, a.Company.ID).IsActive {
		t.Error("one ended without the other")
	}
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
	if diff := cmp.Diff([]string{bakery, branch}, got); diff != "" {
		t.Errorf("selectable (-want +got):\n%s", diff)
	}
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
		Connected, NeedsUser bool // in the status before the sync
		Code, Read           string
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
		t.Errorf("err = %v", err)
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
				t.Errorf("denied %v, reason %q", c.Denied, c.ReconnectReason)
			}
			body := anna.Get("/api/oauth/status").Want(http.StatusOK).Body.String()
			if n := strings.Count(body, `"needs_reconnect":true`); name == "revoked" && n != 2 {
				t.Errorf("%d services need their user: %s", n, body)
			}
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
		t.Errorf("err = %v", err)
	}
	if c := a.Connection(provider.PagesPair); c.NeedsUser() {
		t.Errorf("denied %v", c.Denied)
	}
}

func TestSyncKeepsMissedMetrics(t *testing.T) {
	a, _ := chosen(t)
	page, photos := syncBoth(a)
	if page.State != social.MetricsComplete || photos.State != social.MetricsComplete {
		t.Fatalf("first sync: %+v, %+v", page.MetricsReading, photos.MetricsReading)
	}
	read := page.SyncedAt
	a.Meta.SetToggle("usage_percent", 97)
	for range 2 {
		a.Clock.Pass(24 * time.Hour)
		kept, keptPhotos := syncBoth(a)
		if diff := cmp.Diff(page.Metrics, kept.Metrics); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(photos.Insights, keptPhotos.Insights); diff != "" {
			t.Errorf("insights (-want +got):\n%s", diff)
		}
		if kept.State != social.MetricsSkipped || kept.Reason == nil || !kept.SyncedAt.Equal(a.Clock.Now()) {
			t.Errorf("reading %+v at %s", kept.MetricsReading, kept.SyncedAt)
		}
		for name, at := range kept.KeptFrom {
			if !at.Equal(read) {
				t.Errorf("%s kept from %s, want %s", name, at, read)
			}
		}
		if len(kept.KeptFrom) != len(page.Metrics) {
			t.Errorf("kept from %v", kept.KeptFrom)
		}
		stored, _, err := a.Social.PageStatistics(t.Context(), a.Company.ID)
		if diff := cmp.Diff(&kept, stored.Data,
			cmpopts.IgnoreTypes(meta.Missed{}, meta.Days{})); err != nil || diff != "" {
			t.Errorf("stored: %v (-want +got):\n%s", err, diff)
		}
	}
	selectPage(a, a.Browser(a.Anna), branch).Want(http.StatusOK)
	if other, err := a.Social.SyncPage(t.Context(), a.Company.ID); err != nil || len(other.Metrics) > 0 ||
		len(other.KeptFrom) > 0 {
		t.Errorf("of another page: %+v, %v", other, err)
	}
	a.Meta.SetToggle("usage_percent", 0)
	if page, _ := a.Social.SyncPage(t.Context(), a.Company.ID); page.State != social.MetricsComplete ||
		len(page.KeptFrom) > 0 {
		t.Errorf("in full: %+v", page.MetricsReading)
	}
}

func TestDeniedMetricsMarkTheConnection(t *testing.T) {
	a, _ := chosen(t)
	const insights = "GET /v25.0/" + bakeryPhotos + "/insights"
	for _, step := range []struct {
		code   string // of the refusal of figures
		denied bool
	}{{"10", true}, {"10", true}, {"4", true}, {"", false}} {
		a.Meta.SetReply(insights, fake.Reply{Body: `{"data":[]}`})
		if step.code != "" {
			replyError(a, insights, step.code)
		}
		syncBoth(a)
		denied := slices.Contains(a.Connection(provider.PagesPair).Denied, provider.SocialPhotos)
		if denied != step.denied {
			t.Errorf("refused with %q: denied %t", step.code, denied)
		}
	}
	a.WantTrail("connect", "select_page", "reconnect_required")
}

func TestScanSteps(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	ctx, id := t.Context(), a.Company.ID
	check := func(when string, worked bool, err error, want bool, code fault.Code) {
		t.Helper()
		if worked != want || (code.Name == "") != (err == nil) || err != nil && !fault.Is(err, code) {
			t.Errorf("%s: worked %t, %v", when, worked, err)
		}
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
	if err != nil || len(followers) != 2 || followers[1].Count != page.FollowersCount {
		t.Errorf("followers %v, %v", followers, err)
	}
	if reading.AccountID != bakery || !reading.SyncedAt.Equal(a.Clock.Now()) {
		t.Errorf("reading of %s at %s", reading.AccountID, reading.SyncedAt)
	}
	_, followers, err = a.Social.PhotoStatistics(t.Context(), a.Company.ID)
	if err != nil || len(followers) != 1 || followers[0].Count != photos.Profile.FollowersCount {
		t.Errorf("followers of the photos %v, %v", followers, err)
	}
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
