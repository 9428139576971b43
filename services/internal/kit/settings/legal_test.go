package settings_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/internal/kit/settings"
)

func TestLegalIsChecked(t *testing.T) {
	l := settings.Legal{Privacy: &url.URL{Path: "/p"}, Contact: "biuro"}
	if got, want := l.Check("X_"), "X_PRIVACY_URL: must be an http(s) address X_CONTACT: must be an e-mail address "+
		"or an http(s) address"; strings.Trim(fmt.Sprint(got), "[]") != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := l.Missing("X_"); !slices.Equal(got, []string{"X_TERMS_URL"}) {
		t.Errorf("missing %q", got)
	}
	if got := (settings.Legal{}).
		Missing("X_"); !slices.Equal(got, []string{"X_PRIVACY_URL", "X_TERMS_URL", "X_CONTACT"}) {
		t.Errorf("missing %q", got)
	}
	for _, contact := range []string{"", "a@b.example", "https://b.example/x"} {
		if problems := (settings.Legal{Contact: contact}).Check("X_"); problems != nil {
			t.Errorf("%s: %v", contact, problems)
		}
	}
	for contact, href := range map[string]string{
		"biuro+a@b.example": "mailto:biuro+a@b.example", "a?subject=b@c.example": "mailto:a%3Fsubject=b@c.example",
		"https://b.example/x?y=1": "https://b.example/x?y=1", "biuro": "",
	} {
		if got := (settings.Legal{Contact: contact}).ContactHref(); got != href {
			t.Errorf("%s leads to %q, want %q", contact, got, href)
		}
	}
	for _, contact := range []string{"javascript:alert(1)", "A <a@b.example>", "ftp://b.example"} {
		if (settings.Legal{Contact: contact}).Check("X_") == nil {
			t.Errorf("%s is accepted", contact)
		}
	}
}
