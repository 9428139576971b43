package social_test

import "testing"

func TestAGrantOpensThePages(t *testing.T) {
	w := newApp(t)
	tokens := w.Grant("anna", "pages_show_list", "pages_read_engagement")
	if got := w.get(tokens.User, "me/accounts").ids(); got != bakery+" "+branch+" "+market {
		t.Errorf("the pages are %s", got)
	}
	page := w.PageToken(tokens.User, bakery)
	if got := w.get(page, "me").body["id"]; got != bakery {
		t.Errorf("the token of the page is that of %v", got)
	}
}
