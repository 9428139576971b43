package contracts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"backend.example/proto-free-contracts/contracttest"
)

// TestExamplesAreExchanges plays a service that is asked, and answers, with the
// documents' own examples: parameters, headers and bodies must pass the check that
// services have to pass, and must cover every documented answer.
func TestExamplesAreExchanges(t *testing.T) {
	for name, document := range documents() {
		t.Run(name, func(t *testing.T) {
			doc, err := parse(document)
			if err != nil {
				t.Fatal(err)
			}
			checker := contracttest.New(document)
			for path, item := range doc.Paths.Map() {
				for method, operation := range item.Operations() {
					request := exampleRequest(t, method, path, slices.Concat(item.Parameters, operation.Parameters))
					for _, exchange := range exampleBodies(t, request, operation.RequestBody) {
						checkResponses(t, checker, exchange, operation.Responses.Map())
					}
				}
			}
			checkGeneral(t, checker, doc)
			for _, name := range checker.Missing() {
				t.Errorf("no example of %s", name)
			}
		})
	}
}

// exampleRequest fills every parameter with its example.
func exampleRequest(t *testing.T, method, path string, parameters openapi3.Parameters) *http.Request {
	t.Helper()
	query, header := url.Values{}, http.Header{}
	for _, ref := range parameters {
		p, value := ref.Value, fmt.Sprint(ref.Value.Example)
		switch p.In {
		case openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case openapi3.ParameterInQuery:
			query.Set(p.Name, value)
		case openapi3.ParameterInHeader:
			header.Set(p.Name, value)
		default:
			t.Fatalf("parameter %s in %s", p.Name, p.In)
		}
	}
	request := httptest.NewRequest(method, path+"?"+query.Encode(), nil)
	request.Header = header
	return request
}

// exampleBodies sends request with each example of its body.
func exampleBodies(t *testing.T, request *http.Request, body *openapi3.RequestBodyRef) (exchanges []contracttest.Exchange) {
	t.Helper()
	if body == nil {
		return []contracttest.Exchange{{Request: request}}
	}
	for contentType, media := range body.Value.Content {
		for _, example := range media.Examples {
			contentType, encoded := encode(t, contentType, example.Value.Value)
			sent := request.Clone(t.Context())
			sent.Header.Set("Content-Type", contentType)
			exchanges = append(exchanges, contracttest.Exchange{Request: sent, RequestBody: encoded})
		}
	}
	return exchanges
}

// encode writes an example as a body of the content type, which multipart extends.
func encode(t *testing.T, contentType string, example any) (string, []byte) {
	t.Helper()
	fields, _ := example.(map[string]any)
	body := &bytes.Buffer{}
	switch contentType {
	case "application/x-www-form-urlencoded":
		form := url.Values{}
		for name, value := range fields {
			form.Set(name, fmt.Sprint(value))
		}
		body.WriteString(form.Encode())
	case "multipart/form-data":
		form := multipart.NewWriter(body)
		for name, value := range fields {
			if err := form.WriteField(name, fmt.Sprint(value)); err != nil {
				t.Fatal(err)
			}
		}
		if err := form.Close(); err != nil {
			t.Fatal(err)
		}
		contentType = form.FormDataContentType()
	default:
		if err := json.NewEncoder(body).Encode(example); err != nil {
			t.Fatal(err)
		}
	}
	return contentType, body.Bytes()
}

// checkResponses answers an exchange's request with each example of each response.
func checkResponses(t *testing.T, checker *contracttest.Checker, exchange contracttest.Exchange, responses map[string]*openapi3.ResponseRef) {
	t.Helper()
	for key, ref := range responses {
		status, err := strconv.Atoi(key)
		if err != nil {
			status = http.StatusTeapot // a default response stands for any other status
		}
		exchange.Status, exchange.Header, exchange.Body = status, exampleHeader(ref.Value), nil
		if len(ref.Value.Content) == 0 {
			checker.Check(t, exchange)
		}
		for contentType, media := range ref.Value.Content {
			exchange.Header.Set("Content-Type", contentType)
			for _, example := range media.Examples {
				if exchange.Body, err = json.Marshal(example.Value.Value); err != nil {
					t.Fatal(err)
				}
				checker.Check(t, exchange)
			}
		}
	}
}

func exampleHeader(response *openapi3.Response) http.Header {
	header := http.Header{}
	for name, ref := range response.Headers {
		header.Set(name, fmt.Sprint(ref.Value.Example))
	}
	return header
}

// checkGeneral answers requests that meet no operation.
func checkGeneral(t *testing.T, checker *contracttest.Checker, doc *openapi3.T) {
	t.Helper()
	var known string
	for path := range doc.Paths.Map() {
		known = strings.NewReplacer("{", "", "}", "").Replace(path)
	}
	requests := map[string]*http.Request{
		"unknown-path": httptest.NewRequest(http.MethodGet, "/no/such/path", nil),
		"other-method": httptest.NewRequest(http.MethodTrace, known, nil),
		"options":      httptest.NewRequest(http.MethodOptions, known, nil),
	}
	kinds, _ := doc.Extensions["x-general-responses"].(map[string]any)
	for kind, answers := range kinds {
		responses := map[string]*openapi3.ResponseRef{}
		for status, component := range answers.(map[string]any) {
			responses[status] = doc.Components.Responses[component.(string)]
		}
		checkResponses(t, checker, contracttest.Exchange{Request: requests[kind]}, responses)
	}
}
