package fake

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Options are what an OAuth provider depends on.
type Options struct {
	ClientID     string
	ClientSecret string
	RedirectURI  string           // the only address to which people are sent back, compared exactly
	Now          func() time.Time // nil: time.Now
}

// Scope is a permission that an app may ask for.
type Scope struct {
	Name  string // as the provider's API calls it
	Text  string // what it allows, in Polish
	Fixed bool   // shown without a checkbox, and always granted
}

// Provider describes an authorization endpoint in site.json.
type Provider struct {
	Title      string // Polish
	Path       string
	Scopes     []Scope
	Separator  string              // between the scopes of a request
	AddFixed   bool                // fixed scopes are granted even if not asked for
	CodePrefix string              // of authorization codes
	Expire     string              // the name of the action that expires tokens
	Notes      map[string]string   // Polish: what each account holds; else the person's own note
	Allowed    map[string][]string // values of further parameters
	Granted    string              // parameters that are sent back with a code; the scope is filled in
	Denied     string              // parameters that are sent back if the person refuses
	Errors     ErrorNames
}

// ErrorNames are the provider's codes for faulty authorization requests.
type ErrorNames struct{ Request, Client, Redirect, ResponseType, Scope string }

// OAuth is the authorization endpoint of a provider with its consent page and tokens.
type OAuth struct {
	*Fake
	*Tokens
	Options  Options
	Provider *Provider
}

// NewOAuth adds the endpoint to a fake.
func NewOAuth(f *Fake, options Options) *OAuth {
	f.tokens = newTokens(f)
	o := &OAuth{Fake: f, Tokens: f.tokens, Options: options, Provider: &f.OAuth}
	var scopes []string
	for _, scope := range f.OAuth.Scopes {
		scopes = append(scopes, scope.Name)
	}
	example := url.Values{
		"client_id": {options.ClientID}, "redirect_uri": {options.RedirectURI}, "response_type": {"code"},
		"state": {"demo"},
		"scope": {strings.Join(scopes, f.OAuth.Separator)},
	}
	f.Links = append(f.Links, Link{Path: f.OAuth.Path + "?" + example.Encode(), Text: "strona zgody"})
	return o
}

// Authenticates reports whether both id and secret are the client's.
func (o *OAuth) Authenticates(id, secret string) bool {
	return id == o.Options.ClientID && secret == o.Options.ClientSecret
}

// Code returns a fresh code of an account that allowed the scopes. The challenge is the S256 challenge of the
// verifier that has to come with the code; empty for none.
func (o *OAuth) Code(account, challenge string, scopes ...string) string {
	_, err := FindPerson(account)
	must(err)
	return o.IssueCode(Consent{
		Account: account, Asked: scopes, Allowed: scopes, RedirectURI: o.Options.RedirectURI, Challenge: challenge,
		Refreshable: true, Again: true,
	}, o.Provider.CodePrefix)
}

// complaint tells the person what is wrong with a request. The app is not told: its address cannot be trusted.
type complaint struct{ Code, Text string }

// Authorize is the authorization endpoint. GET shows the consent page. Its form is posted
// to the same address, query included, and sends the person back with a code or an error.
// The page works without JavaScript. Its fields are
//
//	decision  allow or deny
//	account   key of one of the accounts, if allowed
//	scope     once for each ticked scope; "all" stands for every one
func (o *OAuth) Authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	asked, wrong := o.readRequest(query)
	if wrong == nil && r.Method == http.MethodGet {
		o.Count("consents", "shown")
		o.sendPage(w, http.StatusOK, "consent",
			map[string]any{"Provider": o.Provider, "Scopes": asked, "People": People()})
		return
	}
	var consent Consent
	if wrong == nil {
		consent, wrong = o.decide(w, r, asked)
	}
	if wrong != nil {
		o.sendPage(w, http.StatusBadRequest, "refusal", wrong)
		return
	}
	back, _ := url.ParseQuery(o.Provider.Denied)
	if consent.Allowed == nil {
		o.Count("consents", "denied")
	} else {
		o.Count("consents", "allowed")
		consent.Refreshable = query.Get("access_type") == "offline"
		consent.Again = query.Get("prompt") == "consent" || query.Get("auth_type") == "rerequest"
		back, _ = url.ParseQuery(o.Provider.Granted)
		if back.Has("scope") {
			back.Set("scope", strings.Join(consent.Allowed, " "))
		}
		back.Set("code", o.IssueCode(consent, o.Provider.CodePrefix))
	}
	if state := query.Get("state"); state != "" {
		back.Set("state", state)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Location", o.Options.RedirectURI+"?"+back.Encode())
	w.WriteHeader(http.StatusFound)
}

func (o *OAuth) readRequest(query url.Values) ([]Scope, *complaint) {
	names := o.Provider.Errors
	for name, values := range query {
		allowed, limited := o.Provider.Allowed[name]
		unknown := limited && !slices.Contains(allowed, values[0])
		if unknown || len(values) > 1 {
			return nil, &complaint{names.Request, "Parametr ma więcej niż jedną wartość albo nieznaną: " + name}
		}
	}
	asked, unknown := o.findScopes(query.Get("scope"))
	pkce := query.Has("code_challenge") || query.Has("code_challenge_method")
	challenge, err := base64.RawURLEncoding.Strict().DecodeString(query.Get("code_challenge"))
	wrongChallenge := err != nil || len(challenge) != sha256.Size || query.Get("code_challenge_method") != "S256"
	switch {
	case query.Get("client_id") != o.Options.ClientID:
		return nil, &complaint{names.Client, "Nie ma aplikacji o takim client_id."}
	case query.Get("redirect_uri") != o.Options.RedirectURI:
		return nil, &complaint{names.Redirect, "Adres powrotu nie jest zarejestrowany. Zarejestrowany jest: " +
			o.Options.RedirectURI}
	case query.Get("response_type") != "code":
		return nil, &complaint{names.ResponseType, "Obsługiwany jest tylko response_type=code."}
	case unknown != "":
		return nil, &complaint{names.Scope, "Nieznany zakres: " + unknown}
	case len(asked) == 0:
		return nil, &complaint{names.Request, "Brakuje wymaganego parametru: scope"}
	case pkce && wrongChallenge:
		return nil, &complaint{names.Request,
			"code_challenge nie jest sumą SHA-256 w base64url albo code_challenge_method nie ma wartości S256."}
	}
	return asked, nil
}

func (o *OAuth) findScopes(text string) (asked []Scope, unknown string) {
	names := strings.Split(text, o.Provider.Separator)
	for _, name := range names {
		if name != "" && !slices.ContainsFunc(o.Provider.Scopes, func(s Scope) bool { return s.Name == name }) {
			return nil, name
		}
	}
	for _, scope := range o.Provider.Scopes {
		if slices.Contains(names, scope.Name) || scope.Fixed && o.Provider.AddFixed {
			asked = append(asked, scope)
		}
	}
	return asked, ""
}

// decide reads the form of the consent page. Nothing is allowed if the person refused.
func (o *OAuth) decide(w http.ResponseWriter, r *http.Request, asked []Scope) (Consent, *complaint) {
	wrong := func(format string, values ...any) (Consent, *complaint) {
		return Consent{}, &complaint{o.Provider.Errors.Request, fmt.Sprintf(format, values...)}
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	if err := r.ParseForm(); err != nil {
		return wrong("the form cannot be read: %v", err)
	}
	switch r.PostForm.Get("decision") {
	case "deny":
		return Consent{}, nil
	case "allow":
	default:
		return wrong("decision must be allow or deny")
	}
	consent := Consent{
		Account: r.PostForm.Get("account"), RedirectURI: o.Options.RedirectURI,
		Challenge: r.URL.Query().Get("code_challenge"),
	}
	if _, err := FindPerson(consent.Account); err != nil {
		return wrong("%v", err)
	}
	ticked := r.PostForm["scope"]
	for _, scope := range asked {
		consent.Asked = append(consent.Asked, scope.Name)
		if scope.Fixed || slices.Contains(ticked, scope.Name) || slices.Contains(ticked, "all") {
			consent.Allowed = append(consent.Allowed, scope.Name)
		}
	}
	for _, name := range ticked {
		if name != "all" && !slices.Contains(consent.Asked, name) {
			return wrong("scope %q was not asked for; these were: %s", name, strings.Join(consent.Asked, ", "))
		}
	}
	return consent, nil
}

//go:embed consent.html
var consentHTML string

func (o *OAuth) sendPage(w http.ResponseWriter, status int, name string, view any) {
	var body bytes.Buffer
	must(template.Must(template.New("").Parse(consentHTML)).ExecuteTemplate(&body, name, view))
	header := w.Header()
	header.Set("Content-Type", htmlType)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_, _ = body.WriteTo(w)
}
