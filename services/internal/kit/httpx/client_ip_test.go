package httpx_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"backend.example/services/internal/kit/httpx"
)

// TestClientIP: only a trusted proxy is believed, and only the last address that
// no trusted proxy has.
func TestClientIP(t *testing.T) {
	clientIP := httpx.ClientIP([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/64")})
	tests := []struct{ peer, forwarded, want string }{
		{"10.1.2.3:80", "198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "1.1.1.1, 198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "1.1.1.1, 198.51.100.7, 10.1.9.9", "198.51.100.7"},
		{"[fd00::1]:80", "2001:db8::7", "2001:db8::7"},
		{"10.1.2.3:80", "", "10.1.2.3"},
		{"10.1.2.3:80", "1.1.1.1, nonsense", "10.1.2.3"},
		{"10.2.2.3:80", "1.1.1.1", "10.2.2.3"},
		{"127.0.0.1:80", "1.1.1.1", "127.0.0.1"},
		{"198.51.100.7:80", "10.1.2.3", "198.51.100.7"},
	}
	for _, test := range tests {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = test.peer
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := clientIP(r); got != test.want {
			t.Errorf("%s for %q: %q, want %q", test.peer, test.forwarded, got, test.want)
		}
	}
}
