package places_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/places"
)

const key = "key-of-the-test"

// client asks a new stand-in.
type client struct {
	t *testing.T
	standin.StandIn
}

func newClient(t *testing.T) client {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	return client{t, places.New(places.Options{APIKey: key, Now: func() time.Time { return now }}).StandIn}
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

func (c client) set(knobs string) {
	c.t.Helper()
	if err := c.Knobs.Set(strings.NewReader(knobs)); err != nil {
		c.t.Fatal(err)
	}
}

// state is the memory in its JSON form.
func (c client) state() string {
	text, err := json.Marshal(c.Memory.State())
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
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
