package gateway

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
)

// newWebApp starts a gateway in front of a web app as well.
func newWebApp(t *testing.T) (p *gateway, app *backend) {
	t.Helper()
	app = newBackend(t, "app")
	p, _, _ = startWithServices(t, "WEB_APP_URL="+app.public.URL)
	return p, app
}

// The app has every address but the API, the state of a deletion and the assets of pages that
// the services still make. TestRoutesReachTheirService has the routes without it.
func TestWebAppHasItsRoutes(t *testing.T) {
	p, _ := newWebApp(t)
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
				t.Errorf("%s: %q received %s, want %q", path, got.Backend, got.URI, service)
			}
		}
	}
}

// The app receives the host and the address of the client, and no forwarding header from
// outside.
func TestWebAppSeesTheClient(t *testing.T) {
	p, _ := newWebApp(t)
	got := p.talk(t, "GET /a/b?c=d HTTP/1.1\r\nHost: app.example\r\nX-Forwarded-For: 203.0.113.7\r\nForwarded: "+
		"for=203.0.113.7\r\n\r\n").echoed(t)
	for name, want := range map[string]string{
		"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": "app.example", "X-Forwarded-Proto": "http", "Forwarded": "",
	} {
		if value := got.Header.Get(name); value != want {
			t.Errorf("the app received %s: %q, want %q", name, value, want)
		}
	}
	if got.Host != "app.example" || got.URI != "/a/b?c=d" {
		t.Errorf("the app received %s%s", got.Host, got.URI)
	}
}

// A part of a response reaches the client before the rest is written, and an upgraded
// connection carries bytes both ways.
func TestWebAppStreams(t *testing.T) {
	p, app := newWebApp(t)
	rest := make(chan struct{})
	app.answerWith(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/events" {
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
		_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
		line, _ := both.ReadString('\n')
		_, _ = io.WriteString(conn, "echo "+line)
	})
	resp, err := p.client.Get(p.web + "/events")
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
	_, _ = io.WriteString(conn, "GET /ws HTTP/1.1\r\nHost: app\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	switched, err := http.ReadResponse(reader, nil)
	if err != nil || switched.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%+v, %v", switched, err)
	}
	_, _ = io.WriteString(conn, "hello\n")
	if line, err := reader.ReadString('\n'); line != "echo hello\n" {
		t.Errorf("the client received %q, %v", line, err)
	}
}
