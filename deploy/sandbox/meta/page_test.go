package meta_test

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAPersonSeesThemselves(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	for _, target := range []string{"me?fields=id,name", anna + "?fields=id,name"} {
		want := map[string]any{"id": anna, "name": "Anna Kowalska"}
		if a := w.get(token, target); !reflect.DeepEqual(a.body, want) {
			t.Errorf("%s: got %s", target, a.Body)
		}
	}
	w.wantRefusal(token, piotr, "100/33")
	w.wantRefusal(appToken, "me", "2500")
}

func TestPagesAreListedWithTheirTokens(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	list := w.get(token, "me/accounts?fields=id,name,category,fan_count,access_token&limit=100").list()
	if len(list) != 3 || list[0]["id"] != bakery || list[0]["category"] != "Piekarnia" || list[0]["fan_count"].(float64) < 2000 {
		t.Fatalf("got %v", list)
	}
	if list[0]["access_token"] == list[1]["access_token"] || list[0]["access_token"] != w.pageToken(token, bakery) {
		t.Error("the tokens of pages are mixed up, or change from call to call")
	}
	if _, credential := list[2]["access_token"]; credential || list[2]["id"] != market {
		t.Errorf("a page without the right to act: %v", list[2])
	}
}

func TestPagesNeedPermissions(t *testing.T) {
	w := newApp(t)
	token := w.login("anna", "pages_show_list")
	w.wantRefusal(token, "me/accounts?fields=fan_count", "10")
	w.wantRefusal(token, bakery+"?fields=fan_count", "10")
	if got := w.get(token, "me/accounts?fields=name").ids(); got != bakery+" "+branch+" "+market {
		t.Errorf("got %q", got)
	}
	w.set(`{"missing_permissions": ["pages_show_list"]}`)
	if a := w.get(token, "me/accounts"); a.ids() != "" || a.refusal() != "" {
		t.Errorf("without pages_show_list: %s", a.Body)
	}
}

// walk follows next as the API gives it, with the proof that it leaves out.
func (w *app) walk(token, target string) (ids []string, answers int) {
	w.t.Helper()
	for target != "" {
		a := w.get(token, target)
		answers++
		for _, item := range a.list() {
			ids = append(ids, item["id"].(string))
		}
		paging, _ := a.body["paging"].(map[string]any)
		address, _ := paging["next"].(string)
		target = ""
		if address != "" {
			next, err := url.Parse(address)
			if err != nil || next.Scheme != "http" || next.Host != "example.com" || next.Query().Get("access_token") != token || next.Query().Has("appsecret_proof") {
				w.t.Fatalf("next = %q", address)
			}
			target = strings.TrimPrefix(next.RequestURI(), version)
		}
	}
	return ids, answers
}

func TestPagesOfAPortfolioNeedBusinessManagement(t *testing.T) {
	w := newApp(t)
	for _, scopes := range [][]string{{"pages_show_list", "pages_read_engagement"}, nil} {
		if got := len(w.get(w.login("piotr", scopes...), "me/accounts?limit=100").list()); got != 5 {
			t.Errorf("%d pages with %v, want the five of nobody's portfolio", got, scopes)
		}
	}
	w.wantRefusal(w.login("marek", "pages_show_list"), "me/businesses", "10")
	anna, piotr := w.login("anna"), w.login("piotr")
	if got := w.get(anna, "me/businesses").ids(); got != "" {
		t.Errorf("anna has the portfolios %q", got)
	}
	portfolio := w.get(piotr, "me/businesses").ids()
	w.wantRefusal(anna, portfolio+"/owned_pages", "100/33")
	owned, clients := w.get(piotr, portfolio+"/owned_pages?limit=100").list(), w.get(piotr, portfolio+"/client_pages?limit=100").list()
	if len(owned) != 65 || len(clients) != 65 || owned[0]["id"] == clients[0]["id"] || owned[0]["access_token"] == nil {
		t.Errorf("%d pages owned, %d of clients", len(owned), len(clients))
	}
}

func TestDebugToken(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	w.wantRefusal(token, "debug_token?input_token="+token, "100")
	data, _ := w.get(appToken, "debug_token?input_token="+token).body["data"].(map[string]any)
	if end := w.now.Add(90 * 24 * time.Hour).Unix(); data["data_access_expires_at"] != float64(end) || data["user_id"] != anna || data["is_valid"] != true {
		t.Errorf("token = %v", data)
	}
	if data, _ := w.get(appToken, "debug_token?input_token=x").body["data"].(map[string]any); data["is_valid"] != false {
		t.Errorf("unknown token = %v", data)
	}
}

func TestALongListComesInParts(t *testing.T) {
	w := newApp(t)
	token := w.login("piotr")
	portfolio := w.get(token, "me/businesses").ids()
	for limit, parts := range map[string]int{"10": 7, "1000": 1, "": 3} {
		ids, answers := w.walk(token, portfolio+"/owned_pages?fields=id&limit="+limit)
		if answers != parts || len(ids) != 65 {
			t.Errorf("limit %q: %d pages in %d answers, want 65 in %d", limit, len(ids), answers, parts)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 65 {
			t.Errorf("limit %q: a page stands there twice", limit)
		}
	}
}

func TestListsRefuseWhatIsNoPlaceInThem(t *testing.T) {
	w := newApp(t)
	token := w.login("anna")
	for query, want := range map[string]string{
		"limit=0": "100", "limit=-1": "100", "limit=x": "100", "after=x": "100", "fields=nothing": "100",
		"fields=picture{url}": "100",
	} {
		w.wantRefusal(token, "me/accounts?"+url.PathEscape(query), want)
	}
}

func TestAPageTokenBelongsToItsPage(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	token := w.pageToken(user, branch)
	if a := w.get(token, "me?fields=name,access_token"); a.body["id"] != branch || a.body["access_token"] != token {
		t.Errorf("me is %s", a.Body)
	}
	w.wantRefusal(token, bakery, "10")
	w.wantRefusal(token, bakery+"/insights?metric=page_media_view", "10")
	w.wantRefusal(token, photo, "100/33")
	w.wantRefusal(token, garage, "10")
	w.wantRefusal(token, anna, "100/33")
	w.wantRefusal(token, "me/accounts", "100")
	w.wantRefusal(user, garage, "10")
	w.wantRefusal(user, "1", "100/33")
}

func TestNotEveryPageHasAPhotoAccount(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	for page, want := range map[string]bool{bakery: true, branch: false} {
		a := w.get(w.pageToken(user, page), page+"?fields=instagram_business_account")
		if _, linked := a.body["instagram_business_account"]; linked != want {
			t.Errorf("%s: %s", page, a.Body)
		}
	}
	w.set(`{"missing_permissions": ["instagram_basic"]}`)
	token := w.pageToken(user, bakery)
	if a := w.get(token, bakery+"?fields=instagram_business_account"); len(a.body) != 1 {
		t.Errorf("without instagram_basic: %s", a.Body)
	}
	w.wantRefusal(token, photo, "10")
	w.wantRefusal(token, photo+"/media", "10")
}
