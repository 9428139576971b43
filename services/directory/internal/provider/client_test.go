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

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

const httpSecret = "secret-in-the-query"

// road is a transport made of one function.
type road func(*http.Request) (*http.Response, error)

func (r road) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func wantHTTPFault(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("err = %v, want %s", err, code)
	}
	if strings.Contains(err.Error(), httpSecret) || !strings.Contains(err.Error(), "GET ") {
		t.Errorf("err = %v, want the address without its query", err)
	}
}

func sendTo(ctx context.Context, client *http.Client, addr string) (response, error) {
	return send(ctx, client, request{method: http.MethodGet, url: addr + "/v1/things?key=" + httpSecret, token: httpSecret})
}

func TestSendBodies(t *testing.T) {
	tests := []struct {
		name string
		body io.Reader
		want string // fault; empty: none
	}{
		{"as long as may be", strings.NewReader(strings.Repeat("a", maxBodyBytes)), ""},
		{"too long", strings.NewReader(strings.Repeat("a", maxBodyBytes+1)), directory.CodeChanged},
		{"cut", io.MultiReader(strings.NewReader("{"), cut{}), directory.CodeTemporary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := newClient(road(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(test.body)}, nil
			}), 0)
			a, err := sendTo(t.Context(), client, "https://api.example")
			if test.want != "" {
				wantHTTPFault(t, err, test.want)
			} else if err != nil || len(a.body) != maxBodyBytes || !a.ok() {
				t.Errorf("status %d, %d bytes, %v", a.status, len(a.body), err)
			}
		})
	}
}

type cut struct{}

func (cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// silence answers nothing until the request is given up.
var silence = road(func(req *http.Request) (*http.Response, error) {
	<-req.Context().Done()
	return nil, req.Context().Err()
})

func TestSendTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := sendTo(t.Context(), newClient(silence, 9*time.Second), "https://api.example")
		wantHTTPFault(t, err, directory.CodeTemporary)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("err = %v looks like one of the graphClient's context", err)
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("took %v, want 9s", took)
		}
	})
}

func TestSendTimeoutInBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := newClient(road(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(stuck{req.Context()})}, nil
		}), 9*time.Second)
		_, err := sendTo(t.Context(), client, "https://api.example")
		wantHTTPFault(t, err, directory.CodeTemporary)
	})
}

// stuck is a body of which nothing comes.
type stuck struct{ ctx context.Context }

func (s stuck) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

func TestSendEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := sendTo(ctx, newClient(silence, time.Minute), "https://api.example")
		if !errors.Is(err, context.DeadlineExceeded) || fault.Is(err, directory.CodeTemporary) {
			t.Errorf("err = %v, want that of the context", err)
		}
	})
}

func TestSendBrokenRoad(t *testing.T) {
	broken := errors.New("connection refused")
	client := newClient(road(func(*http.Request) (*http.Response, error) { return nil, broken }), 0)
	_, err := sendTo(t.Context(), client, "https://api.example")
	wantHTTPFault(t, err, directory.CodeTemporary)
	if !errors.Is(err, broken) {
		t.Errorf("err = %v, want its cause kept", err)
	}
}

func TestSendOddAddress(t *testing.T) {
	if _, err := sendTo(t.Context(), newClient(nil, 0), "https://api.example:port"); err == nil || strings.Contains(err.Error(), httpSecret) {
		t.Errorf("err = %v", err)
	}
}

func TestSendStaysWhereItIs(t *testing.T) {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	a, err := sendTo(t.Context(), newClient(server.Client().Transport, 0), server.URL)
	if err != nil || a.status != http.StatusTemporaryRedirect || a.ok() || calls != 1 {
		t.Errorf("status %d after %d calls, %v; want the redirect itself", a.status, calls, err)
	}
}

func TestSendForms(t *testing.T) {
	tests := []struct {
		name        string
		request     request
		contentType string
		body        string
	}{
		{"nothing", request{}, "", ""},
		{"form", request{form: url.Values{"token": {"a b"}}}, "application/x-www-form-urlencoded", "token=a+b"},
		{"json", request{json: map[string]int{"pageSize": 5}}, "application/json", `{"pageSize":5}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got *http.Request
			var body string
			client := newClient(road(func(req *http.Request) (*http.Response, error) {
				got = req
				if req.Body != nil {
					text, err := io.ReadAll(req.Body)
					if err != nil {
						t.Error(err)
					}
					body = string(text)
				}
				return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
			}), 0)
			test.request.method, test.request.url = http.MethodPost, "https://api.example/v1"
			test.request.header = http.Header{"X-Key": {"k"}}
			if a, err := send(t.Context(), client, test.request); err != nil || !a.ok() {
				t.Fatalf("status %d, %v", a.status, err)
			}
			if got.Header.Get("Content-Type") != test.contentType || body != test.body || got.Header.Get("X-Key") != "k" ||
				got.Header.Get("Accept") != "application/json" || got.Header.Get("Authorization") != "" {
				t.Errorf("sent %q with %v", body, got.Header)
			}
		})
	}
}

func TestWithHost(t *testing.T) {
	base := &url.URL{Scheme: "http", Host: "127.0.0.1:9093", Path: "/ignored"}
	tests := []struct {
		addr string
		base *url.URL
		want string
	}{
		{"https://accounts.google.com/o/oauth2/v2/auth", nil, "https://accounts.google.com/o/oauth2/v2/auth"},
		{"https://accounts.google.com/o/oauth2/v2/auth", base, "http://127.0.0.1:9093/o/oauth2/v2/auth"},
		{"https://places.googleapis.com/v1/places:searchText", base, "http://127.0.0.1:9093/v1/places:searchText"},
		{"https://places.googleapis.com/v1/places/a%2Fb?languageCode=pl", base, "http://127.0.0.1:9093/v1/places/a%2Fb?languageCode=pl"},
	}
	for _, test := range tests {
		if got := withHost(test.addr, test.base); got != test.want {
			t.Errorf("withHost(%q, %v) = %q, want %q", test.addr, test.base, got, test.want)
		}
	}
}
