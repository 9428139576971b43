package httpapi_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

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

func TestPersonRequests(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair)
		for _, person := range []string{"osoba-9", "osoba-1"} {
			a := w.fromProvider(deauthorize, signed(person, w.Now)).want(200)
			if a.Body.Len() > 0 || a.Header().Get("Set-Cookie") != "" || w.Stored(pagesPair).Active != (person == "osoba-9") {
				t.Errorf("%s: answer %v %s, stored %+v", person, a.Header(), a.Body, w.Stored(pagesPair))
			}
		}
		w.connect(pagesPair)
		a := w.fromProvider(dataDeletion, signed("osoba-1", w.Now)).want(200)
		code, _ := a.at("confirmation_code").(string)
		a.wantAt(publicURL+"/konto/usuniecie-danych/"+code, "url")
		w.ok(w.Erasures.CarryOut(t.Context()))
		if c := w.Stored(pagesPair); c.Active || c.ProviderUserID != "" || len(code) != 32 {
			t.Errorf("stored %+v, code %q", c, code)
		}
	})
}

func TestPersonRequestsRefused(t *testing.T) {
	const textUnsigned, textNoForm = "Podpis żądania jest nieprawidłowy.", "Nie udało się odczytać formularza."
	withService(t, func(t *testing.T, w *world) {
		for path, table := range map[string]string{deauthorize: "oauth_tokens", dataDeletion: "pending_deletions"} {
			w.connect(pagesPair)
			w.fromProvider(path, "signed_request=x.y").wantErrorOnly(400, textUnsigned)
			w.fromProvider(path+"?"+signed("osoba-1", w.Now), "").wantErrorOnly(400, textMissing("signed_request"))
			w.browser().post(path, `{"signed_request":"x.y"}`).wantErrorOnly(400, textNoForm)
			w.fromProvider(path, "signed_request="+strings.Repeat("x", 65<<10)).want(413)
			restore := w.Hide(table)
			requireNoLeak(t, w.fromProvider(path, signed("osoba-1", w.Now)).wantErrorOnly(500, textInternal))
			restore()
			for range 20 {
				w.fromProvider(path, signed("osoba-1", w.Now.Add(-time.Hour)))
			}
			limited := w.fromProvider(path, signed("osoba-1", w.Now)).want(429)
			if limited.Header().Get("Retry-After") == "" || !w.Stored(pagesPair).Active {
				t.Errorf("%s: %v, stored %+v", path, limited.Header(), w.Stored(pagesPair))
			}
			w.Unconfigure(provider.Social)
			w.fromProvider(path, signed("osoba-1", w.Now)).want(503)
			w.wire()
			w.pass(time.Hour)
		}
	})
}
