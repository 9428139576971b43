package apptest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
)

// Body is the body of a JSON request or response.
type Body = map[string]any

// Browser is a person's browser. It keeps cookies.
type Browser struct {
	a       *App
	jar     http.CookieJar
	Address string // of its client, "203.0.113.7"
}

var address = &url.URL{Scheme: "https", Host: "firmy.example", Path: "/"} // PublicURL

// Visitor returns a browser without a login.
func (a *App) Visitor() *Browser {
	jar, err := cookiejar.New(nil)
	a.must(err)
	return &Browser{a: a, jar: jar, Address: "203.0.113.7"}
}

// Browser returns a browser in which a user is logged in. It does not check the password.
func (a *App) Browser(u account.User) *Browser {
	a.T.Helper()
	b := a.Visitor()
	r, w := b.request(http.MethodGet, "/", nil), httptest.NewRecorder()
	a.must(a.Sessions.Begin(w, r, u.ID))
	b.jar.SetCookies(address, w.Result().Cookies())
	return b
}

// Get sends a GET request.
func (b *Browser) Get(path string, headers ...string) *Response {
	b.a.T.Helper()
	return b.Do(http.MethodGet, path, nil, headers...)
}

// Post sends a POST request with a JSON body; nil sends none.
func (b *Browser) Post(path string, body Body, headers ...string) *Response {
	b.a.T.Helper()
	if body == nil {
		return b.Do(http.MethodPost, path, nil, headers...)
	}
	text, err := json.Marshal(body)
	b.a.must(err)
	headers = append([]string{"Content-Type", "application/json"}, headers...)
	return b.Do(http.MethodPost, path, strings.NewReader(string(text)), headers...)
}

// Submit sends the form of a page.
func (b *Browser) Submit(path string, form url.Values, headers ...string) *Response {
	b.a.T.Helper()
	headers = append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)
	return b.Do(http.MethodPost, path, strings.NewReader(form.Encode()), headers...)
}

// Do sends a request. headers are names and values by turns.
func (b *Browser) Do(method, path string, body io.Reader, headers ...string) *Response {
	b.a.T.Helper()
	r, w := b.request(method, path, body), httptest.NewRecorder()
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	b.a.Handler.ServeHTTP(w, r)
	b.jar.SetCookies(address, w.Result().Cookies())
	return &Response{ResponseRecorder: w, t: b.a.T, request: method + " " + path}
}

// request returns a request of a page of the service.
func (b *Browser) request(method, path string, body io.Reader) *http.Request {
	r := httptest.NewRequestWithContext(b.a.T.Context(), method, PublicURL+path, body)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.RequestURI = path
	r.URL.Scheme, r.URL.Host = "", ""
	b.Dress(r)
	return r
}

// Dress makes r a request from the browser's address with its cookies.
func (b *Browser) Dress(r *http.Request) {
	r.RemoteAddr = "192.0.2.1:1234"
	r.Header.Set("X-Forwarded-For", b.Address)
	for _, cookie := range b.jar.Cookies(address) {
		r.AddCookie(cookie)
	}
}

// Connect connects a service with the account of one of the sandbox's people (anna, marek, zofia,
// piotr, tomasz), who allows everything.
func (b *Browser) Connect(p provider.Pair, person string) {
	b.a.T.Helper()
	consent := b.Authorize(p)
	location := b.Get(consent.Allow(person)).Want(http.StatusFound).Header().Get("Location")
	if !strings.Contains(location, "oauth_success=") {
		b.a.T.Fatalf("connecting %s %s ended at %s", p.Provider, p.Service, location)
	}
}

// Authorize begins to connect a service and returns the consent page of its provider.
func (b *Browser) Authorize(p provider.Pair) *Consent {
	b.a.T.Helper()
	response := b.Post("/api/oauth/connect/"+string(p.Provider)+"/"+string(p.Service), nil).Want(http.StatusOK)
	address, _ := response.JSON()["auth_url"].(string)
	return &Consent{a: b.a, URL: address}
}

// Consent is the consent page of a provider.
type Consent struct {
	a   *App
	URL string
}

// Allow allows the scopes, or everything, as a person, and returns the path of the callback to
// which the provider sends the browser.
func (c *Consent) Allow(person string, scopes ...string) (callback string) {
	c.a.T.Helper()
	if len(scopes) == 0 {
		scopes = []string{"all"}
	}
	form := url.Values{"decision": {"allow"}, "account": {person}, "scope": scopes}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.PostForm(c.URL, form)
	c.a.must(err)
	defer response.Body.Close()
	location := response.Header.Get("Location")
	path, ok := strings.CutPrefix(location, PublicURL)
	if !ok {
		c.a.T.Fatalf("consent at %s: %s, Location %q", c.URL, response.Status, location)
	}
	return path
}

// Response is a response to a Browser.
type Response struct {
	*httptest.ResponseRecorder
	t       testing.TB
	request string
}

// Want ends the test unless the response has a status.
func (r *Response) Want(status int) *Response {
	r.t.Helper()
	if r.Code != status {
		r.t.Fatalf("%s: status %d, want %d: %s", r.request, r.Code, status, r.Body)
	}
	return r
}

// WantRedirect checks that the browser is sent to a path, with 302 or, after a form, 303.
func (r *Response) WantRedirect(path string) {
	r.t.Helper()
	if r.Code != http.StatusSeeOther { // of forms
		r.Want(http.StatusFound)
	}
	if location := r.Header().Get("Location"); location != path {
		r.t.Fatalf("%s: sent to %s, want %s", r.request, location, path)
	}
}

// WantError checks the status of a failure and its message, and that its body has nothing else.
func (r *Response) WantError(status int, message string) {
	r.t.Helper()
	r.Want(status)
	if diff := cmp.Diff(Body{"success": false, "error": message}, r.JSON()); diff != "" {
		r.t.Errorf("%s: body (-want +got):\n%s", r.request, diff)
	}
}

// JSON returns the body.
func (r *Response) JSON() Body {
	r.t.Helper()
	var body Body
	r.Decode(&body)
	return body
}

// Decode reads the body into target.
func (r *Response) Decode(target any) {
	r.t.Helper()
	if err := json.Unmarshal(r.Body.Bytes(), target); err != nil {
		r.t.Fatalf("%s: %v: %s", r.request, err, r.Body)
	}
}
