package google

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/outbound"
)

var (
	errInvalidArgument = errors.New("invalid argument") // of the request
	errScope           = errors.New("scope is missing") // of the API
)

// googleErrorBody is the error answer of all Google APIs
// (https://cloud.google.com/apis/design/errors) without its message, which may quote a key.
type googleErrorBody struct {
	Error struct {
		Status  string `json:"status"`
		Details []struct {
			Type       string            `json:"@type"`
			Reason     string            `json:"reason"`
			Metadata   map[string]string `json:"metadata"`
			RetryDelay string            `json:"retryDelay"`
		} `json:"details"`
		Errors []struct {
			Reason string `json:"reason"`
		} `json:"errors"` // of the older APIs alone
	} `json:"error"`
}

type googleError struct {
	status     string // for example PERMISSION_DENIED
	reason     string // of google.rpc.ErrorInfo, for example SERVICE_DISABLED; may be empty
	zeroQuota  bool   // the quota is zero, because access was never approved
	apiQuota   bool   // the quota is the project's at this API, unless the answer names another
	perMinute  bool   // the quota is refilled within a minute
	retryAfter time.Duration
}

func parseGoogleError(res provider.Response, now time.Time) googleError {
	e := googleError{retryAfter: outbound.RetryAfter(res.Header, now), apiQuota: true}
	var body googleErrorBody
	if json.Unmarshal(res.Body, &body) != nil {
		return e
	}
	e.status = body.Error.Status
	for _, older := range body.Error.Errors {
		e.reason = older.Reason
		e.apiQuota = older.Reason != "userRateLimitExceeded"
	}
	for _, detail := range body.Error.Details {
		switch {
		case strings.HasSuffix(detail.Type, "google.rpc.ErrorInfo"):
			e.reason = detail.Reason
			e.zeroQuota = detail.Metadata["quota_limit_value"] == "0"
			limit, unit := strings.ToLower(detail.Metadata["quota_limit"]),
				strings.ToLower(detail.Metadata["quota_unit"])
			e.apiQuota = limit+unit == "" || sharedQuota(limit+unit)
			e.perMinute = strings.Contains(limit, "perminute") || strings.HasPrefix(unit, "1/min/")
		case strings.HasSuffix(detail.Type, "google.rpc.RetryInfo") && e.retryAfter == 0:
			delay, _ := time.ParseDuration(detail.RetryDelay)
			e.retryAfter = max(delay, 0)
		}
	}
	return e
}

func googleFault(res provider.Response, now time.Time) error {
	e := parseGoogleError(res, now)
	err := fmt.Errorf("%s: %d %s %s", res.Endpoint, res.Status, loggableCode(e.status), loggableCode(e.reason))
	switch {
	case res.Status == http.StatusTooManyRequests && e.zeroQuota:
		return provider.NotSetUp(fmt.Errorf("%w: the quota is zero, access is not approved", err))
	case res.Status == http.StatusTooManyRequests:
		return e.throttled(err)
	case res.Status == http.StatusRequestTimeout || res.Status >= 500:
		return provider.Temporary(err).After(e.retryAfter)
	case res.Status == http.StatusUnauthorized:
		return provider.Revoked(err, reasonEnded)
	case res.Status == http.StatusForbidden:
		return e.forbidden(err)
	case res.Status == http.StatusNotFound && e.status != "":
		return provider.Gone(err)
	case strings.HasPrefix(e.reason, "API_KEY_"):
		return provider.NotSetUp(err)
	case e.status == "INVALID_ARGUMENT":
		return provider.Unreadable(fmt.Errorf("%w: %w", err, errInvalidArgument))
	}
	return provider.Unreadable(err)
}

func (e googleError) forbidden(err error) error {
	switch e.reason {
	case "rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded", "dailyLimitExceeded", "RATE_LIMIT_EXCEEDED",
		"RESOURCE_QUOTA_EXCEEDED":
		return e.throttled(err)
	case "insufficientPermissions", "ACCESS_TOKEN_SCOPE_INSUFFICIENT":
		return provider.Denied(fmt.Errorf("%w: %w", err, errScope))
	case "", "forbidden", "IAM_PERMISSION_DENIED":
		if e.status == "" && e.reason == "" {
			return provider.Unreadable(err) // the answer is not from the API
		}
		return provider.Denied(err)
	}
	return provider.NotSetUp(err) // SERVICE_DISABLED, BILLING_DISABLED, CONSUMER_INVALID, API_KEY_SERVICE_BLOCKED …
}

// throttled waits for a used-up minute, because these answers have no Retry-After.
func (e googleError) throttled(err error) error {
	wait := e.retryAfter
	if e.perMinute && wait == 0 {
		wait = time.Minute
	}
	if e.apiQuota {
		return provider.ThrottledAPI(err, wait)
	}
	return provider.Throttled(err, wait)
}

// sharedQuota reads a limit's name and unit, for example "DefaultRequestsPerMinutePerProject"
// and "1/min/{project}"
// (https://cloud.google.com/service-infrastructure/docs/service-control/reference/rpc/google.api#quotalimit).
// A limit for each user of a project names both.
func sharedQuota(limit string) bool {
	return strings.Contains(limit, "project") && !strings.Contains(limit, "user")
}
