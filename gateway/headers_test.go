package gateway

import (
	"net/http"
	"strings"
	"testing"
)

// A client can neither set headers that the gateway writes or deletes, nor remove those that
// it writes by naming them in Connection.
func TestForwardedHeadersFromOutsideAreNotTrusted(t *testing.T) {
	p, _, _ := startWithServices(t)
	for what, headers := range map[string]string{
		"each once": "X-Forwarded-For: 203.0.113.7\r\nX-Real-Ip: 203.0.113.7\r\nX-Forwarded-Host: evil.example\r\n" +
			"X-Forwarded-Proto: https\r\nX-Forwarded-Port: 443\r\nX-Forwarded-Prefix: /evil\r\n" +
			"X-Forwarded-Uri: /evil\r\nX_Forwarded_For: 203.0.113.7\r\nForwarded: for=203.0.113.7;proto=https\r\n" +
			"X-Request-Id: from-outside\r\nTracestate: vendor=1\r\nBaggage: user=1\r\n" +
			"Traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n",
		"named in Connection": "Connection: close, X-Forwarded-For, X-Real-Ip, X-Forwarded-Proto, X-Forwarded-Host\r\n",
		"twice":               "X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-For: 203.0.113.8\r\n",
		"in odd spelling":     "x-fORWARDED-fOR: 203.0.113.7\r\nX-ReAl-iP: 203.0.113.7\r\n",
	} {
		got := p.raw(t, "/api/oauth/status", headers).echoed(t)
		for name, want := range map[string]string{
			"X-Forwarded-For": "127.0.0.1", "X-Real-Ip": "127.0.0.1", "X-Forwarded-Proto": "http",
			"X-Forwarded-Host": "gateway", "X-Forwarded-Prefix": "", "X-Forwarded-Uri": "", "X_forwarded_for": "",
			"Forwarded": "", "X-Request-Id": "", "Traceparent": "", "Tracestate": "", "Baggage": "",
		} {
			if value := strings.Join(got.Header[name], "|"); value != want {
				t.Errorf("%s: the service received %s: %q, want %q", what, name, value, want)
			}
		}
		if got.Host != "gateway" {
			t.Errorf("%s: the service received Host %q", what, got.Host)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	p, directory, hardware := startWithServices(t)
	hardware.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Frame-Options", "ALLOWALL")
		w.Header().Set("Server", "stub/1.0")
		w.Header().Set("X-Powered-By", "stub")
		w.WriteHeader(http.StatusNotFound)
	})
	directory.answerWith(cut)
	for what, got := range map[string]answer{
		"a service's answer": p.get(t, "/api/benchmark/cpu"),
		"the gateway's own":  sendAs(t, p.client, "POST", p.web+"/api/auth/login", ""),
	} {
		for name, want := range map[string]string{
			"X-Content-Type-Options":    "nosniff",
			"X-Frame-Options":           "DENY",
			"Referrer-Policy":           "strict-origin-when-cross-origin",
			"Permissions-Policy":        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
			"Strict-Transport-Security": "",
			"Server":                    "",
			"X-Powered-By":              "",
		} {
			if value := strings.Join(got.header[name], "|"); value != want {
				t.Errorf("%s: %s: %q, want %q", what, name, value, want)
			}
		}
	}
}
