package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/internal/oauth"
)

func newPage() oauth.Page {
	return oauth.Page{
		Provider: "Konto demonstracyjne", App: `Katalog <firm>`, Chosen: "marek",
		Scopes: []oauth.Scope{
			{Name: "openid", Text: "Potwierdzenie tożsamości", Fixed: true},
			{Name: "business.manage", Text: "Zarządzanie profilami firm"},
			{Name: "webmasters.readonly", Text: "Odczyt statystyk"},
		},
		Accounts: []oauth.Account{{Key: "anna", Name: "Anna Kowalska", Note: "piekarnia"}, {Key: "marek", Name: "Marek Nowak"}},
	}
}

func render(t *testing.T, page oauth.Page) (*goquery.Document, http.Header) {
	t.Helper()
	recorder := httptest.NewRecorder()
	page.Send(recorder)
	document, err := goquery.NewDocumentFromReader(recorder.Body)
	if err != nil || recorder.Code != http.StatusOK {
		t.Fatalf("got %d, %v", recorder.Code, err)
	}
	return document, recorder.Header()
}

func TestThePageShowsWhatIsAskedFor(t *testing.T) {
	page, header := render(t, newPage())
	if got := page.Find("h1").Text(); got != "Katalog <firm> prosi o dostęp do konta" {
		t.Errorf("heading %q", got)
	}
	if got := page.Find(`form[method=post]:not([action]) input[type=radio][name=account]`).Length(); got != 2 {
		t.Errorf("%d accounts to choose, want 2", got)
	}
	if got := page.Find(`input[type=radio][checked]`).AttrOr("value", ""); got != "marek" {
		t.Errorf("marked account %q", got)
	}
	if got := page.Find(`input[type=checkbox][name=scope][checked]`).Length(); got != 2 {
		t.Errorf("%d checkboxes, want one for each scope that is not fixed", got)
	}
	if got := page.Find("script").Length(); got != 0 {
		t.Error("the page has a script")
	}
	buttons := page.Find(`button[name=decision]`).Map(func(_ int, b *goquery.Selection) string { return b.AttrOr("value", "") + " " + b.Text() })
	if !reflect.DeepEqual(buttons, []string{"allow Zezwól", "deny Odmów"}) {
		t.Errorf("buttons %q", buttons)
	}
	if header.Get("Cache-Control") != "no-store" || header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("header %v", header)
	}
}

func TestWithoutAKnownChoiceTheFirstAccountIsMarked(t *testing.T) {
	for _, chosen := range []string{"", "nobody"} {
		page := newPage()
		page.Chosen = chosen
		document, _ := render(t, page)
		if got := document.Find(`input[type=radio][checked]`).AttrOr("value", ""); got != "anna" {
			t.Errorf("chosen %q: marked %q", chosen, got)
		}
	}
}

func TestTheRefusalNamesTheCode(t *testing.T) {
	recorder := httptest.NewRecorder()
	oauth.SendRefusal(recorder, http.StatusBadRequest, "redirect_uri_mismatch", "Adres <powrotu>")
	for _, want := range []string{"błąd 400", "redirect_uri_mismatch", "Adres &lt;powrotu&gt;"} {
		if recorder.Code != http.StatusBadRequest || !strings.Contains(recorder.Body.String(), want) {
			t.Errorf("got %d, want 400 and %q in %s", recorder.Code, want, recorder.Body)
		}
	}
}

func decide(form url.Values) (oauth.Decision, error) {
	request := httptest.NewRequest(http.MethodPost, "/auth?scope=x&decision=allow&account=anna", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return newPage().Decide(httptest.NewRecorder(), request)
}

func TestDecide(t *testing.T) {
	allowed := func(scopes ...string) oauth.Decision {
		return oauth.Decision{Allowed: true, Account: "anna", Scopes: scopes}
	}
	cases := map[string]struct {
		form string
		want oauth.Decision
	}{
		"every scope":    {"decision=allow&account=anna&scope=business.manage&scope=webmasters.readonly", allowed("openid", "business.manage", "webmasters.readonly")},
		"all":            {"decision=allow&account=anna&scope=all", allowed("openid", "business.manage", "webmasters.readonly")},
		"asked order":    {"decision=allow&account=anna&scope=webmasters.readonly&scope=openid", allowed("openid", "webmasters.readonly")},
		"nothing ticked": {"decision=allow&account=anna", allowed("openid")},
		"denied":         {"decision=deny&account=anna&scope=all", oauth.Decision{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			form, _ := url.ParseQuery(c.form)
			if got, err := decide(form); err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestDecideRefuses(t *testing.T) {
	cases := map[string]struct{ form, problem string }{
		"nothing":         {"", "decision must be allow or deny"},
		"another word":    {"decision=ok&account=anna", "decision must be allow or deny"},
		"no account":      {"decision=allow&scope=all", "account must be one of: anna, marek"},
		"unknown account": {"decision=allow&account=piotr", "account must be one of: anna, marek"},
		"unasked scope":   {"decision=allow&account=anna&scope=drive", `scope "drive" was not asked for`},
		"huge":            {"decision=allow&account=" + strings.Repeat("a", 100<<10), "cannot be read"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			form, _ := url.ParseQuery(c.form)
			if got, err := decide(form); err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("got %+v, %v; want %q", got, err, c.problem)
			}
		})
	}
}
