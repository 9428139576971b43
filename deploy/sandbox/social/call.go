package social

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"backend.example/deploy/sandbox/social/ledger"
)

// call is a call of the Graph API whose token and proof were found right.
type call struct {
	*http.Request
	version string
	form    url.Values // parameters of the query and of a form
	value   string     // the token itself
	token   ledger.Token
	now     time.Time
}

// graph wraps what answers a call with the checks that every call has to pass.
func (s *site) graph(answer func(*call) (any, *refusal)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, version: r.PathValue("version"), now: s.now()}
		refused := s.wrongCall(w, r)
		if refused == nil {
			refused = s.authenticate(c)
		}
		if ordered := orderedRefusal(r); ordered != nil {
			refused = ordered
		}
		s.tellUsage(w, c.token.Page, refused)
		var body any
		if refused == nil {
			s.counts.Add("graph_calls", string(c.token.Kind))
			body, refused = answer(c)
		}
		if refused != nil {
			s.sendRefusal(w, c.version, refused)
			return
		}
		s.send(w, c.version, body)
	}
}

// wrongCall reads the parameters and names what is wrong with a call before anyone
// looks at its credentials.
func (s *site) wrongCall(w http.ResponseWriter, r *http.Request) *refusal {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	version := r.PathValue("version")
	switch {
	case err != nil:
		return badParameter("The parameters cannot be read")
	case !s.serves(version):
		return refuse(2635, 0, "(#2635) You are calling a version of the API that is not served: "+version+". Please update to the latest version: "+versions()[0].name)
	}
	for _, name := range removed() {
		if r.Form.Has(name) {
			return badParameter("The parameter %s was removed from the Graph API", name)
		}
	}
	return nil
}

// authenticate finds the token, in the header or among the parameters, and checks
// that the app itself uses it.
func (s *site) authenticate(c *call) *refusal {
	c.form = c.Form
	header, bearer := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	c.value = c.form.Get("access_token")
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
		var cause ledger.Cause
		errors.As(err, &cause)
		return deadToken(cause)
	}
	return s.wrongProof(c.value, c.form.Get("appsecret_proof"))
}

func missingToken(node string) *refusal {
	if node == me {
		return refuse(2500, 0, "An active access token must be used to query information about the current user.")
	}
	return refuse(104, 0, "An access token is required to request this resource.")
}

// check knows the app's own token in its simple form too.
func (s *site) check(value string) (ledger.Token, error) {
	if id, secret, simple := strings.Cut(value, "|"); simple && s.client.Authenticates(id, secret) {
		return ledger.Token{Kind: ledger.App}, nil
	}
	return s.ledger.Check(value)
}

func (s *site) wrongProof(token, proof string) *refusal {
	if proof == "" {
		return badProof("API calls from the server require an appsecret_proof argument")
	}
	mac := hmac.New(sha256.New, []byte(s.client.Secret))
	mac.Write([]byte(token))
	if want := hex.EncodeToString(mac.Sum(nil)); !hmac.Equal([]byte(want), []byte(proof)) {
		return badProof("Invalid appsecret_proof provided in the API argument")
	}
	return nil
}

// lacks reports why a call is refused for want of one of the permissions.
func (c *call) lacks(permissions ...string) *refusal {
	for _, permission := range permissions {
		if !c.token.Has(permission) {
			return lacks(permission)
		}
	}
	return nil
}
