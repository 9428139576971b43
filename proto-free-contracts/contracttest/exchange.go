package contracttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Exchange is one request and its answer, as a server or a client saw them.
type Exchange struct {
	Request     *http.Request // its Body is not read
	RequestBody []byte
	Status      int
	Header      http.Header // of the answer
	Body        []byte      // of the answer; ignored for HEAD
}

// Check reports to tb every way in which the exchange departs from the document:
// a status that is not documented, a missing or malformed header, another
// content type, a body that the schema refuses. A request whose answer is below
// 400 must itself be as documented; others are tests of bad input.
func (c *Checker) Check(tb testing.TB, exchange Exchange) {
	tb.Helper()
	if err := c.check(exchange); err != nil {
		tb.Errorf("%s %s → %d departs from the document: %v",
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
	return errors.Join(err, c.checkAnswer(response, exchange), checkBody(response, exchange))
}

// documented returns the response for status and its key, which is the status
// itself, a range such as "4XX", or "default".
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

// checkAnswer compares headers, content type and body with the response.
//
// The validator accepts 304, permanent redirects and all answers to HEAD without
// looking at them. Each response is therefore given to it as the 200 of a GET.
func (c *Checker) checkAnswer(response *openapi3.Response, exchange Exchange) error {
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

// checkBody finds two things that the validator does not look for: a body where none
// is documented, and bytes after the JSON value.
func checkBody(response *openapi3.Response, exchange Exchange) error {
	switch {
	case exchange.Request.Method == http.MethodHead:
		return nil // a server drops what a handler writes
	case len(response.Content) == 0 && len(exchange.Body) > 0:
		return fmt.Errorf("body of %d bytes where none is documented", len(exchange.Body))
	case len(response.Content) > 0 && isJSON(exchange.Header) && !json.Valid(exchange.Body):
		return errors.New("body is not one JSON value")
	}
	return nil
}

func isJSON(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), "application/json")
}

func options(headersOnly bool) *openapi3filter.Options {
	o := &openapi3filter.Options{
		MultiError:          true,
		ExcludeResponseBody: headersOnly,
		AuthenticationFunc:  openapi3filter.NoopAuthenticationFunc,
	}
	o.WithCustomSchemaErrorFunc(describe)
	return o
}

// describe says where and why a schema refuses a value. It leaves out the value,
// which may be a whole body.
func describe(err *openapi3.SchemaError) string {
	return "at /" + strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
}
