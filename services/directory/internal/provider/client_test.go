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

	"github.com/google/go-cmp/cmp"
	"golang.org/x/oauth2"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const secret = "secret-in-the-query"

// hang does not respond until the request is given up.
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

// wantClientFault checks the code of an error, and that it names the address without its query.
func wantClientFault(t *testing.T, err error, code string) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Fatalf("err = %v, want %s", err, code)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("err = %v, which holds the secret of the query", err)
	}
	if !strings.Contains(err.Error(), "GET ") {
		t.Errorf("err = %v, want the address in it", err)
	}
}

func TestSendWaitsForItsTurn(t *testing.T) {
	for name, test := range map[string]struct {
		turns []error // one for each try
		tries int
		want  error
	}{
		"all":       {[]error{nil, nil}, 2, nil},
		"no first":  {[]error{Busy(time.Second)}, 0, ErrNoTurn},
		"no second": {[]error{nil, Busy(time.Second)}, 1, ErrNoTurn},
	} {
		synctest.Test(t, func(t *testing.T) {
			tries, turns := 0, 0
			client := NewClient(testkit.RoundTripper(func(*http.Request) (*http.Response, error) {
				tries++
				status := http.StatusBadGateway
				if tries == 2 {
					status = http.StatusOK
				}
				return &http.Response{StatusCode: status, Body: http.NoBody}, nil
			}), 10*time.Second)
			r := secretRequest("https://api.example")
			r.Turn = func(context.Context) error {
				if turns++; turns == 1 {
					time.Sleep(time.Minute) // longer than the client's timeout
				}
				return test.turns[turns-1]
			}
			_, err := Send(t.Context(), client, r, func(Response) error { return Temporary(errors.New("502")) })
			if !errors.Is(err, test.want) || tries != test.tries {
				t.Errorf("%s: %v after %d tries, want %v after %d", name, err, tries, test.want, test.tries)
			}
		})
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
			body: io.MultiReader(strings.NewReader("{"),
				read(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF })),
			want: CodeTemporary.Name,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			client := NewClient(testkit.RoundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(test.body)}, nil
			}), 0)
			res, err := exchange(t.Context(), client, secretRequest("https://api.example"))
			if test.want != "" {
				wantClientFault(t, err, test.want)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Body) != maxBodyBytes || !res.OK() {
				t.Errorf("status %d, %d bytes, want 200, %d bytes", res.Status, len(res.Body), maxBodyBytes)
			}
		})
	}
}

func TestSendTimeout(t *testing.T) {
	tests := map[string]testkit.RoundTripper{
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
				_, err := exchange(t.Context(), NewClient(transport, 9*time.Second),
					secretRequest("https://api.example"))
				wantClientFault(t, err, CodeTemporary.Name)
				if took := time.Since(start); took != 9*time.Second {
					t.Errorf("took %v, want the 9s of the client", took)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("err = %v, want one apart from that of the caller's context", err)
				}
			})
		})
	}
}

func TestFailedConnection(t *testing.T) {
	refused := errors.New("connection refused")
	client := NewClient(testkit.RoundTripper(func(*http.Request) (*http.Response, error) { return nil, refused }), 0)
	ended, end := context.WithCancel(t.Context())
	end()
	for name, call := range map[string]func(context.Context) error{
		"Send": func(ctx context.Context) error {
			_, err := exchange(ctx, client, secretRequest("https://api.example"))
			return err
		},
		"oauth2": func(ctx context.Context) error {
			config := oauth2.Config{Endpoint: oauth2.Endpoint{TokenURL: "https://api.example/token?key=" + secret}}
			_, err := config.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client), "code")
			return OAuthFault(ctx, "GET api.example", err, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := call(t.Context())
			wantClientFault(t, err, CodeTemporary.Name)
			if !errors.Is(err, refused) {
				t.Errorf("err = %v, want its cause kept", err)
			}
			if err := call(ended); !errors.Is(err, context.Canceled) || fault.Is(err, CodeTemporary) {
				t.Errorf("err = %v, want that of the context", err)
			}
		})
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var asked []string
	client := NewClient(testkit.RoundTripper(func(req *http.Request) (*http.Response, error) {
		asked = append(asked, req.URL.Host)
		if len(asked) > 1 {
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}
		moved := http.Header{"Location": {"https://evil.example/"}}
		return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: moved, Body: http.NoBody}, nil
	}), 0)
	res, err := exchange(t.Context(), client, Request{Method: http.MethodPost, URL: "https://api.example/token",
		Form: url.Values{"code": {secret}}})
	if err != nil {
		t.Fatal(err)
	}
	if res.Status != http.StatusTemporaryRedirect || res.OK() {
		t.Errorf("status = %d, OK = %t, want the redirect, which is no success", res.Status, res.OK())
	}
	if !slices.Equal(asked, []string{"api.example"}) {
		t.Errorf("the hosts %q were asked, want api.example alone", asked)
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
		{"https://places.googleapis.com/v1/places/a%2Fb?languageCode=pl", base,
			"http://127.0.0.1:9093/v1/places/a%2Fb?languageCode=pl"},
	}
	for _, test := range tests {
		if got := WithHost(test.address, test.base); got != test.want {
			t.Errorf("WithHost(%q, %v) = %q, want %q", test.address, test.base, got, test.want)
		}
	}
}

func TestWithRetries(t *testing.T) {
	temporary := Temporary(errors.New("down"))
	throttled := Throttled(errors.New("busy"), time.Second)
	tests := []struct {
		name     string
		limit    time.Duration
		results  []error // of the calls, in order
		want     error   // the last result
		min, max int     // duration in milliseconds
	}{
		{name: "success", limit: time.Minute, results: []error{nil}},
		{name: "temporary once", limit: time.Minute, results: []error{temporary, nil}, min: 250, max: 500},
		{name: "temporary", limit: time.Minute, results: []error{temporary, temporary, temporary}, want: temporary,
			min: 750, max: 1500},
		{name: "no limit", results: []error{temporary, nil}, min: 250, max: 500},
		{name: "another fault", limit: time.Minute, results: []error{throttled}, want: throttled},
		{name: "asked to wait", limit: time.Minute, results: []error{temporary.After(4 * time.Second), nil}, min: 4000,
			max: 4000},
		{name: "no time for a pause", limit: 200 * time.Millisecond, results: []error{temporary}, want: temporary},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls, start := 0, time.Now()
				err := WithRetries(t.Context(), test.limit, func(context.Context) error {
					calls++
					return test.results[calls-1]
				})
				if calls != len(test.results) {
					t.Errorf("%d calls, want %d", calls, len(test.results))
				}
				if !errors.Is(err, test.want) {
					t.Errorf("err = %v, want %v", err, test.want)
				}
				if took := int(time.Since(start).Milliseconds()); took < test.min || took > test.max {
					t.Errorf("took %d ms, want %d to %d", took, test.min, test.max)
				}
			})
		})
	}
}

func TestSendWithRetriesKeepsTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, calls := time.Now(), 0
		client := NewClient(testkit.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if calls++; calls == 1 {
				return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
			}
			return hang(req)
		}), 9*time.Second)
		_, err := Send(t.Context(), client, secretRequest("https://api.example"),
			func(Response) error { return Temporary(errors.New("down")) })
		wantClientFault(t, err, CodeTemporary.Name)
		if calls != 2 {
			t.Errorf("%d calls, want 2", calls)
		}
		if took := time.Since(start); took != 9*time.Second {
			t.Errorf("both calls took %v, want the 9s of one timeout", took)
		}
		if !strings.Contains(err.Error(), "timed out") {
			t.Errorf("err = %v, want that it timed out", err)
		}
	})
}

func TestFailureAfterAStandstill(t *testing.T) {
	for stood, want := range map[time.Duration]bool{4 * time.Second: false, 6 * time.Second: true} {
		synctest.Test(t, func(t *testing.T) {
			err := WithRetries(t.Context(), 9*time.Second, func(context.Context) error {
				time.Sleep(9*time.Second + stood)
				return Temporary(errTimeout)
			})
			if got := errors.Is(err, ErrStoodStill); got != want {
				t.Errorf("%s after the deadline: a standstill = %t, want %t: %v", stood, got, want, err)
			}
			if !fault.Is(err, CodeTemporary) {
				t.Errorf("%s after the deadline: err = %v, want %s", stood, err, CodeTemporary)
			}
		})
	}
}

// TestSendEndsWithItsContext checks that a caller who leaves is no failure of the provider, and that
// a deadline that passes without a response is one.
func TestSendEndsWithItsContext(t *testing.T) {
	for want, isTemporary := range map[error]bool{context.Canceled: false, context.DeadlineExceeded: true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if errors.Is(want, context.Canceled) {
				time.AfterFunc(time.Second/2, cancel)
			}
			client := NewClient(testkit.RoundTripper(hang), time.Minute)
			_, err := Send(ctx, client, secretRequest("https://api.example"), nil)
			if !errors.Is(err, want) {
				t.Errorf("err = %v, want %v", err, want)
			}
			if fault.Is(err, CodeTemporary) != isTemporary {
				t.Errorf("%v: err = %v, want temporary %t", want, err, isTemporary)
			}
		})
	}
}

func TestEachPage(t *testing.T) {
	tests := []struct {
		name     string
		next     map[string]string // cursor → the one of the next page
		want     []string          // cursors of the pages read
		complete bool
	}{
		{"one", nil, []string{""}, true},
		{"three", map[string]string{"": "a", "a": "b"}, []string{"", "a", "b"}, true},
		{"the same again", map[string]string{"": "a", "a": "a"}, []string{"", "a"}, false},
		{"in a circle", map[string]string{"": "a", "a": "b", "b": "a"}, []string{"", "a", "b"}, false},
		{"more than the limit", map[string]string{"": "a", "a": "b", "b": "c", "c": "d"},
			[]string{"", "a", "b", "c"}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var read []string
			complete, err := EachPage(4, func(cursor string) (string, error) {
				read = append(read, cursor)
				return test.next[cursor], nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if complete != test.complete {
				t.Errorf("complete = %t, want %t", complete, test.complete)
			}
			if !slices.Equal(read, test.want) {
				t.Errorf("read %q, want %q", read, test.want)
			}
		})
	}
	complete, err := EachPage(4, func(string) (string, error) { return "a", io.EOF })
	if !errors.Is(err, io.EOF) || complete {
		t.Errorf("complete = %t, err = %v, want that of the page", complete, err)
	}
}

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
		client := NewClient(testkit.RoundTripper(func(req *http.Request) (*http.Response, error) {
			got = sentRequest{Method: req.Method, URL: req.URL.String(), Header: req.Header}
			if req.Body != nil {
				body, _ := io.ReadAll(req.Body)
				got.Body = string(body)
			}
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}), 0)
		if _, err := exchange(t.Context(), client, tt.request); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: sent (-want +got):\n%s", name, diff)
		}
	}
	if want := (http.Header{"X-Field-Mask": {"name"}}); !reflect.DeepEqual(further, want) {
		t.Errorf("the caller's header was changed to %v", further)
	}
}

func TestResponseOfAnExchange(t *testing.T) {
	client := NewClient(testkit.RoundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTeapot, Header: http.Header{"Retry-After": {"3"}},
			Body: io.NopCloser(strings.NewReader("{}"))}, nil
	}), 0)
	got, err := exchange(t.Context(), client,
		Request{Method: "GET", URL: "https://api.example/v25.0/10411/1234_56789/me?fields=" + secret})
	want := Response{Endpoint: "GET api.example/v25.0/{id}/{id}/me", Status: http.StatusTeapot,
		Header: http.Header{"Retry-After": {"3"}}, Body: []byte("{}")}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
}

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

func TestFaultsOfTokenEndpoints(t *testing.T) {
	header := http.Header{"Retry-After": {"3"}}
	translated := errors.New("translated")
	for name, tt := range map[string]struct {
		status int
		body   string
		want   []Response // that were to be translated
		code   string     // of the fault; empty: the translated one
	}{
		"refusal": {
			400, `{"error":"invalid_grant"}`,
			[]Response{
				{Endpoint: "POST api.example", Status: 400, Header: header, Body: []byte(`{"error":"invalid_grant"}`)},
			}, "",
		},
		"no token": {200, `{}`, nil, CodeChanged.Name},
	} {
		client := NewClient(testkit.RoundTripper(func(*http.Request) (*http.Response, error) {
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
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: responses to translate (-want +got):\n%s", name, diff)
		}
		if isTranslated := errors.Is(err, translated); isTranslated != (tt.code == "") {
			t.Errorf("%s: err = %v, a translated one = %t", name, err, isTranslated)
		}
		if tt.code != "" && !fault.Is(err, tt.code) {
			t.Errorf("%s: err = %v, want %s", name, err, tt.code)
		}
	}
}
