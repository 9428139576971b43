package outbound_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/testkit"
)

const timeout = 5 * time.Second

func TestTransportConnectsToListedInnerHostsOnly(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	byName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	inCapitals := strings.Replace(byName, "localhost", "LOCALHOST", 1)
	refused := outbound.ErrPrivateAddress
	tests := []struct {
		name    string
		hosts   []string // that the transport is for
		address string
		want    error
	}{
		{"public host, private address", []string{"www.ceneo.pl"}, server.URL, refused},
		{"public host, name with a private address", []string{"www.ceneo.pl"}, byName, refused},
		{"public address as host", []string{"8.8.8.8"}, server.URL, refused},
		{"no host", nil, server.URL, refused},
		{"empty host", []string{""}, server.URL, refused},
		{"another inner host", []string{"sandbox"}, server.URL, refused},
		{"the inner host", []string{"127.0.0.1"}, server.URL, nil},
		{"the inner host by name", []string{"LOCALHOST."}, byName, nil},
		{"the inner host in capitals", []string{"localhost"}, inCapitals, nil},
		{"the inner host after a public one", []string{"www.ceneo.pl", "127.0.0.1"}, server.URL, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := get(t, outbound.NewTransport(timeout, test.hosts...), test.address)
			if !errors.Is(err, test.want) {
				t.Errorf("err = %v, want %v", err, test.want)
			}
		})
	}
}

func TestTransportsSpeakHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	for name, transport := range map[string]*http.Transport{
		"guarded": outbound.NewTransport(timeout, "127.0.0.1"), "open": outbound.NewOpenTransport(timeout),
		"proxied": outbound.NewProxiedTransport(timeout, "127.0.0.1"),
	} {
		if got, want := transport.Proxy != nil, name == "proxied"; got != want {
			t.Errorf("%s: uses a proxy: got %t, want %t", name, got, want)
		}
		transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
		response, err := (&http.Client{Transport: transport}).Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close() // of this test
		transport.CloseIdleConnections()
		if response.ProtoMajor != 2 {
			t.Errorf("%s: speaks %s, want HTTP/2", name, response.Proto)
		}
	}
}

func TestTransportLimitsEveryPhase(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	resolveBy(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	for phase, address := range map[string]string{
		"connecting to a public host": "http://www.source.example/",
		"connecting to an inner host": "http://source.test/",
		"TLS handshake":               "https://" + silent.Addr().String(),
		"response header":             "http://" + silent.Addr().String(),
	} {
		t.Run(phase, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			err := getWith(ctx, t, outbound.NewTransport(10*time.Millisecond, "127.0.0.1", "source.test"), address)
			var failure *url.Error
			if !errors.As(err, &failure) || !failure.Timeout() {
				t.Errorf("err = %v, want a timeout", err)
			}
			if ctx.Err() != nil {
				t.Errorf("the call ended with its context after %v, want the phase to time out", timeout)
			}
		})
	}
}

func TestTransportLimitsHeaderSize(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 65<<10))
	}))
	defer server.Close()
	err := get(t, outbound.NewTransport(timeout, "127.0.0.1"), server.URL)
	if err == nil || !strings.Contains(err.Error(), "headers exceeded") {
		t.Errorf("err = %v, want a header of 65 KB refused", err)
	}
}

func get(t *testing.T, transport *http.Transport, address string) error {
	t.Helper()
	return getWith(t.Context(), t, transport, address)
}

func getWith(ctx context.Context, t *testing.T, transport *http.Transport, address string) error {
	t.Helper()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func TestTransportRefusesPrivateRedirects(t *testing.T) {
	var reached atomic.Bool
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inside.Close()
	for _, target := range []string{
		strings.Replace(inside.URL, "127.0.0.1", "localhost", 1), "http://[::ffff:127.0.0.1]/", "http://10.0.0.1/",
		"http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/",
	} { // TestIsPublic has the other blocks
		front := httptest.NewServer(http.RedirectHandler(target, http.StatusFound))
		err := get(t, outbound.NewTransport(timeout, "127.0.0.1"), front.URL)
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%s: err = %v, want a refusal", target, err)
		}
		front.Close()
	}
	if reached.Load() {
		t.Error("the inner server was reached")
	}
}

func TestTransportRefusesPrivateAddressesOfPublicNames(t *testing.T) {
	// answerQuestion reads a DNS query over TCP (RFC 1035, section 4), and answers that the name is at 127.0.0.1.
	answerQuestion := func(conn net.Conn) {
		defer conn.Close()
		message := make([]byte, 512)
		n, err := conn.Read(message)
		if err != nil {
			return
		}
		const name = 14 // begins here, after the lengths of the message and its header
		id, question := message[2:4], message[name:name+bytes.IndexByte(message[name:n], 0)+5]
		counts := []byte{0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0} // with flags: one question, one answer
		record := []byte{0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1}
		answer := slices.Concat(id, counts, question, record)
		_, _ = conn.Write(append([]byte{0, byte(len(answer))}, answer...))
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	resolveBy(t, func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go answerQuestion(there)
		return here, nil
	})
	address := strings.Replace(server.URL, "127.0.0.1", "www.source.example", 1)
	err := get(t, outbound.NewTransport(timeout, "www.source.example"), address)
	if !errors.Is(err, outbound.ErrPrivateAddress) {
		t.Errorf("err = %v, want a refusal", err)
	}
}

// resolveBy resolves names with the server of dial until the test ends.
func resolveBy(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.Helper()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	t.Cleanup(func() { net.DefaultResolver = before })
}

func TestLoggedNamesHostAndCauseButNoPath(t *testing.T) {
	for _, test := range []struct {
		status int
		err    error
		want   string
	}{
		{200, nil, "level=DEBUG msg=\"call answered\" host=graph.example method=GET status=200\n"},
		{503, nil, "level=WARN msg=\"call failed\" host=graph.example method=GET status=503\n"},
		{0, errors.New("refused"), "level=WARN msg=\"call failed\" host=graph.example method=GET error=refused\n"},
	} {
		var out bytes.Buffer
		withoutTimes := func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "seconds" {
				return slog.Attr{}
			}
			return a
		}
		options := &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTimes}
		log := slog.New(slog.NewTextHandler(&out, options))
		call := outbound.Logged(testkit.RoundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: test.status, Body: http.NoBody}, test.err
		}), log)
		const address = "https://graph.example/42?access_token=s3cret"
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := call.RoundTrip(r)
		if !errors.Is(err, test.err) {
			t.Errorf("error %v, want %v", err, test.err)
		}
		_ = resp.Body.Close()
		if got := strings.TrimLeft(out.String(), " "); got != test.want {
			t.Errorf("logged %q, want %q", got, test.want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)
	tests := map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"30":                            30 * time.Second,
		" 30 ":                          30 * time.Second,
		"2147483647":                    2147483647 * time.Second,
		"2147483648":                    0,
		"99999999999999999999":          0,
		"-30":                           0,
		"1.5":                           0,
		"soon":                          0,
		"Sat, 21 Nov 2026 10:01:30 GMT": 90 * time.Second,
		"Sat, 21 Nov 2026 09:00:00 GMT": 0,
		"Fri, 31 Dec 9999 23:59:59 GMT": math.MaxInt64,
	}
	for value, want := range tests {
		if got := outbound.RetryAfter(http.Header{"Retry-After": {value}}, now); got != want {
			t.Errorf("RetryAfter(%q) = %v, want %v", value, got, want)
		}
	}
	if got := outbound.RetryAfter(http.Header{}, now); got != 0 {
		t.Errorf("RetryAfter without a header = %v, want 0", got)
	}
}
