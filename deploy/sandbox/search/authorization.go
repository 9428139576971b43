package search

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/internal/oauth"
)

// authPath is that of the authorization endpoint.
const authPath = "/o/oauth2/v2/auth"

// authorization is a valid request to the authorization endpoint
// (https://developers.google.com/identity/protocols/oauth2/web-server).
type authorization struct {
	redirectURI string
	state       string
	scopes      []oauth.Scope
	challenge   oauth.Challenge
	offline     bool
	prompted    bool // with prompt=consent
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
		redirectURI: query.Get("redirect_uri"), state: query.Get("state"),
		offline: query.Get("access_type") == "offline", prompted: query.Get("prompt") == "consent",
	}
	var unknown string
	a.scopes, unknown = findScopes(strings.Fields(query.Get("scope")))
	a.challenge, err = oauth.ParseChallenge(query.Get("code_challenge"), query.Get("code_challenge_method"))
	switch {
	case unknown != "":
		return authorization{}, complaint{http.StatusBadRequest, "invalid_scope", "Nieznany zakres: " + unknown}
	case len(a.scopes) == 0:
		return authorization{}, invalidRequest("Brakuje wymaganego parametru: scope")
	case !slices.Contains([]string{"", "online", "offline"}, query.Get("access_type")):
		return authorization{}, invalidRequest("Nieznana wartość access_type: " + query.Get("access_type"))
	case !slices.Contains([]string{"", "consent", "select_account"}, query.Get("prompt")):
		return authorization{}, invalidRequest("Nieznana wartość prompt: " + query.Get("prompt"))
	case err != nil:
		return authorization{}, invalidRequest("PKCE: " + err.Error())
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
	for _, name := range []string{"client_id", "redirect_uri", "response_type"} {
		if query.Get(name) == "" {
			return invalidRequest("Brakuje wymaganego parametru: " + name)
		}
	}
	switch {
	case !s.client.Is(query.Get("client_id")):
		return complaint{http.StatusUnauthorized, "invalid_client", "Nie znaleziono klienta OAuth."}
	case query.Get("redirect_uri") != s.client.RedirectURI:
		return complaint{http.StatusBadRequest, "redirect_uri_mismatch", "Adres powrotu nie jest zarejestrowany. Zarejestrowany jest: " + s.client.RedirectURI}
	case query.Get("response_type") != "code":
		return complaint{http.StatusBadRequest, "unsupported_response_type", "Obsługiwany jest tylko response_type=code."}
	}
	return nil
}

// page is the consent page of the request.
func (s *site) page(a authorization) oauth.Page {
	page := oauth.Page{Provider: "Konto demonstracyjne provider_search", App: s.client.Name, Scopes: a.scopes}
	for _, person := range fixtures.People() {
		page.Accounts = append(page.Accounts, oauth.Account{Key: person.Key, Name: person.Name + " <" + person.Email + ">", Note: person.Note})
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
