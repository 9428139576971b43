package google

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/retry"
)

// tokenError is an error answer of the token or revocation endpoint (RFC 6749,
// section 5.2). error_subtype is the provider's own. The description is not read,
// because it may quote what was sent.
type tokenError struct {
	Code    string `json:"error"`
	Subtype string `json:"error_subtype"`

	response provider.Response
}

// parseTokenError reads an error answer. In a body of another form the status
// decides.
func parseTokenError(res provider.Response) tokenError {
	e := tokenError{response: res}
	_ = json.Unmarshal(res.Body, &e)
	return e
}

var codePattern = regexp.MustCompile(`^([A-Z_]{1,60}|[a-z_]{1,60})$`)

// loggableCode returns an error code of the provider if it has the form of one. A
// text of another form could be anything, even a token, and is not logged.
func loggableCode(code string) string {
	if code == "" || codePattern.MatchString(code) {
		return code
	}
	return "(unreadable code)"
}

// fault translates the error. An invalid grant will never be valid again, whatever
// the cause: revoked, unused for six months, or replaced by newer tokens. reason
// says so to the user.
func (e tokenError) fault(reason string, now time.Time) error {
	res := e.response
	err := fmt.Errorf("%s: %d %s %s", res.Endpoint, res.Status, loggableCode(e.Code), loggableCode(e.Subtype))
	switch {
	case res.Status == http.StatusTooManyRequests:
		return provider.Throttled(err, retry.After(res.Header, now))
	case res.Status >= 500:
		return provider.Temporary(err).After(retry.After(res.Header, now))
	}
	switch e.Code {
	case "invalid_grant":
		if e.Subtype == "invalid_rapt" || e.Subtype == "rapt_required" {
			reason = reasonSignIn
		}
		return provider.Revoked(err, reason)
	case "access_denied", "admin_policy_enforced", "org_internal":
		return provider.Revoked(err, reasonPolicy)
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "redirect_uri_mismatch", "invalid_scope":
		return provider.NotSetUp(err)
	case "server_error", "temporarily_unavailable", "internal_failure":
		return provider.Temporary(err)
	case "rate_limit_exceeded":
		return provider.Throttled(err, retry.After(res.Header, now))
	default:
		return provider.Unreadable(err)
	}
}
