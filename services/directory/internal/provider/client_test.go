package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

const secret = "secret-in-the-query"

// roundTrip is a transport made of one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (r roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

// hang answers nothing until the request is given up.
func hang(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
}

// read is a body made of one function.
type read func([]byte) (int, error)

func (r read) Read(p []byte) (int, error) { return r(p) }

func secretRequest(base string) Request {
	return Request{Method: http.MethodGet, URL: base + "/v1/things?key=" + secret, Token: secret}
}

func wantClientFault(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("err = %v, want %s", err, code)
	}
	if strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "GET ") {
		t.Errorf("err = %v, want the address without its query", err)
	}
}

func TestSendBodies(t *testing.T) {
	tests := []struct {
		name string
		body io.Reader
		want string // fault; empty: none
	}{
		{name: "longest", body: strings.NewReader(strings.Repeat("a", maxBodyBytes))},
		{name: "too long", body: strings.NewReader(strings.Repeat("a", maxBodyBytes+1)), want: CodeChanged.Name},
		{
			name: "cut",
			body: io.MultiReader(strings.NewReader("{"), read(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })),
			want: CodeTemporary.Name,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(test.body)}, nil
			}), 0)
			res, err := exchange(t.Context(), client, secretRequest("https://api.example"))
			if test.want != "" {
				wantClientFault(t, err, test.want)
			} else if err != nil || len(res.Body) != maxBodyBytes || !res.OK() {
				t.Errorf("status %d, %d bytes, %v", res.Status, len(res.Body), err)
			}
		})
	}
}

func TestSendTimeout(t *testing.T) {
	tests := map[string]roundTrip{
		"before the answer": hang,
		"in the body": func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(read(func([]byte) (int, error) {
				<-req.Context().Done()
				return 0, req.Context().Err()
			}))}, nil
		},
	}
	for name, transport := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := exchange(t.Context(), NewClient(transport, 9*time.Second), secretRequest("https://api.example"))
				wantClientFault(t, err, CodeTemporary.Name)
				if took := time.Since(start); took != 9*time.Second || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("took %v, %v; want 9s, and an error apart from that of the caller's context", took, err)
				}
			})
		})
	}
}

func TestSendKeepsTheCause(t *testing.T) {
	refused := errors.New("connection refused")
	client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) { return nil, refused }), 0)
	_, err := exchange(t.Context(), client, secretRequest("https://api.example"))
	if wantClientFault(t, err, CodeTemporary.Name); !errors.Is(err, refused) {
		t.Errorf("err = %v, want its cause kept", err)
	}
	if _, err := exchange(t.Context(), NewClient(nil, 0), secretRequest("https://api.example:port")); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("err of an unreadable address = %v", err)
	}
}

func TestSendDoesNotFollowRedirects(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; r.URL.Path != "/elsewhere" {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	res, err := exchange(t.Context(), NewClient(nil, 0), secretRequest(server.URL)) // without a transport: the usual one
	if err != nil || res.Status != http.StatusTemporaryRedirect || res.OK() || calls != 1 {
		t.Errorf("status %d after %d calls, %v; want the redirect itself", res.Status, calls, err)
	}
}

func TestRequestBodies(t *testing.T) {
	tests := []struct {
		name        string
		request     Request
		contentType string
		body        string
	}{
		{name: "none"},
		{
			name: "form", request: Request{Form: url.Values{"token": {"a b"}}},
			contentType: "application/x-www-form-urlencoded", body: "token=a+b",
		},
		{name: "JSON", request: Request{JSON: map[string]int{"pageSize": 5}}, contentType: "application/json", body: `{"pageSize":5}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.request.Method, test.request.URL = http.MethodPost, "https://api.example/v1"
			test.request.Header = http.Header{"X-Key": {"k"}}
			req, err := test.request.build(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var body []byte
			if req.Body != nil {
				if body, err = io.ReadAll(req.Body); err != nil {
					t.Fatal(err)
				}
			}
			if req.Header.Get("Content-Type") != test.contentType || string(body) != test.body || req.Header.Get("X-Key") != "k" ||
				req.Header.Get("Accept") != "application/json" || req.Header.Get("Authorization") != "" || len(test.request.Header) != 1 {
				t.Errorf("request with body %q and %v", body, req.Header)
			}
		})
	}
}

func TestWithHost(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "127.0.0.1:9093", Path: "/ignored"}
	tests := []struct {
		address string
		base    *url.URL
		want    string
	}{
		{"https://accounts.google.com/o/oauth2/v2/auth", nil, "https://accounts.google.com/o/oauth2/v2/auth"},
		{"https://places.googleapis.com/v1/places:searchText", base, "http://127.0.0.1:9093/v1/places:searchText"},
		{"https://places.googleapis.com/v1/places/a%2Fb?languageCode=pl", base, "http://127.0.0.1:9093/v1/places/a%2Fb?languageCode=pl"},
	}
	for _, test := range tests {
		if got := WithHost(test.address, test.base); got != test.want {
			t.Errorf("WithHost(%q, %v) = %q, want %q", test.address, test.base, got, test.want)
		}
	}
}
