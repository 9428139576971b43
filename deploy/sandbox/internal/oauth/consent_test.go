package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/internal/oauth"
)

func newPage() oauth.Page {
	return oauth.Page{
		Provider: "Konto demonstracyjne", App: `Katalog <firm>`,
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
	if got := page.Find(`input[type=radio][checked]`).AttrOr("value", ""); got != "anna" {
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

func TestTheRefusalNamesTheCode(t *testing.T) {
	recorder := httptest.NewRecorder()
	oauth.SendRefusal(recorder, http.StatusBadRequest, "redirect_uri_mismatch", "Adres <powrotu>")
	for _, want := range []string{"błąd 400", "redirect_uri_mismatch", "Adres &lt;powrotu&gt;"} {
		if recorder.Code != http.StatusBadRequest || !strings.Contains(recorder.Body.String(), want) {
			t.Errorf("got %d, want 400 and %q in %s", recorder.Code, want, recorder.Body)
		}
	}
}

func TestDecide(t *testing.T) {
	allowed := func(scopes ...string) oauth.Decision {
		return oauth.Decision{Allowed: true, Account: "anna", Scopes: scopes}
	}
	for name, c := range map[string]struct {
		form    string
		want    oauth.Decision
		problem string
	}{
		"every scope":     {form: "decision=allow&account=anna&scope=business.manage&scope=webmasters.readonly", want: allowed("openid", "business.manage", "webmasters.readonly")},
		"all":             {form: "decision=allow&account=anna&scope=all", want: allowed("openid", "business.manage", "webmasters.readonly")},
		"asked order":     {form: "decision=allow&account=anna&scope=webmasters.readonly&scope=openid", want: allowed("openid", "webmasters.readonly")},
		"nothing ticked":  {form: "decision=allow&account=anna", want: allowed("openid")},
		"denied":          {form: "decision=deny&account=anna&scope=all"},
		"nothing":         {form: "", problem: "decision must be allow or deny"},
		"another word":    {form: "decision=ok&account=anna", problem: "decision must be allow or deny"},
		"no account":      {form: "decision=allow&scope=all", problem: "account must be one of: anna, marek"},
		"unknown account": {form: "decision=allow&account=piotr", problem: "account must be one of: anna, marek"},
		"unasked scope":   {form: "decision=allow&account=anna&scope=drive", problem: `scope "drive" was not asked for`},
		"huge":            {form: "decision=allow&account=" + strings.Repeat("a", 100<<10), problem: "cannot be read"},
	} {
		request := httptest.NewRequest(http.MethodPost, "/auth?decision=allow&account=anna", strings.NewReader(c.form))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		got, err := newPage().Decide(httptest.NewRecorder(), request)
		if !reflect.DeepEqual(got, c.want) || (err != nil) != (c.problem != "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%s: got %+v, %v; want %+v, %q", name, got, err, c.want, c.problem)
		}
	}
}
