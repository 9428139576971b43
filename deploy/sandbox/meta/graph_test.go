package meta_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
)

func TestACallNeedsATokenAndItsProof(t *testing.T) {
	w := newApp(t)
	token, other := w.login("anna"), w.login("marek")
	signed := "&appsecret_proof=" + proof(token)
	for name, c := range map[string]struct{ header, target, want string }{
		"header":             {token, version + "me?" + signed, ""},
		"parameter":          {"", version + "me?access_token=" + token + signed, ""},
		"two different":      {token, version + "me?access_token=" + other + signed, "100"},
		"no token":           {"", version + "me", "2500"},
		"no token elsewhere": {"", version + bakery, "104"},
		"unknown token":      {"EAAGx", version + "me?appsecret_proof=" + proof("EAAGx"), "190"},
		"no proof":           {token, version + "me", "100"},
		"another's proof":    {token, version + "me?appsecret_proof=" + proof(other), "100"},
		"removed parameter":  {token, version + "me?date_format=U" + signed, "100"},
		"removed ids":        {token, version + "me?ids=1" + signed, "100"},
		"removed debug":      {token, version + "me?debug=all" + signed, "100"},
		"removed pretty":     {token, version + "me?pretty=1" + signed, "100"},
		"newest version":     {token, "/v26.0/me?" + signed, ""},
		"oldest version":     {token, "/v21.0/me?" + signed, ""},
		"dead version":       {token, "/v20.0/me?" + signed, "2635"},
		"root":               {"", "/", "2500"},
		"unknown edge":       {"", version + "me/friends", "2500"},
	} {
		if a := w.send("GET", c.target, c.header, ""); a.refusal() != c.want {
			t.Errorf("%s: got %s, want %q", name, a.Body, c.want)
		}
	}
	for target, id := range map[string]string{"POST " + version + "me": "me", "DELETE " + version + bakery + "/photos": bakery, "POST /": ""} {
		method, path, _ := strings.Cut(target, " ")
		if a := w.send(method, path, "", ""); a.refusal() != "100/33" || !strings.Contains(a.Body.String(), "ID '"+id+"'") {
			t.Errorf("%s: got %s", target, a.Body)
		}
	}
}

func TestOrderedErrors(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	for _, c := range []struct {
		code, subcode, status int
		want                  string
	}{
		{1, 0, 500, "1"}, {2, 0, 500, "2"}, {4, 0, 403, "4"}, {10, 0, 403, "10"}, {17, 0, 400, "17"}, {32, 0, 400, "32"}, {200, 0, 403, "200"},
		{341, 0, 400, "341"}, {368, 0, 400, "368"}, {613, 0, 400, "613"}, {80001, 0, 400, "80001"}, {80002, 0, 400, "80002"}, {190, 460, 400, "190/460"}, {4242, 7, 400, "4242/7"},
	} {
		w.SetFault(fake.Fault{Kind: "graph_error", Code: c.code, Subcode: c.subcode})
		for _, a := range []answer{w.get(token, "me"), w.trade("grant_type", "fb_exchange_token")} {
			if a.Code != c.status || a.refusal() != c.want || strings.Contains(a.Body.String(), `"is_transient":true`) != (c.status == 500) {
				t.Errorf("%s: got %d %s", c.want, a.Code, a.Body)
			}
			limit := slices.Contains([]int{4, 17, 32, 341, 368, 613, 80001, 80002}, c.code)
			if used := a.Header().Get("X-App-Usage"); strings.Contains(used, `"call_count":100,`) != limit {
				t.Errorf("%s: used %s", c.want, used)
			}
		}
	}
	if a := w.send("GET", dialog(), "", ""); a.Code != http.StatusOK {
		t.Errorf("the dialog: %d", a.Code)
	}
}

func TestUsageIsInTheHeaders(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	page := w.page(user, bakery)
	if header := w.get(user, "me").Header(); header.Get("X-App-Usage") != `{"call_count":28,"total_cputime":25,"total_time":25}` || header.Get("X-Business-Use-Case-Usage") != "" {
		t.Errorf("a person's call: %v", header)
	}
	w.SetToggle("usage_percent", 96)
	want := `{"` + bakery + `":[{"type":"pages","call_count":96,"total_cputime":25,"total_time":25,"estimated_time_to_regain_access":0}]}`
	if header := w.get(page, bakery).Header(); header.Get("X-Business-Use-Case-Usage") != want {
		t.Errorf("a page's call: %v", header)
	}
	w.SetFault(fake.Fault{Kind: "graph_error", Code: 80001})
	if header := w.get(page, bakery).Header(); !strings.Contains(header.Get("X-App-Usage"), `"call_count":100`) {
		t.Errorf("at the limit: %v", header)
	}
}

func TestWhatATokenMaySee(t *testing.T) {
	w := newApp(t)
	user, lister := w.login("anna"), w.login("zofia", "pages_show_list")
	token := w.page(user, branch)
	w.check(
		check{user, "me?fields=id,name", "", `{"id":"` + anna + `","name":"Anna Kowalska"}`},
		check{user, anna + "?fields=name", "", `"name":"Anna Kowalska"`},
		check{user, piotr, "100/33", ""}, check{appToken, "me", "2500", ""}, check{user, garage, "10", ""}, check{user, "1", "100/33", ""},
		check{token, "me?fields=name,access_token", "", `{"access_token":"` + token + `","id":"` + branch + `"`},
		check{token, bakery, "10", ""}, check{token, bakery + "/insights?metric=page_media_view", "10", ""}, check{token, photo, "100/33", ""},
		check{token, garage, "10", ""}, check{token, anna, "100/33", ""}, check{token, "me/accounts", "100", ""},
		check{lister, "me/accounts?fields=fan_count", "10", ""}, check{lister, studio + "?fields=fan_count", "10", ""},
		check{lister, "me/accounts?fields=name", "", `"id":"` + gallery + `"`},
		check{user, "me/accounts?limit=0", "100", ""}, check{user, "me/accounts?limit=1&fields=name", "", `"Piekarnia Kowalski"}],"paging":{`}, check{user, "me/accounts?limit=x", "100", ""}, check{user, "me/accounts?after=x", "100", ""},
		check{user, "me/accounts?fields=nothing", "100", ""}, check{user, "me/accounts?fields=picture%7Burl%7D", "100", ""},
		check{user, bakery + "?fields=instagram_business_account", "", `{"id":"` + bakery + `","instagram_business_account":{"id":"` + photo + `"}}`},
		check{user, branch + "?fields=instagram_business_account", "", `{"id":"` + branch + `"}`},
	)
	list := w.list(user, "me/accounts?fields=id,name,category,fan_count,access_token&limit=100")
	if len(list) != 3 || list[0]["id"] != bakery || list[0]["category"] != "Piekarnia" || list[0]["fan_count"].(float64) < 2000 ||
		list[0]["access_token"] == token || list[1]["access_token"] != token || list[2]["id"] != market || list[2]["access_token"] != nil {
		t.Errorf("got %v", list)
	}
	token = w.page(user, bakery)
	w.SetToggle("missing_permissions", []string{"pages_show_list", "instagram_basic"})
	w.check(
		check{user, "me/accounts", "", `{"data":[]}`}, check{user, bakery + "?fields=access_token", "", `{"id":"` + bakery + `"}`}, check{token, photo, "10", ""}, check{token, photo + "/media", "10", ""},
		check{token, bakery + "?fields=instagram_business_account", "", `{"id":"` + bakery + `"}`},
	)
}

// walk follows next as the API gives it, with the proof that it leaves out.
func (w *app) walk(token, target string) (ids []string, answers int) {
	w.t.Helper()
	for target != "" {
		a := w.get(token, target)
		body := value[struct {
			Data   []struct{ ID string }
			Paging struct{ Next string }
		}](a)
		for _, item := range body.Data {
			ids = append(ids, item.ID)
		}
		next, err := url.Parse(body.Paging.Next)
		if err != nil || body.Paging.Next != "" && (next.Scheme+next.Host != "httpexample.com" || next.Query().Get("access_token") != token || next.Query().Has("appsecret_proof")) {
			w.t.Fatalf("next = %q", body.Paging.Next)
		}
		target, answers = strings.TrimPrefix(strings.TrimPrefix(body.Paging.Next, "http://example.com"), version), answers+1
	}
	slices.Sort(ids)
	return slices.Compact(ids), answers
}

func TestPagesOfAPortfolioComeInParts(t *testing.T) {
	w := newApp(t)
	token := w.login("piotr")
	portfolio := w.list(token, "me/businesses")[0]["id"].(string)
	for target, want := range map[string][2]int{
		"me/accounts?limit=100": {5, 1}, portfolio + "/owned_pages?limit=10": {65, 7}, portfolio + "/owned_pages?limit=1000": {65, 1},
		portfolio + "/owned_pages": {65, 3}, portfolio + "/client_pages?limit=100": {65, 1},
	} {
		if ids, answers := w.walk(token, target); len(ids) != want[0] || answers != want[1] {
			t.Errorf("%s: %d pages in %d answers, want %v", target, len(ids), answers, want)
		}
	}
	w.check(
		check{w.login("marek", "pages_show_list"), "me/businesses", "10", ""}, check{w.login("anna"), "me/businesses", "", `{"data":[]}`},
		check{w.login("anna"), portfolio + "/owned_pages", "100/33", ""}, check{token, portfolio + "/owned_pages", "", `"access_token":"EAAG`},
		check{token, "me/businesses?fields=nothing", "100", "on node type (Business)"}, check{token, portfolio + "/owned_pages?limit=0", "100", "Param limit"},
	)
	w.SetToggle("missing_permissions", []string{"business_management"})
	w.check(check{token, portfolio + "/owned_pages", "10", "business_management"})
}

func TestInstagramAccountsAndMedia(t *testing.T) {
	w := newApp(t)
	token, fields := w.page(w.login("anna"), bakery), "?limit=100&fields=id,caption,media_type,permalink,timestamp,like_count,comments_count"
	a := value[map[string]any](w.get(token, photo+"?fields=id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count"))
	if len(a) != 9 || a["username"] != "piekarnia.kowalski" || a["followers_count"].(float64) < 1480 || a["media_count"] != 81.0 {
		t.Errorf("got %v", a)
	}
	list, seen, last := w.list(token, photo+"/media"+fields), map[any]int{}, w.now
	for _, medium := range list {
		posted, err := time.Parse("2006-01-02T15:04:05+0000", medium["timestamp"].(string))
		if err != nil || posted.After(last) {
			t.Errorf("%v after %s, %v", medium["timestamp"], last, err)
		}
		last = posted
		seen[medium["media_type"]]++
		for _, name := range []string{"caption", "like_count"} {
			if _, found := medium[name]; !found {
				seen["no "+name]++
			}
		}
	}
	for _, kind := range []string{"IMAGE", "VIDEO", "CAROUSEL_ALBUM", "no caption", "no like_count"} {
		if seen[kind] == 0 || seen[kind] > 60 || len(list) != 81 {
			t.Errorf("%s: %d of %d", kind, seen[kind], len(list))
		}
	}
	w.check(check{token, photo + "/media?limit=0", "100", "Param limit"})
	if got := w.list(token, photo+"/media"); len(got) != 25 || len(got[0]) != 1 {
		t.Errorf("without limit and fields: %d, %v", len(got), got[0])
	}
	if a := w.get(w.page(w.login("zofia"), studio), "17841400000000102/media"+fields); strings.Contains(a.Body.String(), "like_count") {
		t.Errorf("likes are not hidden: %s", a.Body)
	}
	w.now = w.now.AddDate(1, 0, 0) // with more media than an answer may hold
	if got := w.list(token, photo+"/media?limit=1000"); len(got) != 100 {
		t.Errorf("with a limit of 1000: %d", len(got))
	}
}
