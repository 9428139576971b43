package meta

import (
	"cmp"
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

// graphError: see https://developers.facebook.com/docs/graph-api/guides/error-handling. A client decides by Code
// and Subcode, not by the HTTP status.
type graphError struct {
	status    int
	Message   string `json:"message"`
	Type      string `json:"type"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode,omitempty"`
	Transient bool   `json:"is_transient,omitempty"`
	TraceID   string `json:"fbtrace_id"`
}

func (e *graphError) Error() string { return e.Message }

func (e *graphError) name() string {
	if e.Subcode == 0 {
		return fmt.Sprint(e.Code)
	}
	return fmt.Sprintf("%d/%d", e.Code, e.Subcode)
}

func refuse(code, subcode int, message string) *graphError {
	return &graphError{
		status: http.StatusBadRequest, Message: message, Type: "OAuthException", Code: code, Subcode: subcode,
		TraceID: "A" + rand.Text()[:22],
	}
}

func badParameter(format string, values ...any) *graphError {
	return refuse(100, 0, "(#100) "+fmt.Sprintf(format, values...))
}

// unknownObject also stands for what the token may not see.
func unknownObject(method, id string) *graphError {
	e := refuse(100, 33,
		fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to missing "+
			"permissions, or does not support this operation. Please read the Graph API documentation at "+
			"https://developers.facebook.com/docs/graph-api", strings.ToLower(method), id))
	e.Type = "GraphMethodException"
	return e
}

func lacks(permission string) *graphError {
	return refuse(10, 0, fmt.Sprintf("(#10) This endpoint requires the '%s' permission. Refer to "+
		"https://developers.facebook.com/docs/permissions for details.", permission))
}

func deadToken(err error) *graphError {
	subcodes := map[error]int{fake.ErrRevoked: 458, fake.ErrExpired: 463}
	return knownError(190, subcodes[err])
}

//go:embed errors.json
var messagesJSON []byte

// knownError has the API's own message and status.
func knownError(code, subcode int) *graphError {
	var messages map[string]string
	if err := json.Unmarshal(messagesJSON, &messages); err != nil {
		panic(err) // the file is part of the binary
	}
	e := refuse(code, subcode, "")
	e.Message = cmp.Or(messages[e.name()], messages[fmt.Sprint(code)],
		fmt.Sprintf("(#%d) Refused by order of the sandbox", code))
	switch code {
	case 1, 2:
		e.Transient, e.status = true, http.StatusInternalServerError
	case 3, 4, 10, 200:
		e.status = http.StatusForbidden
	}
	return e
}

func (p *Provider) orderedError(w http.ResponseWriter, r *http.Request, fault fake.Fault) bool {
	if strings.HasSuffix(r.URL.Path, dialogPath) {
		return false
	}
	p.send(w, r, "", nil, knownError(fault.Code, fault.Subcode))
	return true
}

func (p *Provider) refusePath(w http.ResponseWriter, r *http.Request) {
	err := refuse(2500, 0, "Unknown path components: "+r.URL.Path)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		parts := strings.SplitN(r.URL.Path, "/", 4)
		err = unknownObject(r.Method, parts[min(2, len(parts)-1)])
	}
	p.send(w, r, "", nil, err)
}

func (p *Provider) send(w http.ResponseWriter, r *http.Request, page string, body any, err error) {
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache, no-store, must-revalidate")
	header.Set("X-Fb-Trace-Id", rand.Text()[:11])
	if version := r.PathValue("version"); version != "" {
		header.Set("Facebook-Api-Version", version)
	}
	var refused *graphError
	failed := errors.As(err, &refused)
	p.setUsage(w, page, failed && slices.Contains([]int{4, 17, 32, 341, 368, 613, 80001, 80002}, refused.Code))
	if !failed {
		fake.SendJSON(w, http.StatusOK, body)
		return
	}
	p.Count("refusals", refused.name())
	header.Set("WWW-Authenticate", `OAuth "Facebook Platform" "invalid_request"`)
	fake.SendJSON(w, refused.status, map[string]*graphError{"error": refused})
}

// setUsage sets the share of its limits that the app has used, in percent
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
func (p *Provider) setUsage(w http.ResponseWriter, page string, exhausted bool) {
	calls := cmp.Or(p.Number(toggleUsage), 28)
	if exhausted {
		calls = 100
	}
	usage := fmt.Sprintf(`"call_count":%d,"total_cputime":25,"total_time":25`, calls)
	w.Header().Set("X-App-Usage", "{"+usage+"}")
	if page != "" {
		w.Header().Set("X-Business-Use-Case-Usage",
			fmt.Sprintf(`{%q:[{"type":"pages",%s,"estimated_time_to_regain_access":0}]}`, page, usage))
	}
}
