package contracttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Exchange is one request and its response.
type Exchange struct {
	Request     *http.Request // its Body is not read
	RequestBody []byte
	Status      int
	Header      http.Header // of the response
	Body        []byte      // of the response; ignored for HEAD
}

// Check reports every difference between the exchange and the document: an undocumented status, a missing or
// malformed header, another content type, a body that does not match the schema. A request with a response below
// 400 must match the document, too; others are tests of bad input.
func (c *Checker) Check(tb testing.TB, exchange Exchange) {
	tb.Helper()
	if err := c.check(exchange); err != nil {
		tb.Errorf("%s %s → %d does not match the document: %v",
			exchange.Request.Method, exchange.Request.URL, exchange.Status, err)
	}
}

func (c *Checker) check(exchange Exchange) error {
	target, err := c.find(exchange.Request)
	if err != nil {
		return err
	}
	key, response := documented(target.route.Operation, exchange.Status)
	if response == nil {
		return fmt.Errorf("status %d is not documented for %s", exchange.Status, target.name)
	}
	c.cover(target.name, key, response, exchange.Body)
	if exchange.Status < http.StatusBadRequest {
		err = checkRequest(target, exchange)
	}
	return errors.Join(err, c.checkResponse(response, exchange), checkBody(response, exchange))
}

// documented returns the response for status and its key: the status, a range such as "4XX", or "default".
func documented(operation *openapi3.Operation, status int) (key string, response *openapi3.Response) {
	code := strconv.Itoa(status)
	for _, key := range []string{code, code[:1] + "XX", "default"} {
		if ref := operation.Responses.Value(key); ref != nil {
			return key, ref.Value
		}
	}
	return "", nil
}

func checkRequest(target target, exchange Exchange) error {
	request := exchange.Request.Clone(exchange.Request.Context())
	request.Body = io.NopCloser(bytes.NewReader(exchange.RequestBody))
	err := openapi3filter.ValidateRequest(request.Context(), &openapi3filter.RequestValidationInput{
		Request: request, PathParams: target.params, Route: target.route, Options: options(false),
	})
	if err != nil {
		return fmt.Errorf("request: %w", err)
	}
	return nil
}

// checkResponse compares headers, content type and body with the documented response.
//
// The validator accepts 304, permanent redirects and all responses to HEAD without checks. Each response is
// therefore validated as the 200 of a GET.
func (c *Checker) checkResponse(response *openapi3.Response, exchange Exchange) error {
	operation := &openapi3.Operation{
		Responses: openapi3.NewResponses(openapi3.WithStatus(http.StatusOK, &openapi3.ResponseRef{Value: response})),
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: &http.Request{Method: http.MethodGet},
			Route:   &routers.Route{Spec: c.document, Operation: operation},
		},
		Status:  http.StatusOK,
		Header:  exchange.Header,
		Options: options(exchange.Request.Method == http.MethodHead),
	}
	return openapi3filter.ValidateResponse(exchange.Request.Context(), input.SetBodyBytes(exchange.Body))
}

// checkBody finds what the validator ignores: an undocumented body, and bytes after the JSON value.
func checkBody(response *openapi3.Response, exchange Exchange) error {
	isDocumented := len(response.Content) > 0
	isJSON := strings.HasPrefix(exchange.Header.Get("Content-Type"), "application/json")
	switch {
	case exchange.Request.Method == http.MethodHead:
		return nil // the server drops the body
	case !isDocumented && len(exchange.Body) > 0:
		return fmt.Errorf("undocumented body of %d bytes", len(exchange.Body))
	case isDocumented && isJSON && !json.Valid(exchange.Body):
		return errors.New("body is not one JSON value")
	}
	return nil
}

func options(headersOnly bool) *openapi3filter.Options {
	o := &openapi3filter.Options{
		MultiError:          true,
		ExcludeResponseBody: headersOnly,
		AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
	}
	o.WithCustomSchemaErrorFunc(func(err *openapi3.SchemaError) string { // without the value, which may be a whole body
		return "at /" + strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
	})
	return o
}

// Wrap returns a handler that calls next and checks every exchange, except one without a response whose client has
// gone. Responses are sent when they are complete.
func (c *Checker) Wrap(tb testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		received := r.Clone(r.Context()) // next may change r
		sent := &bytes.Buffer{}          // what next reads of the body
		passed := r.WithContext(r.Context())
		if r.Body != nil && r.Body != http.NoBody {
			passed.Body = struct {
				io.Reader
				io.Closer
			}{io.TeeReader(r.Body, sent), r.Body}
		}
		recorded := &httptest.ResponseRecorder{Body: &bytes.Buffer{}}
		next.ServeHTTP(recorded, passed)
		if recorded.Code == 0 && r.Context().Err() != nil {
			return
		}
		response := recorded.Result()
		c.Check(tb, Exchange{
			Request: received, RequestBody: sent.Bytes(),
			Status: response.StatusCode, Header: response.Header, Body: recorded.Body.Bytes(),
		})
		maps.Copy(w.Header(), response.Header)
		w.WriteHeader(response.StatusCode)
		_, _ = w.Write(recorded.Body.Bytes()) // the client has gone, or the status has no body
	})
}
