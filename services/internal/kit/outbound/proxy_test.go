package outbound

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"
)

// TestProxiedTransport: a public host is asked of the proxy, which may be private; an
// inner one is not, and stays refused unless the transport is for it.
func TestProxiedTransport(t *testing.T) {
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.String()) }))
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
		none    bool // NO_PROXY
		asked   bool
		refused bool
	}{
		"public host":               {target: "http://www.source.example/x", asked: true},
		"public address":            {target: "http://8.8.8.8/x", asked: true},
		"private address":           {target: inner.URL, refused: true},
		"name of an inner host":     {target: "http://localhost:1/x", refused: true},
		"inner host of the setting": {target: inner.URL, hosts: []string{"127.0.0.1"}},
		"the proxy itself":          {target: proxy.URL, refused: true},
		"named by NO_PROXY":         {target: "http://www.source.invalid/x", none: true},
	} {
		t.Run(name, func(t *testing.T) {
			asked = nil
			transport := proxied(NewTransport(time.Second, tt.hosts...), time.Second, func(*http.Request) (*url.URL, error) {
				if tt.none {
					return nil, nil
				}
				return address, nil
			})
			defer transport.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.target, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if errors.Is(err, ErrPrivateAddress) != tt.refused || (len(asked) == 1) != tt.asked {
				t.Errorf("err = %v, the proxy was asked %q", err, asked)
			}
		})
	}
}

func TestAddressOfProxy(t *testing.T) {
	for text, want := range map[string]string{
		"http://proxy.firma": "proxy.firma:80", "https://proxy.firma": "proxy.firma:443", "http://192.0.2.7:3128": "192.0.2.7:3128",
		"socks5://proxy.firma": "proxy.firma:1080", "http://user:secret@[fd00::1]:8080": "[fd00::1]:8080",
	} {
		proxy, err := url.Parse(text)
		if err != nil || addressOf(proxy) != want {
			t.Errorf("%s: %s, %v", text, addressOf(proxy), err)
		}
	}
}
