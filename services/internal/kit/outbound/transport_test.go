package outbound_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/outbound"
)

const timeout = 5 * time.Second

func TestTransportConnects(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	byName := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	tests := []struct {
		name    string
		hosts   []string // that the transport is for
		address string
		refused bool
	}{
		{"public host, private address", []string{"www.ceneo.pl"}, server.URL, true},
		{"public host, name with a private address", []string{"www.ceneo.pl"}, byName, true},
		{"public address as host", []string{"8.8.8.8"}, server.URL, true},
		{"no host", nil, server.URL, true},
		{"empty host", []string{""}, server.URL, true},
		{"another inner host", []string{"sandbox"}, server.URL, true},
		{"the inner host", []string{"127.0.0.1"}, server.URL, false},
		{"the inner host by name", []string{"LOCALHOST."}, byName, false},
		{"the inner host in capitals", []string{"localhost"}, strings.Replace(byName, "localhost", "LOCALHOST", 1), false},
		{"the inner host beside a public one", []string{"www.ceneo.pl", "127.0.0.1"}, server.URL, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := get(t, outbound.NewTransport(timeout, test.hosts...), test.address)
			if test.refused != errors.Is(err, outbound.ErrPrivateAddress) || !test.refused && err != nil {
				t.Errorf("err = %v, want refusal %t", err, test.refused)
			}
		})
	}
}

func TestOpenTransportConnectsToInnerHosts(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	if err := get(t, outbound.NewOpenTransport(timeout), server.URL); err != nil {
		t.Error(err)
	}
}

// TestTransportBoundsEveryPhase has a name server and a server that never answer. The
// phase has to end by itself, long before the context of the request.
func TestTransportBoundsEveryPhase(t *testing.T) {
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
			if !errors.As(err, &failure) || !failure.Timeout() || ctx.Err() != nil {
				t.Errorf("err = %v, that of the context %v; want the phase to time out", err, ctx.Err())
			}
		})
	}
}

func TestTransportBoundsTheHeader(t *testing.T) {
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
