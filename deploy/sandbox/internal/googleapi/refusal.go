// Package googleapi owns what all of Google's JSON APIs share: the
// envelope of errors, field masks, page tokens and the strictness about query
// parameters. What an API serves stays in the packages of the fakes.
package googleapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// Refusal is an error answer (https://cloud.google.com/apis/design/errors).
type Refusal struct {
	HTTP    int
	Status  string // canonical code, e.g. "PERMISSION_DENIED"
	Message string
	Reason  string            // of google.rpc.ErrorInfo; empty: no such detail
	Facts   map[string]string // metadata of the ErrorInfo
	Field   string            // of google.rpc.BadRequest; empty: no such detail
	Wait    int               // Retry-After in seconds; 0: not told
	Auth    string            // error of the WWW-Authenticate header; empty: no such header
}

// Error is the message; a Refusal travels as an error.
func (r Refusal) Error() string { return r.Message }

// Invalid is what all wrong arguments come to.
func Invalid(format string, arguments ...any) Refusal {
	return Refusal{HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, arguments...)}
}

// InvalidField is Invalid with the name of the field.
func InvalidField(field, description string) Refusal {
	refusal := Invalid("Request contains an invalid argument: %s", description)
	refusal.Field = field
	return refusal
}

// Missing is what there is not, or not any more.
func Missing() Refusal {
	return Refusal{HTTP: http.StatusNotFound, Status: "NOT_FOUND", Message: "Requested entity was not found."}
}

// Forbidden is what belongs to somebody else.
func Forbidden() Refusal {
	return Refusal{HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED", Message: "The caller does not have permission"}
}

// Exhausted is a used-up quota. A limit of 0 means that the project was never
// given access, and waiting does not help.
func Exhausted(service, metric string, limit, wait int) Refusal {
	return Refusal{
		HTTP: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED", Reason: "RATE_LIMIT_EXCEEDED", Wait: wait,
		Message: fmt.Sprintf("Quota exceeded for quota metric '%s' and limit '%s per minute' of service '%s' for consumer 'project_number:100000000000'.", metric, metric, service),
		Facts: map[string]string{
			"service": service, "quota_metric": metric, "quota_limit": metric + "PerMinutePerProject",
			"quota_limit_value": strconv.Itoa(limit), "consumer": "projects/100000000000",
		},
	}
}

// Disabled is an API that the project has not switched on.
func Disabled(service string) Refusal {
	return Refusal{
		HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED", Reason: "SERVICE_DISABLED",
		Message: "API " + service + " has not been used in project 100000000000 before or it is disabled.",
		Facts:   map[string]string{"service": service, "consumer": "projects/100000000000"},
	}
}

// Refused is the refusal that err holds; any other error is an internal one, of
// which the client learns nothing.
func Refused(err error) Refusal {
	var refusal Refusal
	if errors.As(err, &refusal) {
		return refusal
	}
	return Refusal{HTTP: http.StatusInternalServerError, Status: "INTERNAL", Message: "Internal error encountered."}
}

// Name is the most exact code that the refusal has, for counters.
func (r Refusal) Name() string {
	if r.Reason != "" {
		return r.Reason
	}
	return r.Status
}

type envelope struct {
	Error struct {
		Code    int              `json:"code"`
		Message string           `json:"message"`
		Status  string           `json:"status"`
		Details []map[string]any `json:"details,omitempty"`
	} `json:"error"`
}

// Send writes the refusal as an answer.
func (r Refusal) Send(w http.ResponseWriter) {
	var body envelope
	body.Error.Code, body.Error.Message, body.Error.Status = r.HTTP, r.Message, r.Status
	if r.Reason != "" {
		detail := map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": r.Reason, "domain": "googleapis.com"}
		if len(r.Facts) > 0 {
			detail["metadata"] = r.Facts
		}
		body.Error.Details = append(body.Error.Details, detail)
	}
	if r.Field != "" {
		body.Error.Details = append(body.Error.Details, map[string]any{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []map[string]string{{"field": r.Field, "description": r.Message}},
		})
	}
	if r.Wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(r.Wait))
	}
	if r.Auth != "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/", error="`+r.Auth+`"`)
	}
	SendJSON(w, r.HTTP, body)
}

// SendJSON writes an answer; a client that is gone needs no error.
func SendJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Cache-Control", "private")
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}
