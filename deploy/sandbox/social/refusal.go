package social

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"backend.example/deploy/sandbox/social/tokens"
	"backend.example/deploy/sandbox/upstream"
)

// refusal is the Graph API's error
// (https://developers.facebook.com/docs/graph-api/guides/error-handling). A client
// goes by Code and Subcode, not by the HTTP status.
type refusal struct {
	status    int
	Message   string `json:"message"`
	Type      string `json:"type"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode,omitempty"`
	Transient bool   `json:"is_transient,omitempty"`
	TraceID   string `json:"fbtrace_id"`
}

// name is how the state counts the refusal, e.g. "190/463".
func (r *refusal) name() string {
	if r.Subcode == 0 {
		return fmt.Sprint(r.Code)
	}
	return fmt.Sprintf("%d/%d", r.Code, r.Subcode)
}

func refuse(code, subcode int, message string) *refusal {
	return &refusal{
		status: http.StatusBadRequest, Message: message, Type: "OAuthException", Code: code, Subcode: subcode, TraceID: "A" + rand.Text()[:22],
	}
}

// badParameter is error 100, whose message begins with its number.
func badParameter(format string, values ...any) *refusal {
	return refuse(100, 0, "(#100) "+fmt.Sprintf(format, values...))
}

// badProof is what is wrong with appsecret_proof.
func badProof(message string) *refusal {
	r := refuse(100, 0, message)
	r.Type = "GraphMethodException"
	return r
}

// unknownObject is the answer for what does not exist and for what the token may not
// see; nobody learns which of them it is.
func unknownObject(method, id string) *refusal {
	r := refuse(100, 33, fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to missing "+
		"permissions, or does not support this operation. Please read the Graph API documentation at "+
		"https://developers.facebook.com/docs/graph-api", strings.ToLower(method), id))
	r.Type = "GraphMethodException"
	return r
}

// lacks is the answer to a token without a permission that the call needs. Of pages
// that the caller does not manage an app learns something only after a review that
// this one has not passed, so that the answer is the same.
func lacks(permission string) *refusal {
	return refuse(10, 0, fmt.Sprintf("(#10) This endpoint requires the '%s' permission. Refer to "+
		"https://developers.facebook.com/docs/permissions for details.", permission))
}

// deadToken is error 190.
func deadToken(cause tokens.Cause) *refusal { return refuse(190, int(cause), cause.Error()) }

// refusePath answers everything that is no address of the API, and methods that an
// object does not know.
func (s *site) refusePath(w http.ResponseWriter, r *http.Request) {
	refused := refuse(2500, 0, "Unknown path components: "+r.URL.Path)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		parts := strings.SplitN(r.URL.Path, "/", 4)
		refused = unknownObject(r.Method, parts[min(2, len(parts)-1)])
	}
	s.sendRefusal(w, r, refused)
}

// GraphError is the site's own fault: the API refuses a call with the code and subcode
// of the fault.
const GraphError upstream.Kind = "graph_error"

// orderedRefusal is the refusal that a fault asks for; nil without such a fault.
func orderedRefusal(r *http.Request) *refusal {
	fault, ordered := upstream.FaultFrom(r.Context())
	if !ordered {
		return nil
	}
	if fault.Code == 190 {
		return deadToken(tokens.Cause(fault.Subcode))
	}
	message, known := messages()[fault.Code]
	if !known {
		message = fmt.Sprintf("(#%d) Refused by order of the sandbox", fault.Code)
	}
	refused := refuse(fault.Code, fault.Subcode, message)
	switch fault.Code {
	case 1, 2:
		refused.Transient, refused.status = true, http.StatusInternalServerError
	case 3, 4, 10, 200:
		refused.status = http.StatusForbidden
	}
	return refused
}

// messages are what the API says with a code.
func messages() map[int]string {
	return map[int]string{
		1:     "An unknown error occurred",
		2:     "An unexpected error has occurred. Please retry your request later.",
		3:     "(#3) Application does not have the capability to make this API call.",
		4:     "(#4) Application request limit reached",
		10:    "(#10) Application does not have permission for this action",
		17:    "(#17) User request limit reached",
		32:    "(#32) Page request limit reached",
		102:   "Session key invalid or no longer valid",
		200:   "(#200) Permissions error",
		341:   "(#341) Feed action request limit reached",
		368:   "The action attempted has been deemed abusive or is otherwise disallowed",
		613:   "(#613) Calls to this api have exceeded the rate limit.",
		80001: "(#80001) There have been too many calls to this Page account. Wait a bit and try again.",
		80002: "(#80002) There have been too many calls to this Instagram account. Wait a bit and try again.",
	}
}
