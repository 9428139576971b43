package search

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/consent"
	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/pkce"
)

// authPath is that of the authorization endpoint.
const authPath = "/o/oauth2/v2/auth"

// authorization is a valid request to the authorization endpoint
// (https://developers.google.com/identity/protocols/oauth2/web-server).
type authorization struct {
	redirectURI string
	state       string
	scopes      []consent.Scope
	challenge   pkce.Challenge
	offline     bool
	incremental bool
	prompt      []string
	loginHint   string
}

// complaint is what is wrong with a request. The person sees it; the app does not.
type complaint struct {
	status     int
	code, text string
}

func (c complaint) Error() string { return c.code + ": " + c.text }

func invalidRequest(text string) complaint {
	return complaint{http.StatusBadRequest, "invalid_request", text}
}

// readAuthorization reads the query. The error is a complaint.
func (s *site) readAuthorization(r *http.Request) (authorization, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return authorization{}, invalidRequest("Nie można odczytać parametrów.")
	}
	if err := s.checkClient(query); err != nil {
		return authorization{}, err
	}
	a := authorization{
		redirectURI: query.Get("redirect_uri"), state: query.Get("state"), loginHint: query.Get("login_hint"),
		incremental: query.Get("include_granted_scopes") == "true", prompt: strings.Fields(query.Get("prompt")),
	}
	for _, read := range []func(url.Values) error{a.readScopes, a.readAccess, a.readPrompt, a.readChallenge} {
		if err := read(query); err != nil {
			return authorization{}, err
		}
	}
	return a, nil
}

// checkClient refuses what could send a code to somebody else.
func (s *site) checkClient(query url.Values) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if len(query[name]) > 1 {
			return invalidRequest("Parametr może mieć tylko jedną wartość: " + name)
		}
	}
	switch {
	case query.Get("client_id") == "":
		return invalidRequest("Brakuje wymaganego parametru: client_id")
	case !s.client.Is(query.Get("client_id")):
		return complaint{http.StatusUnauthorized, "invalid_client", "Nie znaleziono klienta OAuth."}
	case query.Get("redirect_uri") == "":
		return invalidRequest("Brakuje wymaganego parametru: redirect_uri")
	case query.Get("redirect_uri") != s.client.RedirectURI:
		return complaint{http.StatusBadRequest, "redirect_uri_mismatch", "Adres powrotu nie jest zarejestrowany. Zarejestrowany jest: " + s.client.RedirectURI}
	case query.Get("response_type") == "":
		return invalidRequest("Brakuje wymaganego parametru: response_type")
	case query.Get("response_type") != "code":
		return complaint{http.StatusBadRequest, "unsupported_response_type", "Obsługiwany jest tylko response_type=code."}
	}
	return nil
}

func (a *authorization) readScopes(query url.Values) error {
	names := strings.Fields(query.Get("scope"))
	if len(names) == 0 {
		return invalidRequest("Brakuje wymaganego parametru: scope")
	}
	scopes, unknown := findScopes(names)
	if unknown != "" {
		return complaint{http.StatusBadRequest, "invalid_scope", "Nieznany zakres: " + unknown}
	}
	a.scopes = scopes
	return nil
}

func (a *authorization) readAccess(query url.Values) error {
	switch query.Get("access_type") {
	case "", "online":
	case "offline":
		a.offline = true
	default:
		return invalidRequest("Nieznana wartość access_type: " + query.Get("access_type"))
	}
	return nil
}

func (a *authorization) readPrompt(query url.Values) error {
	for _, word := range a.prompt {
		if !slices.Contains([]string{"none", "consent", "select_account"}, word) || (word == "none" && len(a.prompt) > 1) {
			return invalidRequest("Nieznana wartość prompt: " + query.Get("prompt"))
		}
	}
	return nil
}

func (a *authorization) readChallenge(query url.Values) error {
	challenge, err := pkce.Parse(query.Get("code_challenge"), query.Get("code_challenge_method"))
	if err != nil {
		return invalidRequest("PKCE: " + err.Error())
	}
	a.challenge = challenge
	return nil
}

// page is the consent page of the request.
func (s *site) page(a authorization) consent.Page {
	page := consent.Page{Provider: "Konto demonstracyjne provider_search", App: s.client.Name, Scopes: a.scopes}
	for _, person := range demo.People() {
		page.Accounts = append(page.Accounts, consent.Account{Key: person.Key, Name: person.Name + " <" + person.Email + ">", Note: person.Note})
		if a.loginHint == person.Email || a.loginHint == subject(person.Key) {
			page.Chosen = person.Key
		}
	}
	return page
}

// exampleAuthorization is an address that shows the consent page.
func (s *site) exampleAuthorization() string {
	return authPath + "?" + url.Values{
		"client_id": {s.client.ID}, "redirect_uri": {s.client.RedirectURI}, "response_type": {"code"}, "state": {"demo"},
		"scope": {scopeOpenID + " " + scopeBusiness}, "access_type": {"offline"}, "prompt": {"consent"},
	}.Encode()
}
