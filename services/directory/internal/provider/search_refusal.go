package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/retry"
)

// tokenRefusal is an error of the token or revocation endpoint (RFC 6749, section
// 5.2). error_subtype is the provider's own; the description is left out, for it
// may quote what was sent.
type tokenRefusal struct {
	Code    string `json:"error"`
	Subtype string `json:"error_subtype"`

	status int
	header http.Header
}

func readTokenRefusal(status int, header http.Header, body []byte) tokenRefusal {
	r := tokenRefusal{status: status, header: header}
	_ = json.Unmarshal(body, &r) // an odd body leaves the fields empty: the status decides
	return r
}

var codeForm = regexp.MustCompile(`^([A-Z_]{1,60}|[a-z_]{1,60})$`)

// plainCode returns a provider's identifier when it looks like one. Texts of
// another form could hold anything, and stay out of errors.
func plainCode(identifier string) string {
	if identifier == "" || codeForm.MatchString(identifier) {
		return identifier
	}
	return "(odd code)"
}

// fault tells what the refusal means. An invalid grant, whatever its cause
// (revoked, unused for six months, pushed out by newer tokens), is dead for good;
// reason says so to the user.
func (r tokenRefusal) fault(reason string, now time.Time) error {
	err := fmt.Errorf("%s: %d %s %s", searchTokenWhat, r.status, plainCode(r.Code), plainCode(r.Subtype))
	switch {
	case r.status == http.StatusTooManyRequests:
		return directory.Throttled(err, retry.After(r.header, now))
	case r.status >= 500:
		return directory.Temporary(err).After(retry.After(r.header, now))
	}
	switch r.Code {
	case "invalid_grant":
		if r.Subtype == "invalid_rapt" || r.Subtype == "rapt_required" {
			reason = reasonSignIn
		}
		return directory.Dead(err, reason)
	case "access_denied", "admin_policy_enforced", "org_internal":
		return directory.Dead(err, reasonPolicy)
	case "invalid_client", "unauthorized_client", "deleted_client", "disabled_client", "redirect_uri_mismatch", "invalid_scope":
		return directory.NotSetUp(err)
	case "server_error", "temporarily_unavailable", "internal_failure":
		return directory.Temporary(err)
	case "rate_limit_exceeded":
		return directory.Throttled(err, retry.After(r.header, now))
	default:
		return directory.Unreadable(err)
	}
}
