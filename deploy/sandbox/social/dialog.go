package social

import (
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/social/tokens"
)

// dialog is a request of the app for a login
// (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
type dialog struct {
	page        oauth.Page
	redirectURI string
	state       string
	again       bool
	challenge   oauth.Challenge
}

// showDialog answers the page on which a person decides.
func (s *site) showDialog(w http.ResponseWriter, r *http.Request) {
	if d, right := s.readDialog(w, r); right {
		s.counter.Add(countConsents, "shown")
		d.page.Send(w)
	}
}

// decideDialog takes the decision and sends the person back to the app.
func (s *site) decideDialog(w http.ResponseWriter, r *http.Request) {
	d, right := s.readDialog(w, r)
	if !right {
		return
	}
	decision, err := d.page.Decide(w, r)
	switch {
	case err != nil:
		oauth.SendRefusal(w, http.StatusBadRequest, "invalid_form", err.Error())
	case !decision.Allowed:
		s.counter.Add(countConsents, "denied")
		d.sendBack(w, url.Values{
			"error": {"access_denied"}, "error_code": {"200"}, "error_description": {"Permissions error"}, "error_reason": {"user_denied"},
		})
	default:
		s.counter.Add(countConsents, "allowed")
		d.sendBack(w, url.Values{"code": {s.tokens.IssueCode(tokens.Login{
			Account: s.personID(decision.Account), Asked: namesOf(d.page.Scopes), Allowed: decision.Scopes,
			Again: d.again, RedirectURI: d.redirectURI, Challenge: d.challenge,
		})}})
	}
}

// sendBack redirects to the app; the address it gave is known to be its own.
func (d dialog) sendBack(w http.ResponseWriter, answer url.Values) {
	if d.state != "" {
		answer.Set("state", d.state)
	}
	w.Header().Set("Location", d.redirectURI+"?"+answer.Encode())
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusFound)
}

// readDialog reads the app's request. When it is wrong it answers a page for the
// person, who is not sent anywhere.
func (s *site) readDialog(w http.ResponseWriter, r *http.Request) (dialog, bool) {
	query := r.URL.Query()
	asked, unknown := readScope(query.Get("scope"))
	challenge, err := oauth.ParseChallenge(query.Get("code_challenge"), query.Get("code_challenge_method"))
	code, text := s.wrongDialog(r.PathValue("version"), query)
	switch {
	case code != "":
	case len(unknown) > 0:
		code, text = "invalid_scopes", "Nie ma takich uprawnień: "+strings.Join(unknown, ", ")+". Nazwy oddziela przecinek."
	case err != nil:
		code, text = "invalid_code_challenge", "Aplikacja wysłała niepoprawne code_challenge."
	}
	if code != "" {
		oauth.SendRefusal(w, http.StatusBadRequest, code, text)
		return dialog{}, false
	}
	d := dialog{
		page:        oauth.Page{Provider: title, App: s.client.Name, Scopes: asked},
		redirectURI: query.Get("redirect_uri"), state: query.Get("state"), again: query.Get("auth_type") == "rerequest", challenge: challenge,
	}
	for _, p := range s.people {
		d.page.Accounts = append(d.page.Accounts, oauth.Account{Key: p.Key, Name: p.Name, Note: p.Note})
	}
	return d, true
}

// wrongDialog names what is wrong with the parameters, or nothing.
func (s *site) wrongDialog(version string, query url.Values) (code, text string) {
	authType := query.Get("auth_type")
	switch {
	case !served(version):
		return "unknown_version", "Tej wersji okna logowania nie ma: " + version
	case !s.client.Is(query.Get("client_id")):
		return "PLATFORM__INVALID_APP_ID", "Nie ma aplikacji o takim client_id."
	case query.Get("redirect_uri") != s.client.RedirectURI:
		return "URL_BLOCKED", "Adres powrotu (redirect_uri) nie jest zarejestrowany. Zarejestrowany jest: " + s.client.RedirectURI
	case query.Get("response_type") != "code":
		return "invalid_response_type", "response_type musi mieć wartość code."
	case query.Has("config_id"):
		return "invalid_config_id", "Ta aplikacja prosi o uprawnienia parametrem scope; nie ma żadnej konfiguracji (config_id)."
	case authType != "" && authType != "rerequest":
		return "invalid_auth_type", "auth_type może mieć tylko wartość rerequest."
	}
	return "", ""
}
