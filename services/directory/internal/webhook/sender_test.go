package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/outbound"
)

const timeout = 5 * time.Second

var at = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)

// open is a Sender that may call the servers of these tests.
func open() *Sender {
	return New(Options{
		Transport: outbound.NewOpenTransport(timeout), AllowPrivate: true, UserAgent: "directory/1", Now: func() time.Time { return at },
	})
}

// closed is a Sender as it is without settings.
func closed() *Sender {
	return New(Options{Transport: outbound.NewTransport(timeout), Now: time.Now})
}

// TestSignVector has the figures that the libraries of Standard Webhooks test
// themselves with.
func TestSignVector(t *testing.T) {
	const secret, other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	const want = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	sent := time.Unix(1614265330, 0)
	got, err := sign([]string{secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", sent, []byte(`{"test": 2432232314}`))
	if err != nil || got != want {
		t.Errorf("signature %q, %v, want %q", got, err, want)
	}
	got, err = sign([]string{other, secret}, "msg_p5jXN8AQM9LWM0D4loKWxJek", sent, []byte(`{"test": 2432232314}`))
	if first, second, _ := strings.Cut(got, " "); err != nil || second != want || !strings.HasPrefix(first, "v1,") || first == second {
		t.Errorf("two signatures: %q, %v", got, err)
	}
	if _, err := sign([]string{"whsec_*"}, "msg", sent, nil); err == nil || strings.Contains(err.Error(), "*") {
		t.Errorf("a secret that is none: %v", err)
	}
}

func TestSend(t *testing.T) {
	const secret = "whsec_c2VjcmV0"
	pair := directory.Pair{Provider: directory.ProviderSocial, Service: directory.SocialPages}
	for name, test := range map[string]struct {
		event directory.Event
		want  string
	}{
		"broken": {
			directory.Event{ID: "msg_1", Type: directory.EventBroken, At: at, CompanyID: 7, Pair: pair, Reason: "Cofnięto dostęp."},
			`{"type":"connection.broken","timestamp":"2026-11-22T12:00:00Z","data":{"company_id":7,"provider":"provider_social","service":"social_pages","reason":"Cofnięto dostęp."}}`,
		},
		"recovered": {
			directory.Event{ID: "msg_2", Type: directory.EventRecovered, At: at, CompanyID: 7, Pair: pair},
			`{"type":"connection.recovered","timestamp":"2026-11-22T12:00:00Z","data":{"company_id":7,"provider":"provider_social","service":"social_pages","reason":null}}`,
		},
		"audit": {
			directory.Event{ID: "msg_3", Type: directory.EventAudit, At: at, CompanyID: 7, Audit: &directory.AuditSummary{
				ID: 3, Score: 62.5, Category: "needs_work", Coverage: 68, Source: "places", Version: "1.0",
			}},
			`{"type":"audit.completed","timestamp":"2026-11-22T12:00:00Z","data":{"company_id":7,"audit_id":3,"completeness_score":62.5,"score_category":"needs_work","coverage":68,"audit_source":"places","audit_version":"1.0"}}`,
		},
		"test": {
			directory.Event{ID: "msg_4", Type: directory.EventTest, At: at},
			`{"type":"webhook.test","timestamp":"2026-11-22T12:00:00Z","data":{"company_id":null}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				content, _ := io.ReadAll(r.Body)
				if string(content) != test.want {
					t.Errorf("body %s, want %s", content, test.want)
				}
				if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("User-Agent") != "directory/1" {
					t.Errorf("%s %v", r.Method, r.Header)
				}
				mac := hmac.New(sha256.New, []byte("secret"))
				fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Timestamp"), content)
				signed := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
				if r.Header.Get("Webhook-Signature") != signed || r.Header.Get("Webhook-Id") != test.event.ID || r.Header.Get("Webhook-Timestamp") != "1795348800" {
					t.Errorf("headers %v", r.Header)
				}
				w.WriteHeader(http.StatusNoContent)
			}))
			defer server.Close()
			answer := open().Send(t.Context(), directory.Message{URL: server.URL, Secrets: []string{secret}, Event: test.event})
			if answer != (directory.Answer{Result: directory.ResultDelivered, Status: http.StatusNoContent}) {
				t.Errorf("answer %+v", answer)
			}
		})
	}
}

// TestSendMeets holds each way in which a receiver answers, or does not.
func TestSendMeets(t *testing.T) {
	reached, sent := false, 0
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	for name, test := range map[string]struct {
		receiver http.HandlerFunc
		want     directory.Answer
	}{
		"200":        {status(200), directory.Answer{Result: directory.ResultDelivered, Status: 200}},
		"410":        {status(410), directory.Answer{Result: directory.ResultGone, Status: 410}},
		"404":        {status(404), directory.Answer{Result: directory.ResultRefused, Status: 404}},
		"500":        {status(500), directory.Answer{Result: directory.ResultRefused, Status: 500}},
		"a redirect": {http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect).ServeHTTP, directory.Answer{Result: directory.ResultRefused, Status: 307}},
		"no answer":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, directory.Answer{Result: directory.ResultUnreachable}},
		"without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				n, _ := w.Write(make([]byte, 1<<10))
				sent += n
			}
		}, directory.Answer{Result: directory.ResultDelivered, Status: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(test.receiver)
			defer server.Close()
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			if got := open().Send(ctx, directory.Message{URL: server.URL, Secrets: []string{"whsec_"}}); got != test.want {
				t.Errorf("answer %+v, want %+v", got, test.want)
			}
		})
	}
	if reached {
		t.Error("a redirect was followed")
	}
	if sent > 32<<20 { // what fits into the buffers of the connection
		t.Errorf("%d bytes of an answer were read", sent)
	}
}

// TestSendRefusesInnerAddresses: an address that was allowed when it was added, and a
// name that leads inside, are not called.
func TestSendRefusesInnerAddresses(t *testing.T) {
	reached := false
	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer inside.Close()
	forbidden := directory.Answer{Result: directory.ResultForbidden}
	for _, address := range []string{inside.URL, strings.Replace(inside.URL, "127.0.0.1", "localhost", 1), strings.Replace(inside.URL, "https", "http", 1)} {
		if got := closed().Send(t.Context(), directory.Message{URL: address, Secrets: []string{"whsec_"}}); got != forbidden {
			t.Errorf("%s: %+v", address, got)
		}
	}
	byCheck := New(Options{Transport: outbound.NewOpenTransport(timeout), Now: time.Now}) // what was allowed once
	if got := byCheck.Send(t.Context(), directory.Message{URL: inside.URL, Secrets: []string{"whsec_"}}); got != forbidden {
		t.Errorf("by the check: %+v", got)
	}
	byDial := New(Options{Transport: outbound.NewTransport(timeout), AllowPrivate: true, Now: time.Now}) // the guard alone
	if got := byDial.Send(t.Context(), directory.Message{URL: inside.URL, Secrets: []string{"whsec_"}}); got != forbidden || reached {
		t.Errorf("by the guard: %+v, reached %t", got, reached)
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
		"https://a.pl/" + strings.Repeat("a", urlLimit): {false, false},
	} {
		if got := open().Check(address) == nil; got != want.open {
			t.Errorf("%.40q with inner addresses: %t", address, got)
		}
		if got := closed().Check(address) == nil; got != want.closed {
			t.Errorf("%.40q: %t", address, got)
		}
	}
}
