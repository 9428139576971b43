package gateway

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newWebApp starts a gateway in front of a web app as well, with further settings.
func newWebApp(t *testing.T, h http.Handler, env ...string) (p *process, directory, hardware *backend) {
	t.Helper()
	app := httptest.NewServer(h)
	t.Cleanup(app.Close)
	directory, hardware = newBackend(t, "directory"), newBackend(t, "hardware")
	p = startGateway(t, setup{
		directory: servers(directory), hardware: servers(hardware), env: append(env, "WEB_APP_URL="+app.URL),
	})
	return p, directory, hardware
}

// The app has every address but the API, the state of a deletion and the assets of pages that
// the services still make. TestRoutesReachTheirService has the routes without it.
func TestWebAppHasItsRoutes(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"index.html": "the app", "konto/integracje/index.html": "its page",
		"site.js": "its script"} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, _, _ := newWebApp(t, http.FileServer(http.Dir(folder)))
	for path, want := range map[string]string{
		"/": "the app", "/site.js": "its script",
		"/konto/integracje/?oauth_success=provider_social/social_pages": "its page",
	} {
		if got := p.get(t, path); got.status != http.StatusOK || got.body != want {
			t.Errorf("%s: %d %q, want %q", path, got.status, got.body, want)
		}
	}
	for service, paths := range map[string]string{
		"": "/konto/integracje /konto/nowe-haslo?token=mXq0 /konto/logowanie /audyt /audyt/some-company " +
			"/docs /openapi/directory.yaml /kreator /kreator/zestaw /apis /nic",
		"directory": "/api/oauth/status /api/oauth /api/auth/me /api/auth/reset/confirm /api/bizprofile/audit " +
			"/konto/usuniecie-danych/6f1c /konto/static/site.css",
		"hardware": "/api /api/benchmark/cpu /api/prices/ceneo?q=rtx /api/nothing /kreator/static/site.css",
	} {
		for path := range strings.FieldsSeq(paths) {
			if got := p.get(t, path); got.header.Get("X-Backend") != service {
				t.Errorf("%s: %d from %q, want %q", path, got.status, got.header.Get("X-Backend"), service)
			}
		}
	}
	if got := p.send(t, "POST", "/api/auth/login", "{}"); got.header.Get("X-Backend") != "directory" {
		t.Errorf("POST: %d %q", got.status, got.body)
	}
}

// The app receives the host and the address of the client, and no forwarding header from
// outside.
func TestWebAppSeesTheClient(t *testing.T) {
	t.Parallel()
	p, _, _ := newWebApp(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.Join([]string{
			r.Host, r.Header.Get("X-Forwarded-For"), r.Header.Get("X-Forwarded-Host"),
			r.Header.Get("X-Forwarded-Proto"),
			r.Header.Get("Forwarded"), r.RequestURI,
		}, " "))
	}))
	got := p.talk(t, "GET /a/b?c=d HTTP/1.1\r\nHost: app.example\r\nX-Forwarded-For: 203.0.113.7\r\nForwarded: "+
		"for=203.0.113.7\r\n\r\n")
	if want := "app.example 127.0.0.1 app.example http  /a/b?c=d"; got.body != want {
		t.Errorf("the app received %q, want %q", got.body, want)
	}
}

// A part of a response reaches the client before the rest is written, and an upgraded
// connection carries bytes both ways.
func TestWebAppStreams(t *testing.T) {
	t.Parallel()
	rest := make(chan struct{})
	p, _, _ := newWebApp(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" { // a stream of events
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: 1\n")
			w.(http.Flusher).Flush()
			<-rest
			return
		}
		conn, both, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+
			"websocket\r\n\r\n")
		line, _ := both.ReadString('\n')
		_, _ = io.WriteString(conn, "echo "+line)
	}))

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.web+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip, br")
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); line != "data: 1\n" {
		t.Errorf("the client received %q, %v", line, err)
	}
	close(rest)

	conn := p.dial(t)
	reader := bufio.NewReader(conn)
	_, _ = io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: "+
		"websocket\r\nAccept-Encoding: gzip\r\n\r\n")
	switched, err := http.ReadResponse(reader, nil)
	if err != nil || switched.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%+v, %v", switched, err)
	}
	_, _ = io.WriteString(conn, "hello\n")
	if line, err := reader.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("the client received %q, %v", line, err)
	}
}
