package places_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/places"
	"backend.example/deploy/sandbox/upstream"
)

const key = "key-of-the-test"

// client asks a new fake.
type client struct {
	t *testing.T
	*upstream.Fake
}

func newClient(t *testing.T) client {
	return client{t, places.New(places.Options{APIKey: key})}
}

// send makes a request with the right key; a mask of "-" is none.
func (c client) send(method, target, mask, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("X-Goog-Api-Key", key)
	if mask != "-" {
		request.Header.Set("X-Goog-FieldMask", mask)
	}
	return c.do(request)
}

func (c client) do(request *http.Request) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	c.Handler.ServeHTTP(recorder, request)
	return recorder
}

// read decodes an answer with status 200.
func read[T any](t *testing.T, answer *httptest.ResponseRecorder) T {
	t.Helper()
	var body T
	if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil || answer.Code != http.StatusOK {
		t.Fatalf("got %d %s, %v", answer.Code, answer.Body, err)
	}
	return body
}

// compact is the body without white space between its parts.
func compact(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	text, err := json.Marshal(read[any](t, answer))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
