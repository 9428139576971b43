package ceneo

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

func TestRefusalHonoursRetryAfter(t *testing.T) {
	now, m := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC), knownMarkup().challenge
	tests := []struct {
		status int
		header string
		want   time.Duration
	}{
		{403, "", 0},
		{429, "120", 2 * time.Minute},
		{503, "Sat, 21 Nov 2026 12:30:00 GMT", 30 * time.Minute},
		{429, "soon", 0},
		{429, "2147483647", 7 * 24 * time.Hour},
	}
	for _, tt := range tests {
		err := m.refusal(tt.status, http.Header{"Retry-After": {tt.header}}, nil, now)
		if !fault.Is(err, "source_blocked") || fault.From(err).RetryAfter != tt.want {
			t.Errorf("%d, %q: %v after %v; want %v", tt.status, tt.header, err, fault.From(err).RetryAfter, tt.want)
		}
	}
	if err := m.refusal(503, http.Header{}, []byte(fixture(t, "interstitial.html")), now); !fault.Is(err, "source_blocked") {
		t.Errorf("503 with a challenge: %v", err)
	}
	for _, status := range []int{200, 302, 404, 500, 502, 503} {
		if err := m.refusal(status, http.Header{}, []byte("<p>Przerwa techniczna"), now); err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestLooksLikeAChallenge(t *testing.T) {
	m := knownMarkup().challenge
	tests := map[string]struct {
		body string
		want bool
	}{
		"captcha form":         {fixture(t, "captcha.html"), true},
		"interstitial":         {fixture(t, "interstitial.html"), true},
		"title":                {"<html><head><TITLE class=x>Just a Moment...</TITLE>", true},
		"title of a long page": {"<title>Access denied</title>" + strings.Repeat(" ", m.maxSize), true},
		"reCAPTCHA alone":      {"<p>Ta strona jest chroniona przez reCAPTCHA</p>", false},
		"marker, long page":    {`<div class="js_f-container">` + strings.Repeat(" ", m.maxSize), false},
		"changed page":         {fixture(t, "changed_list.html"), false},
		"no title end":         {"<title", false},
		"empty":                {"", false},
	}
	for name, tt := range tests {
		if got := m.matches([]byte(tt.body)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
