package outbound

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"testing"
	"time"
)

func TestIsPublic(t *testing.T) {
	for want, addresses := range map[bool][]string{
		true: {
			"8.8.8.8", "93.184.215.14", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1",
			"2606:4700:4700::1111", "2a00:1450:4025::8b", "::ffff:8.8.8.8",
		},
		false: {
			"127.0.0.1", "127.255.255.254", "::1", // loopback
			"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", // RFC 1918
			"100.64.0.1", "100.127.255.255", // shared address space (CGNAT)
			"169.254.169.254", "fe80::1", "fe80::1%eth0", // link-local, metadata of clouds
			"0.0.0.0", "0.1.2.3", "::", // unspecified, this network
			"224.0.0.1", "ff02::1", // multicast
			"255.255.255.255", "240.0.0.1", // broadcast, reserved
			"192.0.0.8",                                                          // protocol assignments
			"192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", // documentation
			"198.18.0.1", "2001:2::1", // benchmarking
			"192.88.99.1",                              // 6to4 relays
			"fc00::1", "fd00:ec2::254", "fd00::1%eth0", // unique local
			"fec0::1", "100::1", // site-local, discard-only
			// embedded IPv4
			"::ffff:127.0.0.1", "::ffff:127.0.0.1%eth0", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
			"64:ff9b::7f00:1", "64:ff9b::7f00:1%eth0", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1",
			"2002:7f00:1::%eth0",
			"2001:0:4136:e378::",      // Teredo
			"2001:4860:4860::88%eth0", // a public address has no zone
		},
	} {
		for _, address := range addresses {
			if got := isPublic(netip.MustParseAddr(address)); got != want {
				t.Errorf("isPublic(%s) = %t, want %t", address, got, want)
			}
		}
	}
	if isPublic(netip.Addr{}) {
		t.Error("isPublic of no address = true")
	}
}

func TestRefusePrivate(t *testing.T) {
	tests := map[string]error{
		"8.8.8.8:443":              nil,
		"[2606:4700::1111]:443":    nil,
		"127.0.0.1:80":             ErrPrivateAddress,
		"[::ffff:10.0.0.1]:80":     ErrPrivateAddress,
		"[fe80::1%eth0]:80":        ErrPrivateAddress,
		"/run/docker.sock":         ErrPrivateAddress,
		"www.userbenchmark.com:80": ErrPrivateAddress,
	}
	for address, want := range tests {
		if err := refusePrivate("tcp", address, nil); !errors.Is(err, want) {
			t.Errorf("refusePrivate(%s) = %v, want %v", address, err, want)
		}
	}
}

func TestProxiedTransportUsesProxyForPublicHosts(t *testing.T) {
	var asked []string // the URLs that the proxy was asked for
	proxy := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.String()) }),
	)
	defer proxy.Close()
	inner := httptest.NewServer(http.NotFoundHandler())
	defer inner.Close()
	address, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		target  string
		hosts   []string
		noProxy bool // the target is in NO_PROXY
		asked   bool // whether the proxy gets the request
		refused bool
	}{
		"public host":               {target: "http://www.source.example/x", asked: true},
		"public address":            {target: "http://8.8.8.8/x", asked: true},
		"private address":           {target: inner.URL, refused: true},
		"name of an inner host":     {target: "http://localhost:1/x", refused: true},
		"inner host of the setting": {target: inner.URL, hosts: []string{"127.0.0.1"}},
		"the proxy itself":          {target: proxy.URL, refused: true},
		"named by NO_PROXY":         {target: "http://www.source.invalid/x", noProxy: true},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			choose := func(*http.Request) (*url.URL, error) {
				if tt.noProxy {
					return nil, nil
				}
				return address, nil
			}
			transport := proxied(NewTransport(time.Second, tt.hosts...), time.Second, choose)
			defer transport.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.target, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if errors.Is(err, ErrPrivateAddress) != tt.refused {
				t.Errorf("err = %v, want refusal %t", err, tt.refused)
			}
			if got := len(asked) == 1; got != tt.asked {
				t.Errorf("the proxy was asked %q, want a request %t", asked, tt.asked)
			}
		})
	}
}
