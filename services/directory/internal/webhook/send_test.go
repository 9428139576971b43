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

// open returns a service that may call the servers of these tests.
func open() *Service {
	return New(Options{
		Transport: outbound.NewOpenTransport(timeout), AllowPrivate: true, UserAgent: "directory/1", DB: &clock,
	})
}

// closed has the settings of a production service.
func closed() *Service { return New(Options{Transport: outbound.NewTransport(timeout), DB: &clock}) }

func TestSignVector(t *testing.T) {
	// The test vector of the libraries of Standard Webhooks.
	const secret, other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	const id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
	sent, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	got, err := sign([]string{secret}, id, sent, body)
	if err != nil || got != want {
		t.Errorf("signature = %q, err = %v, want %q", got, err, want)
	}
	got, err = sign([]string{other, secret}, id, sent, body)
	if err != nil {
		t.Fatalf("two secrets: %v", err)
	}
	first, second, _ := strings.Cut(got, " ")
	if second != want {
		t.Errorf("second of two signatures = %q, want %q", second, want)
	}
	if !strings.HasPrefix(first, "v1,") || first == second {
		t.Errorf("first of two signatures = %q, want another one of v1", first)
	}
	_, err = sign([]string{"whsec_*"}, id, sent, body)
	if err == nil {
		t.Fatal("a secret that is not base64 is accepted")
	}
	if strings.Contains(err.Error(), "*") {
		t.Errorf("the error %q holds the secret", err)
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
		if r.Method != http.MethodPost {
			t.Errorf("method = %s, want POST", r.Method)
		}
		for name, want := range map[string]string{
			"Content-Type": "application/json", "User-Agent": "directory/1", "Webhook-Id": "msg_1",
			"Webhook-Timestamp": "1795348800",
			"Webhook-Signature": "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)),
		} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s = %q, want %q", name, got, want)
			}
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	defer server.Close()
	result, status, _ := open().send(t.Context(), Webhook{URL: server.URL, Secret: "whsec_c2VjcmV0"}, event)
	if result != Accepted || status != http.StatusNoContent {
		t.Errorf("result = %s (%d), want %s (%d)", result, status, Accepted, http.StatusNoContent)
	}
}

// failing is a transport whose requests fail with an error.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestSendSaysWhyThereIsNoResponse(t *testing.T) {
	own := httptest.NewTLSServer(nil)
	defer own.Close()
	gone := httptest.NewServer(nil) // after own, which may get a port that was closed
	gone.Close()
	own.Config.ErrorLog = log.New(io.Discard, "", 0)
	for want, address := range map[Result]string{NoConnection: gone.URL, TLSFailed: own.URL} {
		result, status, _ := open().send(t.Context(), Webhook{URL: address, Secret: "whsec_c2VjcmV0"}, empty)
		if result != want || status != 0 {
			t.Errorf("result = %s (%d), want %s (0)", result, status, want)
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
		result, _, _ := s.send(t.Context(), Webhook{URL: hookURL, Secret: "whsec_c2VjcmV0"}, empty)
		if result != want {
			t.Errorf("%v: result = %s, want %s", err, result, want)
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
			result, code, _ := open().send(ctx, Webhook{URL: server.URL, Secret: "whsec_"}, empty)
			if result != test.result || code != test.status {
				t.Errorf("result = %s (%d), want %s (%d)", result, code, test.result, test.status)
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
		for _, address := range []string{
			inside.URL, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1),
			strings.Replace(inside.URL, "https", "http", 1),
		} {
			result, status, _ := service.send(t.Context(), Webhook{URL: address, Secret: "whsec_"}, empty)
			if result != Forbidden || status != 0 {
				t.Errorf("%s: result = %s (%d), want %s (0)", address, result, status, Forbidden)
			}
		}
	}
	if reached {
		t.Error("a private address was called")
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
			t.Errorf("%.40q, private addresses allowed: accepted = %t, want %t", address, got, want.open)
		}
		if got := closed().check(address) == nil; got != want.closed {
			t.Errorf("%.40q in production: accepted = %t, want %t", address, got, want.closed)
		}
	}
}
