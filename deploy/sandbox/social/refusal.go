package social

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
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
	Transient *bool  `json:"is_transient,omitempty"`
	UserTitle string `json:"error_user_title,omitempty"`
	UserMsg   string `json:"error_user_msg,omitempty"`
	TraceID   string `json:"fbtrace_id"`
}

// name is how the state counts the refusal, e.g. "190/463".
func (r *refusal) name() string {
	if r.Subcode == 0 {
		return fmt.Sprint(r.Code)
	}
	return fmt.Sprintf("%d/%d", r.Code, r.Subcode)
}

// The types of refusals.
const (
	typeOAuth  = "OAuthException"
	typeMethod = "GraphMethodException"
)

func refuse(code, subcode int, message string) *refusal {
	return &refusal{
		status: http.StatusBadRequest, Message: message, Type: typeOAuth, Code: code, Subcode: subcode, TraceID: "A" + rand.Text()[:22],
	}
}

// badParameter is error 100, whose message begins with its number.
func badParameter(format string, values ...any) *refusal {
	return refuse(100, 0, "(#100) "+fmt.Sprintf(format, values...))
}

// badProof is what is wrong with appsecret_proof
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func badProof(message string) *refusal {
	r := refuse(100, 0, message)
	r.Type = typeMethod
	return r
}

// unknownObject is the answer for what does not exist and for what the token may
// not see; nobody learns which of them it is.
func unknownObject(method, id string) *refusal {
	r := refuse(100, 33, fmt.Sprintf("Unsupported %s request. Object with ID '%s' does not exist, cannot be loaded due to missing "+
		"permissions, or does not support this operation. Please read the Graph API documentation at "+
		"https://developers.facebook.com/docs/graph-api", strings.ToLower(method), id))
	r.Type = typeMethod
	return r
}

func unknownPath(path string) *refusal {
	return refuse(2500, 0, "Unknown path components: "+path)
}

// lacks is the answer to a token without a permission that the call needs.
func lacks(permission string) *refusal {
	return refuse(10, 0, fmt.Sprintf("(#10) This endpoint requires the '%s' permission. Refer to "+
		"https://developers.facebook.com/docs/permissions for details.", permission))
}

// notManaged is the answer to who asks about a page that is not theirs: of those an
// app learns something only after a review that this one has not passed.
func notManaged() *refusal {
	return refuse(10, 0, "(#10) This endpoint requires the '"+readPages+"' permission or the 'Page Public Content Access' feature. "+
		"Refer to https://developers.facebook.com/docs/apps/review/login-permissions for details.")
}

// needsPageToken is the answer to the token of a person where a page's is needed.
func needsPageToken() *refusal {
	return refuse(190, 0, "(#190) This method must be called with a Page Access Token")
}
