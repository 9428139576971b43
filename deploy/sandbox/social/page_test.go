package social_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestAPersonSeesThemselves(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna")
	for _, target := range []string{"me?fields=id,name,first_name,email", anna + "?fields=id,name,first_name,email"} {
		want := map[string]any{"id": anna, "name": "Anna Kowalska", "first_name": "Anna"}
		if a := w.get(token, target); !reflect.DeepEqual(a.body, want) {
			t.Errorf("%s: got %s", target, a.Body)
		}
	}
	w.wantRefusal(token, piotr, "100/33")
	w.wantRefusal(appToken, "me", "2500")
}

func TestPagesAreListedWithTheirTokens(t *testing.T) {
	w := newWorld(t)
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
	if got := w.counted("issued", "page_token"); got != 2 {
		t.Errorf("%d tokens of pages issued, want 2", got)
	}
}

func TestTheUsualFieldsOfAList(t *testing.T) {
	w := newWorld(t)
	list := w.get(w.login("marek"), "me/accounts").list()
	for _, name := range []string{"access_token", "category", "category_list", "name", "id", "tasks"} {
		if _, found := list[0][name]; !found || len(list[0]) != 6 {
			t.Errorf("%s is missing, or there is more: %v", name, list[0])
		}
	}
}

func TestPagesNeedPermissions(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna", "pages_show_list")
	w.wantRefusal(token, "me/accounts?fields=fan_count", "10")
	w.wantRefusal(token, bakery+"?fields=fan_count", "10")
	if got := w.get(token, "me/accounts?fields=name").ids(); got != bakery+" "+branch+" "+market {
		t.Errorf("got %q", got)
	}
	w.knobs(`{"missing_permissions": ["pages_show_list"]}`)
	if a := w.get(token, "me/accounts"); a.ids() != "" || a.refusal() != "" {
		t.Errorf("without pages_show_list: %s", a.Body)
	}
}

func TestPagesOfAPortfolioNeedBusinessManagement(t *testing.T) {
	w := newWorld(t)
	some := w.login("piotr", "pages_show_list", "pages_read_engagement")
	if got := len(w.get(some, "me/accounts?limit=100").list()); got != 5 {
		t.Errorf("%d pages without business_management, want the five of nobody's portfolio", got)
	}
	w.wantRefusal(some, "me/businesses", "10")
	all := w.login("piotr")
	portfolio := w.get(all, "me/businesses?fields=id,name").ids()
	if got := w.get(all, portfolio+"?fields=name").body["name"]; got != "Widoczni – strony klientów" {
		t.Errorf("portfolio %v", got)
	}
	for edge, want := range map[string]int{"owned_pages": 100, "client_pages": 3} {
		if got := len(w.get(all, portfolio+"/"+edge+"?limit=100").list()); got != want {
			t.Errorf("%s: %d pages, want %d", edge, got, want)
		}
	}
	w.wantRefusal(w.login("anna"), portfolio+"/owned_pages", "100/33")
}

// walk follows next as the API gives it, with the proof that it leaves out.
func (w *world) walk(token, target, link string) (ids []string, answers int) {
	w.t.Helper()
	for target != "" {
		a := w.get(token, target)
		answers++
		for _, item := range a.list() {
			ids = append(ids, item["id"].(string))
		}
		paging, _ := a.body["paging"].(map[string]any)
		address, _ := paging[link].(string)
		target = ""
		if address != "" {
			next, err := url.Parse(address)
			if err != nil || next.Scheme != "http" || next.Host != "example.com" || next.Query().Get("access_token") != token || next.Query().Has("appsecret_proof") {
				w.t.Fatalf("%s = %q", link, address)
			}
			target = strings.TrimPrefix(next.RequestURI(), version)
		}
	}
	return ids, answers
}

func TestALongListComesInParts(t *testing.T) {
	w := newWorld(t)
	token := w.login("piotr")
	for limit, parts := range map[string]int{"100": 2, "1000": 2, "": 6} {
		ids, answers := w.walk(token, "me/accounts?fields=id&limit="+limit, "next")
		if answers != parts || len(ids) != 135 {
			t.Errorf("limit %q: %d pages in %d answers, want 135 in %d", limit, len(ids), answers, parts)
		}
		slices.Sort(ids)
		if len(slices.Compact(ids)) != 135 {
			t.Errorf("limit %q: a page stands there twice", limit)
		}
	}
}

func TestAListGoesBackwardsToo(t *testing.T) {
	w := newWorld(t)
	token := w.login("piotr")
	first, _ := w.walk(token, "me/accounts?fields=id&limit=50", "next")
	second := w.get(token, "me/accounts?fields=id&limit=50&after="+cursor(w.get(token, "me/accounts?fields=id&limit=50"), "after"))
	back := w.get(token, "me/accounts?fields=id&limit=50&before="+cursor(second, "before"))
	if got := back.ids(); got != strings.Join(first[:50], " ") {
		t.Errorf("got %q", got)
	}
}

func cursor(a answer, name string) string {
	paging, _ := a.body["paging"].(map[string]any)
	cursors, _ := paging["cursors"].(map[string]any)
	return url.QueryEscape(fmt.Sprint(cursors[name]))
}

func TestTheLastPartHasCursorsAndNoNext(t *testing.T) {
	w := newWorld(t)
	a := w.get(w.login("anna"), "me/accounts?fields=id&limit=3")
	paging := a.body["paging"].(map[string]any)
	if len(paging) != 1 || cursor(a, "after") == cursor(a, "before") {
		t.Errorf("paging %v", paging)
	}
}

func TestListsRefuseWhatIsNoPlaceInThem(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna")
	for query, want := range map[string]string{
		"limit=0": "100", "limit=-1": "100", "limit=x": "100", "after=x": "100", "before=x": "100", "fields=nothing": "100",
		"fields=id,id": "2500", "fields=picture{": "2500", "fields=picture{url": "2500", "fields=,": "2500", "fields=id}": "2500", "fields=a{b{c{d{e}}}}": "2500",
	} {
		w.wantRefusal(token, "me/accounts?"+url.PathEscape(query), want)
	}
}

func TestEmptyLists(t *testing.T) {
	w := newWorld(t)
	token := w.login("anna")
	page := w.pageToken(token, bakery)
	w.knobs(`{"empty_lists": true}`)
	for caller, target := range map[string]string{token: "me/accounts", page: photo + "/media"} {
		if a := w.get(caller, target); a.Body.String() != "{\"data\":[]}\n" {
			t.Errorf("%s: %s", target, a.Body)
		}
	}
}

func TestAPageTokenBelongsToItsPage(t *testing.T) {
	w := newWorld(t)
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

func TestThePagesFieldsAreThoseAskedFor(t *testing.T) {
	w := newWorld(t)
	token := w.pageToken(w.login("anna"), bakery)
	a := w.get(token, bakery+"?fields=name,location{city,country},picture{url},hours,website,emails,instagram_business_account{id,username}")
	want := map[string]any{
		"id": bakery, "name": "Piekarnia Kowalski", "website": "https://piekarnia-kowalski.example/",
		"location":                   map[string]any{"city": "Kraków", "country": "Poland"},
		"picture":                    map[string]any{"data": map[string]any{"url": "https://scontent.example/p/" + bakery + ".jpg"}},
		"instagram_business_account": map[string]any{"id": photo, "username": "piekarnia.kowalski"},
	}
	hours, _ := a.body["hours"].(map[string]any)
	delete(a.body, "hours")
	if !reflect.DeepEqual(a.body, want) || hours["mon_1_open"] != "05:30" || hours["sun_1_close"] != "13:00" {
		t.Errorf("got %s", a.Body)
	}
	for _, fields := range []string{"fans", "location{planet}", "instagram_business_account{planet}"} {
		w.wantRefusal(token, bakery+"?fields="+fields, "100")
	}
}

func TestNotEveryPageHasAPhotoAccount(t *testing.T) {
	w := newWorld(t)
	user := w.login("anna")
	for page, want := range map[string]bool{bakery: true, branch: false} {
		a := w.get(w.pageToken(user, page), page+"?fields=instagram_business_account")
		if _, linked := a.body["instagram_business_account"]; linked != want {
			t.Errorf("%s: %s", page, a.Body)
		}
	}
	w.knobs(`{"missing_permissions": ["instagram_basic"]}`)
	token := w.pageToken(user, bakery)
	if a := w.get(token, bakery+"?fields=instagram_business_account"); len(a.body) != 1 {
		t.Errorf("without instagram_basic: %s", a.Body)
	}
	w.wantRefusal(token, photo, "10")
	w.wantRefusal(token, photo+"/media", "10")
}
