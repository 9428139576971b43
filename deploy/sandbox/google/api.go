package google

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

// Error is an error response of any of Google's JSON APIs (https://cloud.google.com/apis/design/errors).
type Error struct {
	HTTP    int
	Status  string // canonical code, e.g. "PERMISSION_DENIED"
	Message string
	Reason  string // of google.rpc.ErrorInfo; empty for no such detail
	Service string // in the metadata of the ErrorInfo
	Limit   string // the same, with its Unit, of a quota
	Unit    string
	Field   string // of google.rpc.BadRequest; empty for no such detail
	Auth    string // error of the WWW-Authenticate header; empty for no such header
}

// Error returns the message.
func (e Error) Error() string { return e.Message }

// Invalid returns the error of a wrong argument. The field may be empty.
func Invalid(field, format string, values ...any) Error {
	return Error{HTTP: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: fmt.Sprintf(format, values...),
		Field: field}
}

// Missing returns the error of what does not exist.
func Missing() Error {
	return Error{HTTP: http.StatusNotFound, Status: "NOT_FOUND", Message: "Requested entity was not found."}
}

func forbidden() Error {
	return Error{HTTP: http.StatusForbidden, Status: "PERMISSION_DENIED",
		Message: "The caller does not have permission"}
}

func usedUp(service string) Error {
	return Error{
		HTTP: http.StatusTooManyRequests, Status: "RESOURCE_EXHAUSTED",
		Message: "Quota exceeded for quota metric 'Requests'.",
		Reason:  "RATE_LIMIT_EXCEEDED", Service: service, Limit: "DefaultRequestsPerMinutePerProject",
		Unit: "1/min/{project}",
	}
}

// Send writes a body, or the error if there is one, which it also counts.
func Send(f *fake.Fake, w http.ResponseWriter, body any, err error) {
	w.Header().Set("Cache-Control", "private")
	var e Error // as every error of the fakes is
	if !errors.As(err, &e) {
		fake.SendJSON(w, http.StatusOK, body)
		return
	}
	details := []map[string]any{}
	if e.Reason != "" {
		metadata := map[string]string{"service": e.Service}
		if e.Limit != "" {
			metadata["quota_limit"], metadata["quota_unit"] = e.Limit, e.Unit
		}
		details = append(details, map[string]any{
			"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": e.Reason, "domain": "googleapis.com",
			"metadata": metadata,
		})
	}
	if e.Field != "" {
		details = append(details, map[string]any{
			"@type":           "type.googleapis.com/google.rpc.BadRequest",
			"fieldViolations": []map[string]string{{"field": e.Field, "description": e.Message}},
		})
	}
	answer := map[string]any{"code": e.HTTP, "message": e.Message, "status": e.Status}
	if len(details) > 0 {
		answer["details"] = details
	}
	if e.Auth != "" {
		w.Header().Set("WWW-Authenticate", `Bearer realm="https://accounts.google.com/", error="`+e.Auth+`"`)
	}
	f.Count("api_refusals", cmp.Or(e.Reason, e.Status))
	fake.SendJSON(w, e.HTTP, map[string]any{"error": answer})
}

// ShowMissing answers paths that no API has.
func ShowMissing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>", http.StatusNotFound)
}

const repeatedParameter = "dailyMetrics"

// Query returns the query of a request, which may hold only the named parameters, and each of them once, except
// repeatedParameter. alt=json and prettyPrint are allowed everywhere.
func Query(r *http.Request, names ...string) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, Invalid("", "Request query cannot be parsed.")
	}
	for name, values := range query {
		switch {
		case name == "alt" && values[0] == "json", name == "prettyPrint":
		case !slices.Contains(names, name):
			return nil,
				Invalid(name, "Invalid JSON payload received. Unknown name %q: Cannot bind query parameter. Field "+
					"'%s' could not be found in request message.", name, name)
		case len(values) > 1 && name != repeatedParameter:
			return nil, Invalid(name, "Request contains an invalid argument: parameter %q is repeated", name)
		}
	}
	return query, nil
}

// Object is an object of an API by its JSON names.
type Object = map[string]any

// Apply returns the fields of an object that a mask names. A field without a value is absent.
func Apply(mask []string, object Object) Object {
	masked := Object{}
	for _, name := range mask {
		if value, found := object[name]; found {
			masked[name] = value
		}
	}
	return masked
}

// list returns the requested page of the objects under a key. A page token is good for the list of that name only.
func list(key, name string, objects []Object, query url.Values, usual, most int) (Object, error) {
	size, from := usual, 0
	var err error
	if text := query.Get("pageSize"); text != "" {
		if size, err = strconv.Atoi(text); err != nil || size < 1 || size > most {
			return nil, Invalid("pageSize", "Request contains an invalid argument: pageSize must be between 1 and %d",
				most)
		}
	}
	if token := query.Get("pageToken"); token != "" {
		raw, _ := base64.RawURLEncoding.DecodeString(token)
		of, place, _ := strings.Cut(string(raw), "\n")
		from, err = strconv.Atoi(place)
		inside := from >= 1 && from <= len(objects)
		if err != nil || of != name || !inside {
			return nil,
				Invalid("page_token", "Request contains an invalid argument: the page token is not valid for this "+
					"request")
		}
	}
	answer, to := Object{}, min(from+size, len(objects))
	if from < to {
		answer[key] = objects[from:to]
	}
	if to < len(objects) {
		answer["nextPageToken"] = base64.RawURLEncoding.EncodeToString([]byte(name + "\n" + strconv.Itoa(to)))
	}
	return answer, nil
}
