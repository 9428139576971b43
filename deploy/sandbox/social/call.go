package social

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/social/tokens"
)

// me stands for the owner of the token.
const me = "me"

// served reports whether a version of the Graph API is alive
// (https://developers.facebook.com/docs/graph-api/changelog). The real API answers
// dead versions with the oldest living one. Here they are refused, so that a client
// that has fallen behind is noticed.
func served(version string) bool {
	return slices.Contains([]string{"v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0"}, version)
}

// removed lists parameters that the Graph API took out of every version on 2026-10-27.
func removed() []string { return []string{"date_format", "debug", "ids", "pretty"} }

// call is a call of the Graph API whose token and proof were found right.
type call struct {
	*http.Request
	value string // the token itself
	token tokens.Token
	now   time.Time
}

// graph wraps what answers a call with the checks that every call has to pass.
func (s *site) graph(answer func(*call) (any, *refusal)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, now: s.now()}
		refused := wrongCall(w, r)
		if refused == nil {
			refused = s.authenticate(c)
		}
		if ordered := orderedRefusal(r); ordered != nil {
			refused = ordered
		}
		s.tellUsage(w, c.token.Page, refused)
		var body any
		if refused == nil {
			s.counter.Add(countCalls, string(c.token.Kind))
			body, refused = answer(c)
		}
		if refused != nil {
			s.sendRefusal(w, r, refused)
			return
		}
		send(w, r, http.StatusOK, body)
	}
}

// wrongCall reads the parameters and names what is wrong with a call before anyone
// looks at its credentials.
func wrongCall(w http.ResponseWriter, r *http.Request) *refusal {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	version := r.PathValue("version")
	switch {
	case err != nil:
		return badParameter("The parameters cannot be read")
	case !served(version):
		return refuse(2635, 0, "(#2635) You are calling a version of the API that is not served: "+version+". Please update to the latest version: v26.0")
	}
	for _, name := range removed() {
		if r.Form.Has(name) {
			return badParameter("The parameter %s was removed from the Graph API", name)
		}
	}
	return nil
}

// authenticate finds the token, in the header or among the parameters, and checks that
// the app itself uses it (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (s *site) authenticate(c *call) *refusal {
	header, bearer := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	c.value = c.Form.Get("access_token")
	switch {
	case bearer && c.value != "" && c.value != header:
		return badParameter("Two different access tokens were sent")
	case bearer:
		c.value = header
	}
	if c.value == "" {
		return missingToken(c.PathValue("node"))
	}
	var err error
	if c.token, err = s.check(c.value); err != nil {
		var cause tokens.Cause
		errors.As(err, &cause)
		return deadToken(cause)
	}
	mac := hmac.New(sha256.New, []byte(s.client.Secret))
	mac.Write([]byte(c.value))
	switch proof := c.Form.Get("appsecret_proof"); {
	case proof == "":
		return badProof("API calls from the server require an appsecret_proof argument")
	case !hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(proof)):
		return badProof("Invalid appsecret_proof provided in the API argument")
	}
	return nil
}

func missingToken(node string) *refusal {
	if node == me {
		return refuse(2500, 0, "An active access token must be used to query information about the current user.")
	}
	return refuse(104, 0, "An access token is required to request this resource.")
}

// check knows the app's own token too, which consists of its id and secret.
func (s *site) check(value string) (tokens.Token, error) {
	if id, secret, own := strings.Cut(value, "|"); own && s.client.Authenticates(id, secret) {
		return tokens.Token{Kind: tokens.App}, nil
	}
	return s.tokens.Check(value)
}

// lacks reports why a call is refused for want of a permission.
func (c *call) lacks(permission string) *refusal {
	if c.token.Has(permission) {
		return nil
	}
	return lacks(permission)
}

// sendRefusal answers {"error": …} and counts it.
func (s *site) sendRefusal(w http.ResponseWriter, r *http.Request, refused *refusal) {
	s.counter.Add(countRefusals, refused.name())
	w.Header().Set("WWW-Authenticate", `OAuth "Facebook Platform" "invalid_request"`)
	send(w, r, refused.status, map[string]*refusal{"error": refused})
}

func send(w http.ResponseWriter, r *http.Request, status int, body any) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=UTF-8")
	header.Set("Cache-Control", "private, no-cache, no-store, must-revalidate")
	header.Set("X-Fb-Trace-Id", rand.Text()[:11])
	if version := r.PathValue("version"); version != "" {
		header.Set("Facebook-Api-Version", version)
	}
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}
