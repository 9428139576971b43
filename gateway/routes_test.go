package gateway

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestRoutesReachTheirService has a line for each method and some of its paths. Unknown paths reach the
// hardware service, which returns 404.
func TestRoutesReachTheirService(t *testing.T) {
	p, _, _ := startWithServices(t)
	for service, routes := range map[string]string{
		"directory": `
			POST /api/oauth/connect/provider_search/search_profile /api/bizprofile/audit /api/auth/login
			POST /api/admin/users/7/delete /konto/logowanie /audyt/some-company
			GET /api/oauth/callback/provider_social /api/company/users /konto/uzytkownicy/7 /api/oauth /api/auth
			GET / /konto /konto/static/site.0a1b2c.css /audyt /docs /docs/hardware /openapi/hardware.yaml
			GET /favicon.ico /sitemap.xml /.well-known/security.txt /api/admin /api/bizprofile /api/oauth/nothing
			HEAD /api/oauth/status /
			DELETE /api/oauth/status
			OPTIONS /api/oauth/status
		`,
		"hardware": `
			GET /api/benchmark/cpu /api/prices/ceneo /kreator /kreator/ranking/gpu?szukaj=rtx&ile=50
			GET /kreatorium /api/benchmark /index.html /kontobankowe /audyty /docsify /api/oauthority
			GET /ping /metrics /dashboard/ /api/rawdata /debug/pprof/
			HEAD /api/benchmark/cpu /kreator
			POST /api/prices/ceneo/quotes /kreator/z /nothing/here
			OPTIONS /api/prices/ceneo/quotes
		`,
	} {
		for line := range strings.Lines(strings.TrimSpace(routes)) {
			method, paths, _ := strings.Cut(strings.TrimSpace(line), " ")
			for path := range strings.FieldsSeq(paths) {
				got := sendAs(t, p.client, method, p.web+path, "")
				if by := got.header.Get("X-Backend"); by != service {
					t.Errorf("%s %s: %d from %q, want %q", method, path, got.status, by, service)
				}
				if method == http.MethodHead {
					continue
				}
				if e := got.echoed(t); e.Method != method || e.URI != path {
					t.Errorf("%s %s: the service received %s %s", method, path, e.Method, e.URI)
				}
			}
		}
	}
}

// The path is cleaned before it is routed. Of the query only semicolons are
// changed: they are escaped, so that they stay inside their value.
func TestPathsAndQueriesArrive(t *testing.T) {
	p, _, _ := startWithServices(t)
	wants := map[string]string{
		"/api/prices/../oauth/status":        "directory /api/oauth/status",
		"/api/oauth/%2e%2e/benchmark/cpu":    "hardware /api/benchmark/cpu",
		"//api//oauth///status":              "directory /api/oauth/status",
		"/api/bizprofile/audit/%C5%82%C3%B3": "directory /api/bizprofile/audit/%C5%82%C3%B3",
		"/api/prices/ceneo?q=i5;14600K&a=b":  "hardware /api/prices/ceneo?q=i5%3B14600K&a=b",
	}
	for _, query := range []string{
		"q=RTX%204070%20SUPER&category=gpu", "q=szukaj%20%C5%82", "q=szukaj%20ł", "q=Ryzen+7+7800X3D",
		"q=a%2Bb%26c%3Dd", "q=%2Fetc%2F..%2Fpasswd", "q=100%25&q=second", "q=%3B&limit=5", "q=a?b/c:d@e",
		"code=4%2F0Ab_x-y&state=1%3A2%3Asearch_profile%3AabC_-", "q=",
	} {
		wants["/api/prices/ceneo?"+query] = "hardware /api/prices/ceneo?" + query
	}
	for target, want := range wants {
		if got := p.raw(t, target, "").echoed(t); got.Backend+" "+got.URI != want {
			t.Errorf("%s: %s received %s, want %s", target, got.Backend, got.URI, want)
		}
	}
}

// With a web app, it has every address but the API, the state of a deletion and
// the assets of pages that the services still make.
func TestWebAppHasItsRoutes(t *testing.T) {
	app := newBackend(t, "app")
	p, _, _ := startWithServices(t, "WEB_APP_URL="+app.public.URL)
	for service, paths := range map[string]string{
		"app": "/ /site.js /konto/integracje/?oauth_success=provider_social/social_pages " +
			"/konto/nowe-haslo?token=mXq0 " +
			"/konto/logowanie /audyt /audyt/some-company /docs /openapi/directory.yaml /kreator /kreator/zestaw /apis",
		"directory": "/api/oauth/status /api/oauth /api/auth/me /api/auth/reset/confirm /api/bizprofile/audit " +
			"/konto/usuniecie-danych/6f1c /konto/static/site.css",
		"hardware": "/api /api/benchmark/cpu /api/prices/ceneo?q=rtx /api/nothing /kreator/static/site.css",
	} {
		for path := range strings.FieldsSeq(paths) {
			if got := p.get(t, path).echoed(t); got.Backend != service || got.URI != path {
				t.Errorf("%s: %q received %s, want %q to receive it", path, got.Backend, got.URI, service)
			}
		}
	}
}

// A client can neither set headers that the gateway writes
// or deletes, nor remove those that it writes by naming them in Connection.
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

// With a certificate of the operator the public address has TLS, and the plain one
// redirects to it.
func TestOwnCertificate(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	certificate := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tls")
	for file, block := range map[string]*pem.Block{
		path + ".crt": {Type: "CERTIFICATE", Bytes: certificate.Certificate[0]},
		path + ".key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	plain := freeAddr(t)
	p, _, _ := startWithServices(t, "GATEWAY_TLS=certificate", "GATEWAY_CERTIFICATE="+path, "GATEWAY_PLAIN_ADDR="+plain)
	got := p.get(t, "/api/oauth/status")
	if proto := got.echoed(t).Header.Get("X-Forwarded-Proto"); proto != "https" {
		t.Errorf("with TLS: X-Forwarded-Proto is %q, want https", proto)
	}
	if got.header.Get("Strict-Transport-Security") == "" {
		t.Error("with TLS: no Strict-Transport-Security")
	}
	const want = "https://127.0.0.1/konto"
	got = sendAs(t, p.client, "GET", "http://"+plain+"/konto", "")
	if location := got.header.Get("Location"); got.status != http.StatusMovedPermanently || location != want {
		t.Errorf("without TLS: got %d to %q, want 301 to %q", got.status, location, want)
	}
}

func (p *gateway) logged(t *testing.T) (lines []map[string]any) {
	t.Helper()
	for text := range strings.Lines(p.log()) {
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			continue // not written completely
		}
		if path := line["RequestPath"]; path != nil && path != "/api/loaded" {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestAccessLogContainsNoSecrets(t *testing.T) {
	p, directory, _ := startWithServices(t)
	directory.answerWith(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "made-inside")
		w.Header().Set("Set-Cookie", "session=secret-set-cookie")
		w.Header().Set("Location", "/konto/integracje?oauth_error=secret-location")
		w.WriteHeader(http.StatusInternalServerError)
	})
	got := p.get(t, "/api/oauth/status?code=secret-code&state=secret-state", "Cookie", "session=secret-cookie",
		"Authorization", "Bearer secret-token", "Referer", "https://app.example/?secret-referer",
		"X-Request-Id", "secret-from-outside", "User-Agent", "routing-test/1")
	if v := got.header.Get("X-Request-Id"); v != "made-inside" {
		t.Errorf("the client received X-Request-Id: %q", v)
	}
	eventually(t, "the request is logged", func() bool { return len(p.logged(t)) == 1 })
	line := p.logged(t)[0]
	for field, want := range map[string]any{
		"RequestMethod": "GET", "RequestPath": "/api/oauth/status", "DownstreamStatus": float64(500),
		"ClientHost": "127.0.0.1", "ServiceAddr": directory.public.Listener.Addr().String(),
		"downstream_X-Request-Id": "made-inside", "request_User-Agent": "routing-test/1",
	} {
		if line[field] != want {
			t.Errorf("%s is logged as %v, want %v", field, line[field], want)
		}
	}
	// Odd spellings that would put a code into the logged path are refused.
	const code = "code=secret-code"
	for _, path := range []string{
		"/api/oauth/callback/provider_search%3F" + code, "/api/oauth/callback/provider_search;" + code,
		"/api/oauth/callback/provider_search&" + code, "/api/oauth/callback%3F" + code, "/api/oauth%3f" + code,
		"/api/oauth/callback/provider_search4secret", "/konto/nowe-haslo%23" + code, "/kreator%253F" + code,
		`/konto/\` + code, "/api/prices/x%5C" + code, "/api/prices/%00" + code, "/api/oauth/%0A%3F" + code,
		"http://secret@gateway/api/oauth/status",
	} {
		if got := p.raw(t, path, ""); got.status < 400 {
			t.Errorf("%s: got status %d, want a refusal", path, got.status)
		}
	}
	p.get(t, "/api/oauth/last")
	eventually(t, "the last is logged", func() bool { return strings.Contains(p.log(), "/api/oauth/last") })
	if log := p.log(); strings.Contains(log, "secret") {
		t.Errorf("a secret in the log:\n%s", log)
	}
}

// The services log all other requests, and nobody logs
// refusals by a limit.
func TestAccessLogContainsErrorsAndSlowResponses(t *testing.T) {
	p, _, hardware := startWithServices(t, "GATEWAY_CLIENT_RATE=2")
	hardware.answerWith(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/prices/failed":
			w.WriteHeader(http.StatusNotFound)
		case "/api/prices/slow":
			time.Sleep(time.Second) // shorter responses are not logged
		}
	})
	sendAs(t, p.client, "POST", p.web+"/api/auth/login", strings.Repeat("a", 64<<10+1))
	for range 20 {
		p.get(t, "/api/auth/me")
	}
	for _, path := range []string{"/api/prices/quick", "/api/prices/failed", "/api/prices/slow"} {
		p.get(t, path)
	}
	var paths []any
	eventually(t, "the slow answer is logged", func() bool {
		paths = nil
		for _, line := range p.logged(t) {
			paths = append(paths, line["RequestPath"])
		}
		return slices.Contains(paths, any("/api/prices/slow"))
	})
	if want := []any{"/api/prices/failed", "/api/prices/slow"}; !slices.Equal(paths, want) {
		t.Errorf("logged %q, want %q", paths, want)
	}
}
