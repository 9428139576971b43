package provider_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// What the stand-in issues, and what must never appear in an error.
const (
	googleClientID     = "1234-abc.apps.googleusercontent.com"
	googleClientSecret = "GOCSPX-secret-of-the-client"
	googleCode         = "4/0AX-code-of-the-consent-page"
	googleVerifier     = "verifier-of-forty-three-characters-at-the-least"
	googleAccess       = "ya29.access-token"
	googleRefresh      = "1//refresh-token"
	googleKey          = "AIzaSyKeyOfThePlaces"
	googleRedirect     = "https://firma.example/api/oauth/callback/provider_search"
	googleSubject      = "108204268033311374519"
)

var googleNow = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

var googleSecrets = []string{googleClientSecret, googleCode, googleVerifier, googleAccess, googleRefresh, googleKey}

// googleCall is a request as the stand-in saw it.
type googleCall struct {
	Method, Path, Token string
	Query, Form         url.Values
}

type googleReply struct {
	status int
	body   string
	header http.Header
}

// googleServer plays provider_search, and is as strict. What a client must never
// do fails the test.
type googleServer struct {
	t *testing.T

	mu      sync.Mutex
	calls   []googleCall
	replies map[string]googleReply // path → what is answered instead

	accounts  []string            // JSON, in order
	locations map[string][]string // account or "" for single reads → JSON
	sites     string
	places    map[string]string // id → JSON
	results   string            // JSON list of what a text search finds
	queries   []string          // of text searches
}

func newGoogleServer(t *testing.T) *googleServer {
	t.Helper()
	s := &googleServer{t: t, replies: map[string]googleReply{}, locations: map[string][]string{}, places: map[string]string{}}
	return s
}

func (s *googleServer) search(change ...func(*provider.SearchOptions)) *provider.Search {
	options := provider.SearchOptions{
		ClientID: googleClientID, ClientSecret: googleClientSecret, Transport: memory{s.serve}, Now: func() time.Time { return googleNow },
	}
	for _, c := range change {
		c(&options)
	}
	return provider.NewSearch(options)
}

func (s *googleServer) serve(w http.ResponseWriter, r *http.Request) {
	call := googleCall{Method: r.Method, Path: r.URL.Path, Query: r.URL.Query()}
	call.Token = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if r.Header.Get("Content-Type") == "application/x-www-form-urlencoded" {
		if err := r.ParseForm(); err != nil {
			s.t.Error(err)
		}
		call.Form = r.PostForm
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call)
	for _, secret := range googleSecrets {
		if strings.Contains(r.RequestURI, url.QueryEscape(secret)) || strings.Contains(r.RequestURI, secret) {
			s.t.Errorf("secret in the address of %s %s", r.Method, r.URL.Path)
		}
	}
	reply, ok := s.replies[r.URL.Path]
	if !ok {
		reply = s.answer(call, r)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	for name, values := range reply.header {
		w.Header()[name] = values
	}
	w.WriteHeader(reply.status)
	_, _ = w.Write([]byte(reply.body))
}

func (s *googleServer) answer(c googleCall, r *http.Request) googleReply {
	switch {
	case c.Method == http.MethodPost && c.Path == "/token":
		return s.token(c)
	case c.Method == http.MethodPost && c.Path == "/revoke":
		return s.revoke(c)
	case strings.HasPrefix(c.Path, "/v1/places"):
		return s.place(c, r)
	case c.Method != http.MethodGet:
		return s.refuse(c, 404, "NOT_FOUND", "", "")
	case c.Token != googleAccess:
		return s.refuse(c, 401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", "")
	case c.Path == "/v1/accounts":
		return s.page(c, 20, "accounts", s.accounts)
	case strings.HasPrefix(c.Path, "/v1/accounts/") && strings.HasSuffix(c.Path, "/locations"):
		account := strings.TrimSuffix(strings.TrimPrefix(c.Path, "/v1/"), "/locations")
		return s.page(c, 100, "locations", s.masked(c, s.locations[account]))
	case strings.HasPrefix(c.Path, "/v1/locations/"):
		for _, l := range s.masked(c, s.locations[""]) {
			return googleReply{status: 200, body: l}
		}
	case c.Path == "/webmasters/v3/sites":
		return googleReply{status: 200, body: s.sites}
	}
	return s.refuse(c, 404, "NOT_FOUND", "", "")
}

// page gives one page of at most limit items, and refuses a larger wish.
func (s *googleServer) page(c googleCall, limit int, key string, items []string) googleReply {
	size, err := strconv.Atoi(c.Query.Get("pageSize"))
	if err != nil || size < 1 || size > limit {
		s.t.Errorf("%s: pageSize = %q, limit %d", c.Path, c.Query.Get("pageSize"), limit)
	}
	from := 0
	if token := c.Query.Get("pageToken"); token != "" {
		if from, err = strconv.Atoi(strings.TrimPrefix(token, "after+")); err != nil {
			s.t.Errorf("%s: pageToken = %q", c.Path, token)
		}
	}
	if len(items) == 0 {
		return googleReply{status: 200, body: "{}"}
	}
	to := min(from+size, len(items))
	body := fmt.Sprintf(`{%q: [%s]`, key, strings.Join(items[from:to], ","))
	if to < len(items) {
		body += fmt.Sprintf(`, "nextPageToken": "after+%d"`, to)
	}
	return googleReply{status: 200, body: body + "}"}
}

var knownFields = strings.Split("name,title,languageCode,storeCode,phoneNumbers,categories,storefrontAddress,websiteUri,"+
	"regularHours,specialHours,serviceArea,latlng,openInfo,metadata,profile,serviceItems,moreHours,labels", ",")

// masked keeps the fields that readMask names, as the API does.
func (s *googleServer) masked(c googleCall, items []string) []string {
	mask := strings.Split(c.Query.Get("readMask"), ",")
	for _, field := range mask {
		if !slices.Contains(knownFields, field) {
			s.t.Errorf("%s: readMask names %q", c.Path, field)
		}
	}
	var kept []string
	for _, item := range items {
		kept = append(kept, keep(s.t, item, mask))
	}
	return kept
}

func keep(t *testing.T, object string, fields []string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &all); err != nil {
		t.Errorf("%v in %s", err, object)
	}
	for field := range all {
		if !slices.Contains(fields, field) {
			delete(all, field)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// refuse is the error envelope; its message quotes everything, as real ones may.
func (s *googleServer) refuse(c googleCall, status int, state, reason, quota string) googleReply {
	return googleReply{status: status, body: googleError(status, state, reason, quota, c.Token)}
}

func googleError(status int, state, reason, quota, quoted string) string {
	details := ""
	if reason != "" {
		details = fmt.Sprintf(`,"details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":%q,"domain":"googleapis.com",`+
			`"metadata":{"service":"x.googleapis.com","quota_limit_value":%q}}]`, reason, quota)
	}
	return fmt.Sprintf(`{"error":{"code":%d,"message":"Consumer 'api_key:%s' with token %s: refused","status":%q%s}}`,
		status, googleKey, quoted, state, details)
}

func (s *googleServer) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, call := range s.calls {
		paths = append(paths, call.Method+" "+call.Path)
	}
	return paths
}

// wantGoogleFault is wantFault with the secrets of this stand-in.
func wantGoogleFault(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	f := wantFault(t, err, code)
	text := fmt.Sprintf("%v %+v %s", err, err, f.Message)
	for _, secret := range googleSecrets {
		if strings.Contains(text, secret) {
			t.Errorf("secret in the error %q", text)
		}
	}
	return f
}
