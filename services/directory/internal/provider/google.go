package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/retry"
)

// googleError is the error envelope of all Google APIs
// (https://cloud.google.com/apis/design/errors). Its message is not read: it may
// quote a key.
type googleError struct {
	Error struct {
		Status  string `json:"status"`
		Details []struct {
			Type       string            `json:"@type"`
			Reason     string            `json:"reason"`
			Metadata   map[string]string `json:"metadata"`
			RetryDelay string            `json:"retryDelay"`
		} `json:"details"`
	} `json:"error"`
}

// googleRefusal is what an error answer comes down to.
type googleRefusal struct {
	status string // e.g. PERMISSION_DENIED
	reason string // of google.rpc.ErrorInfo, e.g. SERVICE_DISABLED; may be empty
	noGate bool   // the quota's limit is zero: access was never approved
	wait   time.Duration
}

func readGoogleRefusal(a answer, now time.Time) googleRefusal {
	r := googleRefusal{wait: retry.After(a.header, now)}
	var envelope googleError
	if json.Unmarshal(a.body, &envelope) != nil {
		return r
	}
	r.status = envelope.Error.Status
	for _, detail := range envelope.Error.Details {
		switch {
		case strings.HasSuffix(detail.Type, "google.rpc.ErrorInfo"):
			r.reason = detail.Reason
			r.noGate = detail.Metadata["quota_limit_value"] == "0"
		case strings.HasSuffix(detail.Type, "google.rpc.RetryInfo") && r.wait == 0:
			if wait, err := time.ParseDuration(detail.RetryDelay); err == nil {
				r.wait = max(wait, 0)
			}
		}
	}
	return r
}

// googleFault translates an answer that is not a success, of a call with a user's
// token. The text of the provider stays out of it.
func googleFault(a answer, now time.Time) error {
	r := readGoogleRefusal(a, now)
	err := fmt.Errorf("%s: %d %s %s", a.what, a.status, plainCode(r.status), plainCode(r.reason))
	switch {
	case a.status == http.StatusTooManyRequests && r.noGate:
		return directory.NotSetUp(fmt.Errorf("%w: the quota is zero, access is not approved", err))
	case a.status == http.StatusTooManyRequests:
		return directory.Throttled(err, r.wait)
	case a.status == http.StatusRequestTimeout || a.status >= 500:
		return directory.Temporary(err).After(r.wait)
	case a.status == http.StatusUnauthorized:
		return directory.Dead(err, reasonEnded)
	case a.status == http.StatusForbidden:
		return googleForbidden(r, err)
	case a.status == http.StatusNotFound && r.status != "":
		return directory.Gone(err)
	case strings.HasPrefix(r.reason, "API_KEY_"):
		return directory.NotSetUp(err)
	case r.status == "INVALID_ARGUMENT":
		return directory.Unreadable(fmt.Errorf("%w: %w", err, errInvalidArgument))
	default:
		return directory.Unreadable(err)
	}
}

// errInvalidArgument says that an API does not take a request as it was made.
var errInvalidArgument = errors.New("invalid argument")

// googleForbidden tells a missing right of the user from what the operator of the
// project has to mend.
func googleForbidden(r googleRefusal, err error) error {
	switch r.reason {
	case "", "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "IAM_PERMISSION_DENIED":
		if r.status == "" {
			return directory.Unreadable(err) // not from the API
		}
		return directory.Denied(err)
	case "RATE_LIMIT_EXCEEDED", "RESOURCE_QUOTA_EXCEEDED":
		return directory.Throttled(err, r.wait)
	default: // SERVICE_DISABLED, BILLING_DISABLED, CONSUMER_INVALID, API_KEY_SERVICE_BLOCKED …
		return directory.NotSetUp(err)
	}
}

// telling is fields without the address or the hours where they do not apply.
func telling(fields []directory.Field, address, hours bool) []directory.Field {
	var told []directory.Field
	for _, f := range fields {
		if f == directory.FieldAddress && !address || f == directory.FieldHours && !hours {
			continue
		}
		told = append(told, f)
	}
	return told
}
