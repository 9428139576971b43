package social

import (
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/internal/consent"
	"backend.example/deploy/sandbox/internal/pkce"
	"backend.example/deploy/sandbox/social/ledger"
)

// dialog is a request of the app for a login
// (https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow).
type dialog struct {
	page        consent.Page
	redirectURI string
	state       string
	again       bool
	challenge   pkce.Challenge
	choice      *choice // nil in the first step
}

// showDialog answers the page on which a person decides.
func (s *site) showDialog(w http.ResponseWriter, r *http.Request) {
	if d, right := s.readDialog(w, r); right {
		s.counts.Add("consents", "shown")
		d.page.Send(w)
	}
}

// decideDialog takes the decision and sends the person back to the app, or on to
// the choice of pages.
func (s *site) decideDialog(w http.ResponseWriter, r *http.Request) {
	d, right := s.readDialog(w, r)
	if !right {
		return
	}
	decision, err := d.page.Decide(w, r)
	if err != nil {
		consent.SendRefusal(w, http.StatusBadRequest, "invalid_form", err.Error())
		return
	}
	key, choosing := strings.CutSuffix(decision.Account, pickSuffix)
	switch {
	case !decision.Allowed || s.panel.On(knobDeny):
		s.counts.Add("consents", "denied")
		redirect(w, d.back(denial()))
	case choosing:
		redirect(w, chooseAt(r, key, decision.Scopes))
	default:
		s.counts.Add("consents", "allowed")
		s.sendCode(w, d, decision)
	}
}

func denial() url.Values {
	return url.Values{
		"error": {"access_denied"}, "error_code": {"200"}, "error_description": {"Permissions error"}, "error_reason": {"user_denied"},
	}
}

func (s *site) sendCode(w http.ResponseWriter, d dialog, decision consent.Decision) {
	login := ledger.Login{
		Account: s.personID(decision.Account), Asked: namesOf(d.page.Scopes), Allowed: decision.Scopes,
		Again: d.again, RedirectURI: d.redirectURI, Challenge: d.challenge,
	}
	if d.choice != nil {
		login.Asked, login.Allowed = namesOf(d.choice.asked), d.choice.allowed
		login.Pages = append([]string{}, decision.Scopes...)
	}
	location := d.back(url.Values{"code": {s.ledger.IssueCode(login)}})
	s.counts.Add("issued", "code")
	if s.panel.On(knobFragment) {
		location += "#_=_"
	}
	redirect(w, location)
}

// back is the app's address with an answer to it.
func (d dialog) back(answer url.Values) string {
	if d.state != "" {
		answer.Set("state", d.state)
	}
	return d.redirectURI + "?" + answer.Encode()
}

func redirect(w http.ResponseWriter, location string) {
	w.Header().Set("Location", location)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusFound)
}

// readDialog reads the app's request. When it is wrong it answers a page for the
// person, who is not sent anywhere.
func (s *site) readDialog(w http.ResponseWriter, r *http.Request) (dialog, bool) {
	query := r.URL.Query()
	code, text := s.wrongDialog(r.PathValue("version"), query)
	challenge, err := pkce.Parse(query.Get("code_challenge"), query.Get("code_challenge_method"))
	if code == "" && err != nil {
		code, text = "invalid_code_challenge", "Aplikacja wysłała niepoprawne code_challenge."
	}
	if code != "" {
		consent.SendRefusal(w, http.StatusBadRequest, code, text)
		return dialog{}, false
	}
	asked, _ := readScope(query.Get("scope"))
	d := dialog{
		page:        consent.Page{Provider: title, App: s.client.Name, Scopes: asked, Accounts: s.accounts(), Chosen: query.Get("login_hint")},
		redirectURI: query.Get("redirect_uri"),
		state:       query.Get("state"),
		again:       query.Get("auth_type") == "rerequest",
		challenge:   challenge,
	}
	if person, found := s.personOf(query.Get(chosenAccount)); found {
		d.page, d.choice = s.choose(person, asked, query.Get(chosenScopes))
	}
	return d, true
}

// wrongDialog names what is wrong with the parameters, or nothing.
func (s *site) wrongDialog(version string, query url.Values) (code, text string) {
	_, unknown := readScope(query.Get("scope"))
	authType := query.Get("auth_type")
	switch {
	case !s.serves(version):
		return "unknown_version", "Tej wersji okna logowania nie ma: " + version
	case !s.client.Is(query.Get("client_id")):
		return "PLATFORM__INVALID_APP_ID", "Nie ma aplikacji o takim client_id."
	case query.Get("redirect_uri") != s.client.RedirectURI:
		return "URL_BLOCKED", "Adres powrotu (redirect_uri) nie jest zarejestrowany. Zarejestrowany jest: " + s.client.RedirectURI
	case query.Get("response_type") != "code":
		return "invalid_response_type", "response_type musi mieć wartość code."
	case query.Has("config_id"):
		return "invalid_config_id", "Ta aplikacja prosi o uprawnienia parametrem scope; nie ma żadnej konfiguracji (config_id)."
	case len(unknown) > 0:
		return "invalid_scopes", "Nie ma takich uprawnień: " + strings.Join(unknown, ", ") + ". Nazwy oddziela przecinek."
	case authType != "" && authType != "rerequest":
		return "invalid_auth_type", "auth_type może mieć tylko wartość rerequest."
	}
	return "", ""
}
