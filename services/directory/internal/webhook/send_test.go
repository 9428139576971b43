package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/outbound"
)

const timeout = 5 * time.Second

// clock is a database of which only the time is used.
var clock = database.DB{Now: func() time.Time { return start }}

// open may call the servers of these tests.
func open() *Service {
	return New(Options{
		Transport: outbound.NewOpenTransport(timeout), AllowPrivate: true, UserAgent: "directory/1", DB: &clock,
	})
}

// closed has the settings of a production service.
func closed() *Service { return New(Options{Transport: outbound.NewTransport(timeout), DB: &clock}) }

func TestSignVector(t *testing.T) {
	const secret, other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	sent := time.Unix(1614265330, 0)
	got, err := sign([]string{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", sent, []byte(`{"test": 2432232314}`))
	if err != nil || got != want {
		t.Errorf("signature %q, %v, want %q", got, err, want)
	}
	got, err = sign([]string{other, secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", sent, []byte(`{"test": 2432232314}`))
	first, second, _ := strings.Cut(got, " ")
	if err != nil || second != want {
		t.Fatalf("two signatures: %q, %v", got, err)
	}
	if !strings.HasPrefix(first, "v1,") || first == second {
		t.Errorf("two signatures: %q, %v", got, err)
	}
	if _, err := sign([]string{"whsec_*"}, "msg", sent, nil); err == nil || strings.Contains(err.Error(), "*") {
		t.Errorf("a secret that is none: %v", err)
	}
}

func TestSend(t *testing.T) {
	const want = `{"type":"connection.broken","timestamp":"2026-11-22T12:00:00Z","data":{"company_id":7,` +
		`"reason":"Cofnięto dostęp."}}`
	event := Delivery{
		EventID: "msg_1", Type: "connection.broken", At: start.In(time.FixedZone("CET", 3600)),
		Data: `{"company_id":7,"reason":"Cofnięto dostęp."}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		if string(content) != want {
			t.Errorf("body %s, want %s", content, want)
		}
		mac := hmac.New(sha256.New, []byte("secret"))
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), content)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "directory/1", "Webhook-Id": "msg_1",
			"Webhook-Timestamp": "1795348800",
			"Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
		} {
			if r.Header.Get(name) != value || r.Method != http.MethodPost {
				t.Errorf("%s %s: %q, want %q", r.Method, name, r.Header.Get(name), value)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	result, status, _ := open().send(t.Context(), Webhook{URL: server.URL, Secret: "whsec_c2VjcmV0"}, event)
	if result != Accepted || status != http.StatusNoContent {
		t.Errorf("%s (%d)", result, status)
	}
}

type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestSendSaysWhyThereIsNoResponse(t *testing.T) {
	own := httptest.NewTLSServer(nil)
	defer own.Close()
	gone := httptest.NewServer(nil) // after own, which may get a port that was closed
	gone.Close()
	own.Config.ErrorLog = log.New(io.Discard, "", 0)
	for want, address := range map[Result]string{NoConnection: gone.URL, TLSFailed: own.URL} {
		if result, status, _ := open().send(t.Context(), Webhook{URL: address, Secret: "whsec_c2VjcmV0"},
			empty); result != want || status != 0 {
			t.Errorf("%s (%d), want %s", result, status, want)
		}
	}
	for want, err := range map[Result]error{
		Unresolved: &net.DNSError{Name: "hook.example", IsNotFound: true}, TimedOut: context.DeadlineExceeded,
		Unreachable: io.ErrUnexpectedEOF,
		Forbidden:   outbound.ErrPrivateAddress, TLSFailed: tls.RecordHeaderError{
			Msg: "first record does not look like a TLS handshake",
		},
	} {
		s := New(Options{Transport: failing{err}, DB: &clock})
		if result, _, _ := s.send(t.Context(), Webhook{URL: "https://hook.example/", Secret: "whsec_c2VjcmV0"},
			empty); result != want {
			t.Errorf("%v: %s, want %s", err, result, want)
		}
	}
}

// empty is a delivery without data.
var empty = Delivery{Data: "{}"}

func TestResults(t *testing.T) {
	reached, sent := false, 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, test := range map[string]struct {
		receiver http.HandlerFunc
		result   Result
		status   int
	}{
		"200":         {status(200), Accepted, 200},
		"299":         {status(299), Accepted, 299},
		"300":         {status(300), Refused, 300},
		"410":         {status(410), ReceiverGone, 410},
		"404":         {status(404), Refused, 404},
		"500":         {status(500), Refused, 500},
		"a redirect":  {http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect).ServeHTTP, Refused, 307},
		"no response": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, Unreachable, 0},
		"without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				n, _ := w.Write(make([]byte, 1<<10))
				sent += n
			}
		}, Accepted, 200},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.receiver)
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			if result, code, _ := open().send(ctx, Webhook{URL: server.URL, Secret: "whsec_"},
				empty); result != test.result || code != test.status {
				t.Errorf("%s (%d)", result, code)
			}
		})
	}
	if reached {
		t.Error("a redirect was followed")
	}
	if sent > 32<<20 { // what fits into the buffers of the connection
		t.Errorf("%d bytes of a response were read", sent)
	}
}

func TestPrivateAddresses(t *testing.T) {
	reached := false
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	byCheck := New(Options{Transport: outbound.NewOpenTransport(timeout), DB: &clock})
	byTransport := New(Options{Transport: outbound.NewTransport(timeout), AllowPrivate: true, DB: &clock})
	for _, service := range []*Service{closed(), byCheck, byTransport} {
		for _, address := range []string{inside.URL, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1),
			strings.Replace(inside.URL, "https", "http", 1)} {
			if result, status, _ := service.send(t.Context(), Webhook{URL: address, Secret: "whsec_"},
				empty); result != Forbidden || status != 0 || reached {
				t.Errorf("%s: %s (%d), reached %t", address, result, status, reached)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	for address, want := range map[string]struct{ open, closed bool }{
		"https://hook.firma.pl/a?b=c":  {true, true},
		"https://hook.firma.pl:8443/":  {true, true},
		"http://hook.firma.pl/":        {true, false},
		"https://10.0.0.1/":            {true, false},
		"https://[::1]/":               {true, false},
		"https://sandbox/":             {true, false},
		"https://169.254.169.254/":     {true, false},
		"https://anna:haslo@firma.pl/": {false, false},
		"https://hook.firma.pl/#a":     {false, false},
		"ftp://hook.firma.pl/":         {false, false},
		"https:hook.firma.pl":          {false, false},
		"https://":                     {false, false},
		"/hook":                        {false, false},
		"":                             {false, false},
		"https://a.pl/\x00":            {false, false},
		"https://a.pl/" + strings.Repeat("a", urlLimit-len("https://a.pl/")):   {true, true},
		"https://a.pl/" + strings.Repeat("a", urlLimit-len("https://a.pl/")+1): {false, false},
	} {
		if got := open().check(address) == nil; got != want.open {
			t.Errorf("%.40q with inner addresses: %t", address, got)
		}
		if got := closed().check(address) == nil; got != want.closed {
			t.Errorf("%.40q: %t", address, got)
		}
	}
}
