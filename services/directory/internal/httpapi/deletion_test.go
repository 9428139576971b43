package httpapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

const (
	deauthorize  = "/api/oauth/provider_social/deauthorize"
	dataDeletion = "/api/oauth/provider_social/data-deletion"
)

// signed is a form that the provider sends about a person.
func signed(person string, at time.Time) string {
	return url.Values{"signed_request": {directorytest.SignedRequest(person, at)}}.Encode()
}

// fromProvider posts a form as a browser that the provider's site sends.
func (w *world) fromProvider(path, body string) answer {
	return w.browser().post(path, body, "Content-Type", form, "Origin", "https://www.facebook.com", "Sec-Fetch-Site", "cross-site")
}

func TestDeauthorizeCallback(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair, func(c *connection.Connection) { c.ProviderUserID = "osoba-1" })
		if a := w.fromProvider(deauthorize, signed("osoba-9", w.Now)).want(200); a.Body.Len() > 0 || !w.connection(pagesPair).Active {
			t.Errorf("somebody unknown: %s", a.Body)
		}
		if a := w.fromProvider(deauthorize, signed("osoba-1", w.Now)).want(200); a.Body.Len() > 0 || a.Header().Get("Set-Cookie") != "" {
			t.Errorf("answer %v %s", a.Header(), a.Body)
		}
		if c := w.connection(pagesPair); c.Active || c.AccessToken != "" {
			t.Errorf("stored %+v", c)
		}
		a := w.loggedInAs(w.Anna).get("/api/oauth/status").want(200)
		a.wantAt(false, "services", pagesPair.String(), "connected").wantAt(true, "services", pagesPair.String(), "needs_reconnect")
	})
}

func TestDataDeletionCallback(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair, func(c *connection.Connection) { c.ProviderUserID = "osoba-1" })
		a := w.fromProvider(dataDeletion, signed("osoba-1", w.Now)).want(200)
		code, _ := a.at("confirmation_code").(string)
		a.wantAt(publicURL+"/konto/usuniecie-danych/"+code, "url")
		if c := w.connection(pagesPair); c.Active || c.ProviderUserID != "" || len(code) != 32 {
			t.Errorf("stored %+v, code %q", c, code)
		}
		w.fromProvider(dataDeletion, signed("osoba-1", w.Now)).want(200).wantAt(code, "confirmation_code")
	})
}

func TestPersonRequestsRefused(t *testing.T) {
	const textUnsigned, textNoForm = "Podpis żądania jest nieprawidłowy.", "Nie udało się odczytać formularza."
	withService(t, func(t *testing.T, w *world) {
		for _, path := range []string{deauthorize, dataDeletion} {
			w.connect(pagesPair, func(c *connection.Connection) { c.ProviderUserID = "osoba-1" })
			w.fromProvider(path, "signed_request=x.y").wantErrorOnly(400, textUnsigned)
			w.fromProvider(path, "x=1").wantErrorOnly(400, textMissing("signed_request"))
			w.fromProvider(path+"?"+signed("osoba-1", w.Now), "").wantErrorOnly(400, textMissing("signed_request"))
			w.browser().post(path, `{"signed_request":"x.y"}`).wantErrorOnly(400, textNoForm)
			w.fromProvider(path, "signed_request="+strings.Repeat("x", 65<<10)).want(413)
			restore := w.Hide("oauth_tokens")
			requireNoLeak(t, w.fromProvider(path, signed("osoba-1", w.Now)).wantErrorOnly(500, textInternal))
			restore()
			for range 20 {
				w.fromProvider(path, signed("osoba-1", w.Now.Add(-time.Hour)))
			}
			limited := w.fromProvider(path, signed("osoba-1", w.Now)).want(429)
			if limited.Header().Get("Retry-After") == "" || !w.connection(pagesPair).Active {
				t.Errorf("%s: %v, stored %+v", path, limited.Header(), w.connection(pagesPair))
			}
			w.Unconfigure(provider.Social)
			w.fromProvider(path, signed("osoba-1", w.Now)).want(503)
			w.wire()
			w.pass(time.Hour)
		}
	})
}
