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

func TestBodyThatCannotBeEncoded(t *testing.T) {
	_, err := exchange(t.Context(), NewClient(roundTrip(hang), 0),
		Request{Method: "POST", URL: "https://api.example", JSON: func() {}})
	if err == nil || !strings.Contains(err.Error(), "POST: body not encoded") {
		t.Errorf("err = %v", err)
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

func TestWhichStatusesSucceed(t *testing.T) {
	for status, want := range map[int]bool{199: false, 200: true, 204: true, 299: true, 300: false, 404: false} {
		if got := (Response{Status: status}).OK(); got != want {
			t.Errorf("OK of %d = %t", status, got)
		}
	}
}

func TestDecode(t *testing.T) {
	var out struct{ A int }
	if err := (Response{Body: []byte(`{"A":7}`)}).Decode(&out); err != nil || out.A != 7 {
		t.Errorf("%+v, %v", out, err)
	}
	wantClientFault(t, Response{Endpoint: "GET api.example", Body: []byte("<html>")}.Decode(&out), CodeChanged.Name)
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

// TestFaultsKeepTheirCause checks the code, the cause and the wait of every fault, and which
// limit of a provider it names.
func TestFaultsKeepTheirCause(t *testing.T) {
	cause := errors.New("cause")
	for name, tt := range map[string]struct {
		err      *fault.Error
		code     fault.Code
		wait     time.Duration
		app, api bool
	}{
		"revoked":          {err: Revoked(cause, "Powód."), code: CodeReconnect},
		"denied":           {err: Denied(cause), code: CodePermission},
		"limit of a token": {err: Throttled(cause, time.Minute), code: CodeThrottled, wait: time.Minute},
		"limit of the app": {err: ThrottledApp(cause, time.Minute), code: CodeThrottled, wait: time.Minute, app: true},
		"limit of an API":  {err: ThrottledAPI(cause, time.Minute), code: CodeThrottled, wait: time.Minute, api: true},
		"temporary":        {err: Temporary(cause), code: CodeTemporary},
		"not set up":       {err: NotSetUp(cause), code: CodeOperator},
		"app-wide":         {err: AppWide(Social, cause), code: CodeOperator},
		"gone":             {err: Gone(cause), code: CodeGone},
		"unreadable":       {err: Unreadable(cause), code: CodeChanged},
	} {
		if !fault.Is(tt.err, tt.code) || tt.err.Kind != fault.Internal {
			t.Fatalf("%s: %+v", name, tt.err)
		}
		if tt.err.RetryAfter != tt.wait || !errors.Is(tt.err, cause) {
			t.Fatalf("%s: %+v", name, tt.err)
		}
		if tt.err.Message == "" {
			t.Errorf("%s: %+v", name, tt.err)
		}
		if IsAppLimit(tt.err) != tt.app || IsAPILimit(tt.err) != tt.api {
			t.Errorf("%s: limit of the app %t, of an API %t", name, IsAppLimit(tt.err), IsAPILimit(tt.err))
		}
	}
	busy := Busy(time.Minute)
	if !fault.Is(busy, CodeThrottled) || busy.Kind != fault.Limited {
		t.Fatalf("busy: %+v", busy)
	}
	if busy.RetryAfter != time.Minute || !errors.Is(busy, ErrNoTurn) {
		t.Errorf("busy: %+v", busy)
	}
	if reason := Revoked(nil, "Powód.").Message; reason != "Powód." {
		t.Errorf("reason %q", reason)
	}
	if AppWide(Social, cause).Message == NotSetUp(cause).Message {
		t.Error("a failure of the app reads like an API that is not enabled")
	}
}

// TestPairs checks that every service has a name and a description of its own, and nothing
// else is valid.
func TestPairs(t *testing.T) {
	texts, names := map[string]bool{}, []string{}
	for _, p := range Pairs() {
		names = append(names, p.String())
		if !p.Valid() || p.Provider.Title() == "" {
			t.Fatalf("%s of %q: %q, %q", p, p.Provider.Title(), p.Name(), p.Description())
		}
		if p.Name() == "" || p.Description() == "" {
			t.Fatalf("%s of %q: %q, %q", p, p.Provider.Title(), p.Name(), p.Description())
		}
		if texts[p.Name()] || texts[p.Description()] {
			t.Errorf("%s of %q: %q, %q", p, p.Provider.Title(), p.Name(), p.Description())
		}
		texts[p.Name()], texts[p.Description()] = true, true
	}
	if want := []string{"provider_search/search_profile", "provider_search/search_analytics",
		"provider_social/social_pages", "provider_social/social_photos"}; !slices.Equal(names, want) {
		t.Errorf("pairs %q, want %q", names, want)
	}
	for _, p := range []Pair{{}, {Search, SocialPages}, {Social, SearchProfile}, {"x", SearchProfile}} {
		if p.Valid() || p.Name() != "" || p.Description() != "" {
			t.Errorf("%s is valid %t, %q, %q", p, p.Valid(), p.Name(), p.Description())
		}
	}
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

// TestSendEndsWithoutASecondTurn checks that a try that gets no turn is not made.
func TestSendEndsWithoutASecondTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, turns := 0, 0
		client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) {
			tries++
			return &http.Response{StatusCode: http.StatusBadGateway, Body: http.NoBody}, nil
		}), 10*time.Second)
		r := secretRequest("https://api.example")
		r.Turn = func(context.Context) error {
			if turns++; turns == 2 {
				return Busy(time.Second)
			}
			return nil
		}
		_, err := Send(t.Context(), client, r, func(Response) error { return Temporary(errors.New("502")) })
		if !errors.Is(err, ErrNoTurn) || tries != 1 || turns != 2 {
			t.Errorf("%v after %d tries and %d turns", err, tries, turns)
		}
	})
}

// TestSendWithoutATimeout checks that the last failure is returned.
func TestSendWithoutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := NewClient(roundTrip(func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }),
			0)
		_, err := Send(t.Context(), client, secretRequest("https://api.example"), nil)
		if wantClientFault(t, err, CodeTemporary.Name); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("err = %v", err)
		}
	})
}
