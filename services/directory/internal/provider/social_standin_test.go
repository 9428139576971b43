package provider_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// What the stand-in issues, and what must never appear in an error or a log.
const (
	metaClientID     = "471100"
	metaClientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f"
	metaCode         = "AQBcode-of-the-dialog"
	metaVerifier     = "verifier-of-forty-three-characters-or-more-x"
	metaShortToken   = "EAAGshortUserToken"
	metaUserToken    = "EAAGlongUserToken"
	metaPageToken    = "EAAGpageToken"
	metaAppToken     = metaClientID + "|" + metaClientSecret
	metaRedirect     = "https://firma.example/api/oauth/callback/provider_social"
	metaUserID       = "1002003004"
	metaPageID       = "2003004005"
	metaPhotoID      = "17841400000000001"
)

var metaNow = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// metaCall is a request as the stand-in saw it.
type metaCall struct {
	Method, Path, Token string
	Query, Form         url.Values
}

// metaServer plays the login dialog's token endpoint and the Graph API, and is as
// strict as they are. Whatever a client must never do fails the test.
type metaServer struct {
	t *testing.T

	mu      sync.Mutex
	calls   []metaCall
	replies map[string]metaReply // "GET /me/accounts", or with a grant type or metrics behind it → what is answered instead
	header  http.Header          // sent with every answer

	insightsDenied bool                // the token lacks read_insights
	retired        map[string]bool     // metrics that are no more
	figures        map[string]any      // metric → values or total_value of its answer
	objects        map[string]string   // path → body
	pages          map[string]metaPage // "after" → list
}

type metaReply struct {
	status int
	body   string
}

type metaPage struct{ items, after, next string }

func newMetaServer(t *testing.T) *metaServer {
	t.Helper()
	s := &metaServer{
		t: t, replies: map[string]metaReply{}, header: http.Header{}, retired: map[string]bool{},
		figures: map[string]any{}, objects: map[string]string{}, pages: map[string]metaPage{},
	}
	return s
}

func (s *metaServer) social(change ...func(*provider.SocialOptions)) *provider.Social {
	options := provider.SocialOptions{
		ClientID: metaClientID, ClientSecret: metaClientSecret, Transport: memory{s.serve},
		Timeout: 5 * time.Second, Now: func() time.Time { return metaNow },
	}
	for _, c := range change {
		c(&options)
	}
	return provider.NewSocial(options)
}

func (s *metaServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, ok := strings.CutPrefix(r.URL.Path, "/v25.0")
	if err := r.ParseForm(); err != nil || !ok {
		s.t.Errorf("%s %s: form %v, version %t", r.Method, r.URL, err, ok)
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.calls = append(s.calls, metaCall{r.Method, path, token, r.URL.Query(), r.PostForm})
	s.forbid(r)
	for name, values := range s.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	reply := s.answer(r, path, token)
	w.WriteHeader(reply.status)
	_, _ = io.WriteString(w, reply.body)
}

// forbid fails the test for secrets in an address and for parameters that were
// removed from the API.
func (s *metaServer) forbid(r *http.Request) {
	for _, secret := range metaSecrets() {
		if strings.Contains(r.URL.String(), url.QueryEscape(secret)) && secret != metaProof(s.calls[len(s.calls)-1].Token) {
			s.t.Errorf("secret in the address of %s %s", r.Method, r.URL.Path)
		}
	}
	for _, name := range []string{"access_token", "pretty", "debug", "date_format", "ids"} {
		if r.Form.Has(name) {
			s.t.Errorf("%s %s sends %s", r.Method, r.URL.Path, name)
		}
	}
}

func (s *metaServer) answer(r *http.Request, path, token string) metaReply {
	what := r.Method + " " + path
	for _, key := range []string{what, what + " " + r.Form.Get("grant_type"), what + " " + r.Form.Get("metric")} {
		if reply, ok := s.replies[key]; ok {
			return reply
		}
	}
	if path == "/oauth/access_token" {
		return s.issue(r)
	}
	if r.URL.Query().Get("appsecret_proof") != metaProof(token) {
		return metaError(100, 0, "Invalid appsecret_proof provided in the API argument")
	}
	kinds := map[string]string{metaShortToken: "user", metaUserToken: "user", metaPageToken: "page", metaAppToken: "app"}
	switch kind := kinds[token]; {
	case kind == "":
		return metaError(190, 467, "Invalid OAuth access token: "+token)
	case r.Method == http.MethodDelete && kind == "app" && path == "/"+metaUserID+"/permissions",
		r.Method == http.MethodDelete && kind == "user" && path == "/me/permissions":
		return metaReply{200, `{"success":true}`}
	case r.Method != http.MethodGet:
		return metaError(100, 33, "Unsupported "+r.Method+" request")
	case kind == "user":
		return s.userObject(path, r.URL.Query())
	case kind == "page" && strings.HasSuffix(path, "/insights"):
		return s.insights(path, r.URL.Query())
	case kind == "page":
		return s.object(path, r.URL.Query())
	}
	return metaError(200, 0, "this kind of token may not do that")
}

// issue plays the token endpoint: a code, and the exchange of a user's token.
func (s *metaServer) issue(r *http.Request) metaReply {
	form := r.PostForm
	if r.Method != http.MethodPost || r.URL.RawQuery != "" {
		s.t.Errorf("%s %s: want a POST with everything in its body", r.Method, r.URL)
	}
	if form.Get("client_id") != metaClientID || form.Get("client_secret") != metaClientSecret {
		return metaError(1, 0, "Error validating client secret.")
	}
	token := form.Get("fb_exchange_token")
	switch {
	case form.Get("grant_type") == "fb_exchange_token" && (token == metaShortToken || token == metaUserToken):
		return metaReply{200, `{"access_token":"` + metaUserToken + `","token_type":"bearer","expires_in":5183944}`}
	case form.Get("grant_type") == "fb_exchange_token":
		return metaError(190, 463, "Session has expired: "+token)
	case form.Get("redirect_uri") != metaRedirect:
		return metaError(100, 36008, "redirect_uri is not identical")
	case form.Get("code") != metaCode:
		return metaError(100, 36009, "code used: "+form.Get("code"))
	}
	return metaReply{200, `{"access_token":"` + metaShortToken + `","token_type":"bearer"}`}
}

func (s *metaServer) userObject(path string, query url.Values) metaReply {
	switch path {
	case "/me":
		return metaReply{200, `{"id":"` + metaUserID + `","name":"Anna Nowak"}`}
	case "/me/permissions":
		return metaReply{200, `{"data":[{"permission":"pages_show_list","status":"granted"},
			{"permission":"read_insights","status":"declined"},{"permission":"public_profile","status":"granted"},
			{"permission":"instagram_basic","status":"expired"}]}`}
	case "/me/accounts":
		page, ok := s.pages[query.Get("after")]
		if !ok {
			return metaError(100, 0, "Invalid cursors values")
		}
		next := ""
		if page.next != "" {
			next = fmt.Sprintf(`,"next":%q`, page.next)
		}
		return metaReply{200, `{"data":[` + page.items + `],"paging":{"cursors":{"before":"b","after":"` + page.after + `"}` + next + `}}`}
	}
	return metaError(100, 33, "Unsupported get request")
}

// object answers with the asked fields, and always with the id.
func (s *metaServer) object(path string, query url.Values) metaReply {
	var full map[string]any
	if err := json.Unmarshal([]byte(s.objects[path]), &full); err != nil {
		return metaError(100, 33, "Object does not exist")
	}
	if _, isList := full["data"]; isList {
		return metaReply{200, s.objects[path]}
	}
	fields := append(strings.Split(query.Get("fields"), ","), "id")
	for name := range full {
		if !slices.Contains(fields, name) {
			delete(full, name)
		}
	}
	body, _ := json.Marshal(full)
	return metaReply{200, string(body)}
}

func metaError(code, subcode int, message string) metaReply {
	return metaReply{400, fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"AbC"}}`, message, code, subcode)}
}

// metaProof is computed apart from the adapter (RFC 2104, SHA-256, lower hex).
func metaProof(token string) string {
	mac := hmac.New(sha256.New, []byte(metaClientSecret))
	_, _ = io.WriteString(mac, token)
	return hex.EncodeToString(mac.Sum(nil))
}

// metaSecrets are what no error and no address may hold. The proof has to be in
// the address of its own call.
func metaSecrets() []string {
	secrets := []string{metaClientSecret, metaCode, metaVerifier, metaShortToken, metaUserToken, metaPageToken}
	for _, token := range []string{metaUserToken, metaShortToken, metaPageToken, metaAppToken} {
		secrets = append(secrets, metaProof(token))
	}
	return secrets
}

func (s *metaServer) paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, call := range s.calls {
		paths = append(paths, call.Method+" "+call.Path)
	}
	return paths
}

// wantFault checks the fault's code, and that neither log nor user see a secret.
func wantFault(t *testing.T, err error, code string) *fault.Error {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("err = %v, want %s", err, code)
	}
	f := fault.From(err)
	for _, secret := range metaSecrets() {
		if strings.Contains(err.Error(), secret) || strings.Contains(f.Message, secret) {
			t.Errorf("secret in the error %q / %q", err, f.Message)
		}
	}
	if f.Message == "" || code == directory.CodeReconnect && !strings.Contains(f.Message, "ołącz konto ponownie") {
		t.Errorf("message = %q, want one that says what to do", f.Message)
	}
	return f
}
