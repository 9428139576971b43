package outbound_test

import (
	"errors"
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
		hosts   []string
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

func TestTransportRefusesRedirectInside(t *testing.T) {
	reached := false
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	target := strings.Replace(inside.URL, "127.0.0.1", "localhost", 1)
	front := httptest.NewServer(http.RedirectHandler(target, http.StatusFound))
	defer front.Close()

	err := get(t, outbound.NewTransport(timeout, "127.0.0.1"), front.URL)
	if !errors.Is(err, outbound.ErrPrivateAddress) || reached {
		t.Errorf("err = %v, reached = %t; want the redirect refused", err, reached)
	}
}

func TestTransportBoundsTheWait(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)

	err := get(t, outbound.NewTransport(time.Millisecond, "127.0.0.1"), server.URL)
	var failure *url.Error
	if !errors.As(err, &failure) || !failure.Timeout() {
		t.Errorf("err = %v, want a time-out", err)
	}
}

func get(t *testing.T, transport *http.Transport, address string) error {
	t.Helper()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}
