package ceneo

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/lookup"
)

func TestFindClassifiesWhatTheSiteAnswers(t *testing.T) {
	list, captcha := fixture(t, "list.html"), fixture(t, "captcha.html")
	blocked, changed, down := lookup.CodeBlocked, lookup.CodeChanged, lookup.CodeUnavailable
	tests := map[string]struct {
		search, product http.HandlerFunc
		code            string
		failing         bool // all of the site, and not only this question's page
	}{
		"forbidden":               {text(403, list), nil, blocked, false},
		"too many requests":       {text(429, ""), nil, blocked, false},
		"unavailable":             {text(503, ""), nil, down, true},
		"unavailable for a while": {withRetryAfter(503, "120"), nil, blocked, false},
		"captcha with 503":        {text(503, captcha), nil, blocked, false},
		"captcha in place":        {text(200, captcha), nil, blocked, false},
		"interstitial":            {text(200, fixture(t, "interstitial.html")), nil, blocked, false},
		"captcha redirect":        {redirect("/Captcha/Add?ReturnUrl=x"), nil, blocked, false},
		"captcha, other case":     {redirect("/captcha/add"), nil, blocked, false},
		"captcha at the product":  {nil, text(200, captcha), blocked, false},
		"refused at the product":  {nil, text(403, ""), blocked, false},
		"changed list":            {text(200, fixture(t, "changed_list.html")), nil, changed, false},
		"changed product":         {nil, text(200, fixture(t, "changed_product.html")), changed, false},
		"empty answer":            {text(200, ""), nil, changed, false},
		"redirect loop":           {redirect(searchPath), nil, changed, true},
		"led to a click counter":  {redirect("/Click/Offer/?e=1"), nil, lookup.CodeDisallowed, false},
		"redirect without target": {text(302, ""), nil, down, false},
		"server error":            {text(500, ""), nil, down, true},
		"no such search":          {text(404, ""), nil, down, false},
		"no such product":         {nil, text(410, ""), down, false},
		"product failed":          {nil, text(500, ""), down, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, pacer := openStub(t)
			if tt.search != nil {
				s.on(searchPath, tt.search)
				s.on(allPath, tt.search)
			}
			if tt.product != nil {
				s.on(sortedPath, tt.product)
			}
			f, err := find(t.Context(), a, query("RTX 4070"))
			wantCode(t, err, tt.code)
			if lookup.IsFailing(err) != tt.failing {
				t.Errorf("failing %v, want %v: %v", !tt.failing, tt.failing, err)
			}
			if f.ProductName != "" || f.Offers != nil {
				t.Errorf("finding %+v beside an error", f)
			}
			if s.count("/Captcha/Add")+s.count("/captcha/add")+s.count("/Click/Offer/") > 0 {
				t.Errorf("asked %q", s.pages())
			}
			if begun, sent := pacer.turns(); len(begun) != len(s.asked) || sent != len(s.asked) {
				t.Errorf("%d requests, %d turns, %d sent", len(s.asked), len(begun), sent)
			}
		})
	}
}

func TestFindNeverAsksAClickCounter(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(robotsPath, text(404, ""))
	s.on(searchPath, redirect("/Click/Offer/?e=1"))
	_, err := find(t.Context(), a, query("RTX 4070"))
	wantCode(t, err, lookup.CodeChanged)
	if s.count("/Click/Offer/") != 0 {
		t.Error("a paid click was counted")
	}
}

func TestFindStaysOnItsHost(t *testing.T) {
	strangers := 0
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers++ }))
	defer stranger.Close()
	byName := strings.Replace(stranger.URL, "127.0.0.1", "localhost", 1)
	for _, target := range []string{stranger.URL + plainPath, byName + "/x", "http://169.254.169.254/latest", "ftp://127.0.0.1/x"} {
		s, a, _ := openStub(t)
		s.on(searchPath, redirect(target))
		_, err := find(t.Context(), a, query("RTX 4070"))
		wantCode(t, err, lookup.CodeChanged)
		s.on(robotsPath, redirect(target))
		o, _ := options(t, s.URL)
		_, err = find(t.Context(), NewAggregator(o), query("RTX 4070"))
		wantCode(t, err, lookup.CodeChanged)
	}
	if strangers != 0 {
		t.Errorf("%d requests left the site", strangers)
	}
}
