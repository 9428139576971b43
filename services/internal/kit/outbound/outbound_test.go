package outbound_test

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
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
		{"the inner host after a public one", []string{"www.ceneo.pl", "127.0.0.1"}, server.URL, false},
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

// A name server and a server never respond. Each phase ends before the context of the
// request.
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
			if !errors.As(err, &failure) || !failure.Timeout() || ctx.Err() != nil {
				t.Errorf("err = %v, that of the context %v; want the phase to time out", err, ctx.Err())
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

// The name is public when it is first resolved, and private when the connection is made.
func TestTransportRefusesChangedAddress(t *testing.T) {
	var reached atomic.Bool
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inside.Close()
	port := inside.URL[strings.LastIndex(inside.URL, ":"):]
	for _, later := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1", "64:ff9b::7f00:1"} {
		resolveTo(t, "93.184.215.14", later)
		first, err := net.DefaultResolver.LookupHost(t.Context(), "www.source.example")
		if err != nil || first[0] != "93.184.215.14" {
			t.Fatalf("first look-up: %v, %v", first, err)
		}
		err = get(t, outbound.NewTransport(timeout, "www.source.example"), "http://www.source.example"+port)
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%s: err = %v, want a refusal", later, err)
		}
	}
	if reached.Load() {
		t.Error("the inner server was reached")
	}
}

// One private host is allowed; redirects to others are refused.
func TestTransportRefusesPrivateRedirects(t *testing.T) {
	var reached atomic.Bool
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer inside.Close()
	for _, target := range []string{
		inside.URL, "http://127.0.0.2/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:a9fe:a9fe]/",
		"http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.0.1/", "http://100.64.0.1/",
		"http://0.0.0.0/", "http://[::]/", "http://[fd00::1]/", "http://[fe80::1]/", "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
	} {
		front := httptest.NewServer(http.RedirectHandler(target, http.StatusFound))
		err := get(t, outbound.NewTransport(timeout, "localhost"), strings.Replace(front.URL, "127.0.0.1", "localhost", 1))
		if !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("%s: err = %v, want a refusal", target, err)
		}
		front.Close()
	}
	if reached.Load() {
		t.Error("the inner server was reached")
	}
}

// resolveTo resolves every name to first in the first query of each kind, and then to later,
// until the test ends.
func resolveTo(t *testing.T, first, later string) {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	var dialer net.Dialer
	resolveBy(t, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "udp", server.LocalAddr().String())
	})
	go serveNames(server, netip.MustParseAddr(first), netip.MustParseAddr(later))
}

// resolveBy resolves names with the server of dial until the test ends.
func resolveBy(t *testing.T, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	t.Helper()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: dial}
	t.Cleanup(func() { net.DefaultResolver = before })
}

// serveNames answers queries (RFC 1035, section 4) with first for the first A and AAAA
// query, and later afterwards.
func serveNames(server net.PacketConn, first, later netip.Addr) {
	asked := map[uint16]bool{}
	question := make([]byte, 512)
	for {
		n, from, err := server.ReadFrom(question)
		if err != nil {
			return // closed
		}
		end := min(12+strings.IndexByte(string(question[12:n]), 0)+5, n) // what follows says how much may be answered
		kind, address := binary.BigEndian.Uint16(question[end-4:]), later
		if !asked[kind] {
			asked[kind], address = true, first
		}
		_, _ = server.WriteTo(reply(question[:end], kind, address), from)
	}
}

const kindA, kindAAAA = 1, 28

// reply returns the message with the question and, if it has that kind, the address.
func reply(question []byte, kind uint16, address netip.Addr) []byte {
	message := append([]byte{}, question...)
	answers := byte(0)
	if kind == kindA && address.Is4() || kind == kindAAAA && address.Is6() {
		answers = 1
	}
	copy(message[2:], []byte{0x81, 0x80, 0, 1, 0, answers, 0, 0, 0, 0})
	if answers == 0 {
		return message
	}
	raw := address.AsSlice()
	message = append(message, 0xc0, 12)
	message = binary.BigEndian.AppendUint16(message, kind)
	message = append(message, 0, 1, 0, 0, 0, 0)
	message = binary.BigEndian.AppendUint16(message, uint16(len(raw)))
	return append(message, raw...)
}
