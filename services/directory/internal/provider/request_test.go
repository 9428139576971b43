package provider

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/internal/kit/fault"
)

// sentRequest is what reaches a provider.
type sentRequest struct {
	Method, URL, Body string
	Header            http.Header
}

func TestRequestsAsTheyAreSent(t *testing.T) {
	const address = "https://api.example/v1/things?key=a%2Fb"
	further := http.Header{"X-Field-Mask": {"name"}}
	for name, tt := range map[string]struct {
		request Request
		want    sentRequest
	}{
		"plain": {
			Request{Method: "GET", URL: address},
			sentRequest{Method: "GET", URL: address, Header: http.Header{"Accept": {"application/json"}}},
		},
		"token and header": {
			Request{Method: "DELETE", URL: address, Token: "t", Header: further},
			sentRequest{
				Method: "DELETE", URL: address,
				Header: http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer t"},
					"X-Field-Mask": {"name"}},
			},
		},
		"form": {
			Request{Method: "POST", URL: address, Form: url.Values{"a": {"ł&"}}},
			sentRequest{Method: "POST", URL: address, Body: "a=%C5%82%26",
				Header: http.Header{
					"Accept": {"application/json"}, "Content-Type": {"application/x-www-form-urlencoded"},
				}},
		},
		"JSON": {
			Request{Method: "POST", URL: address, JSON: map[string]int{"a": 1}},
			sentRequest{Method: "POST", URL: address, Body: `{"a":1}`,
				Header: http.Header{"Accept": {"application/json"}, "Content-Type": {"application/json"}}},
		},
	} {
		var got sentRequest
		client := NewClient(roundTrip(func(req *http.Request) (*http.Response, error) {
			got = sentRequest{Method: req.Method, URL: req.URL.String(), Header: req.Header}
			if req.Body != nil {
				body, _ := io.ReadAll(req.Body)
				got.Body = string(body)
			}
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}), 0)
		if _, err := exchange(t.Context(), client, tt.request); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v, sent %+v, want %+v", name, err, got, tt.want)
		}
	}
	if want := (http.Header{"X-Field-Mask": {"name"}}); !reflect.DeepEqual(further, want) {
		t.Errorf("the caller's header is now %v", further)
	}
}

// TestResponseOfAnExchange checks that the address of an error names no account.
func TestResponseOfAnExchange(t *testing.T) {
	client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Retry-After": {"3"}},
			Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}), 0)
	got, err := exchange(t.Context(), client,
		Request{Method: "GET", URL: "https://api.example/v25.0/10411/1234_56789/me?fields=" + secret})
	want := Response{Endpoint: "GET api.example/v25.0/{id}/{id}/me", Status: http.StatusTeapot,
		Header: http.Header{"Retry-After": {"3"}}, Body: []byte("{}")}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

// TestListsAreReadFiveAtOnce checks that every list is read, and that a slow one does not keep
// the others from theirs.
func TestListsAreReadFiveAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin, ends := time.Now(), make([]time.Duration, 12)
		EachAtOnce(len(ends), func(i int) {
			time.Sleep(time.Second)
			ends[i] = time.Since(begin)
		})
		slices.Sort(ends)
		want := slices.Concat(slices.Repeat([]time.Duration{time.Second}, 5),
			slices.Repeat([]time.Duration{2 * time.Second}, 5), slices.Repeat([]time.Duration{3 * time.Second}, 2))
		if !slices.Equal(ends, want) {
			t.Errorf("read after %v, want %v", ends, want)
		}
	})
}

// TestFaultsOfTokenEndpoints checks what the translation of a refusal gets, and that an
// answer without a token is not readable.
func TestFaultsOfTokenEndpoints(t *testing.T) {
	header := http.Header{"Retry-After": {"3"}}
	translated := errors.New("translated")
	for name, tt := range map[string]struct {
		status int
		body   string
		want   []Response
		code   string
	}{
		"refusal": {
			400, `{"error":"invalid_grant"}`,
			[]Response{
				{Endpoint: "POST api.example", Status: 400, Header: header, Body: []byte(`{"error":"invalid_grant"}`)},
			}, "",
		},
		"no token": {200, `{}`, nil, CodeChanged.Name},
	} {
		client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: tt.status, Header: header, Body: io.NopCloser(strings.NewReader(tt.body)),
			}, nil
		}), 0)
		config := oauth2.Config{
			Endpoint: oauth2.Endpoint{TokenURL: "https://api.example/token", AuthStyle: oauth2.AuthStyleInParams},
		}
		_, err := config.Exchange(context.WithValue(t.Context(), oauth2.HTTPClient, client), "code")
		var got []Response
		err = OAuthFault(t.Context(), "POST api.example", err, func(r Response) error {
			got = append(got, r)
			return translated
		})
		if !reflect.DeepEqual(got, tt.want) || errors.Is(err, translated) != (tt.code == "") {
			t.Fatalf("%s: %v after %+v, want %+v", name, err, got, tt.want)
		}
		if tt.code != "" && !fault.Is(err, tt.code) {
			t.Errorf("%s: %v after %+v, want %+v", name, err, got, tt.want)
		}
	}
}
