package gateway

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// newClient returns a client without redirects and compression, with the given source
// address if it is not nil.
func newClient(t *testing.T, from net.IP) *http.Client {
	t.Helper()
	dialer := net.Dialer{}
	if from != nil {
		dialer.LocalAddr = &net.TCPAddr{IP: from}
	}
	transport := &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is a complete response.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with the client of p.
func (p *process) send(t *testing.T, method, target, body string, header ...string) answer {
	t.Helper()
	return sendAs(t, p.client, method, p.web+target, body, header...)
}

// get sends a GET request.
func (p *process) get(t *testing.T, target string, header ...string) answer {
	t.Helper()
	return p.send(t, http.MethodGet, target, "", header...)
}

// sendAs sends a request and reads the response. header contains names and values in turn.
func sendAs(t *testing.T, client *http.Client, method, url, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read the answer: %v", method, url, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// echoed returns what the backend received.
func (a answer) echoed(t *testing.T) echo {
	t.Helper()
	var e echo
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatalf("status %d, not an echo: %q", a.status, a.body)
	}
	return e
}

// dial opens a connection for requests that net/http would not send.
func (p *process) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.web, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// talk sends bytes and reads one response. Status 0 is a closed connection.
func (p *process) talk(t *testing.T, request string) answer {
	t.Helper()
	conn := p.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		return answer{}
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("no answer to %.80q", request)
	}
	if err != nil {
		return answer{}
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body) // what there is of it
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// raw sends a request with an unmodified target and requires a response.
func (p *process) raw(t *testing.T, target string) answer {
	t.Helper()
	got := p.talk(t, "GET "+target+" HTTP/1.1\r\nHost: gateway\r\n\r\n")
	if got.status == 0 {
		t.Fatalf("%q: the connection was closed without an answer", target)
	}
	return got
}
