package mail

import (
	"crypto/x509"
	"io"
	"mime"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// TestMessage is what the recipient's program reads.
func TestMessage(t *testing.T) {
	const text = "Dzień dobry!\r\n\r\n.\r\nhttps://firmy.example/konto/nowe-haslo?token=a=b_c-"
	s := serve(t, false, true)
	before := time.Now().Truncate(time.Second)
	if permanent, err := s.sender(t, withPassword).
		Send(t.Context(), recipient, "Zażółć", text+strings.Repeat("x", 80)); err != nil || permanent {
		t.Fatalf("%t, %v", permanent, err)
	}
	parsed, err := mail.ReadMessage(strings.NewReader((<-s.messages).data))
	if err != nil {
		t.Fatal(err)
	}
	header := parsed.Header
	for name, want := range map[string]string{
		"From": `"Katalog firm" <no-reply@firmy.example>`, "To": "<" + recipient + ">", "Mime-Version": "1.0",
		"Auto-Submitted": "auto-generated",
		"Content-Type":   "text/plain; charset=UTF-8", "Content-Transfer-Encoding": "quoted-printable", "Cc": "",
		"Bcc": "", "User-Agent": "", "X-Mailer": "",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if subject, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject")); err != nil || subject != "Zażółć" {
		t.Errorf("subject %q, %v", subject, err)
	}
	if date, err := header.Date(); err != nil || date.Before(before) || date.After(time.Now()) {
		t.Errorf("date %s, %v", date, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil || strings.TrimRight(string(body), "\r\n") != text+strings.Repeat("x", 80) {
		t.Errorf("text %q, %v", body, err)
	}
}

// TestPortsAndTimes of addresses of servers.
func TestPortsAndTimes(t *testing.T) {
	for port, good := range map[string]bool{"1": true, "65535": true, "0": false, "65536": false, "-1": false,
		"": true} {
		s, err := Parse("smtp://mail.example:" + port + "?from=x@y.example")
		if (err == nil) != good {
			t.Errorf("port %q: %v", port, err)
		}
		if good && port == "" && s.port != 587 {
			t.Errorf("port %d", s.port)
		}
	}
	s, err := Parse("smtp://mail.example?from=Katalog+firm+<x@y.example>&tls=on")
	if err != nil || s.from.Name != "Katalog firm" || s.plain || s.timeout != 10*time.Second || s.roots != nil {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestOtherSchemesAreRefused(t *testing.T) {
	for _, scheme := range []string{"http", "imaps", ""} {
		if s, err := Parse(scheme + "://a:b@mail.example?from=x@y.example"); err == nil {
			t.Errorf("%q: %+v", scheme, s)
		}
	}
}

// TestRefusalsForGood are those from 500 on.
func TestRefusalsForGood(t *testing.T) {
	for code, want := range map[int]bool{421: false, 499: false, 500: true, 550: true} {
		s := serve(t, false, true)
		s.refuse = &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: "no"}
		if permanent, err := s.sender(t, withPassword).Send(t.Context(), recipient, "x", "x"); err == nil ||
			permanent != want {
			t.Errorf("%d: permanent is %t, %v", code, permanent, err)
		}
	}
}

// TestOffIsWithoutTLS also if the server offers it, because its certificate may be any.
func TestOffIsWithoutTLS(t *testing.T) {
	s := serve(t, false, true)
	sender := s.sender(t, "smtp://SERVER?from=no-reply@firmy.example&tls=off")
	sender.roots = x509.NewCertPool()
	if _, err := sender.Send(t.Context(), recipient, "x", "x"); err != nil {
		t.Error(err)
	}
}

// TestHalfOfACredential is refused: neither a user nor a password is sent alone.
func TestHalfOfACredential(t *testing.T) {
	for _, address := range []string{"smtp://user@mail.example?from=x@y.example",
		"smtp://:word@mail.example?from=x@y.example", "smtp://user:@mail.example?from=x@y.example"} {
		if s, err := Parse(address); err == nil {
			t.Errorf("%s: %+v", address, s)
		}
	}
}

// TestCertificateOfAnotherHost: the name in the address decides.
func TestCertificateOfAnotherHost(t *testing.T) {
	s := serve(t, true, false)
	sender := s.sender(t, strings.Replace(withPassword, "smtp:", "smtps:", 1))
	sender.host = "localhost" // the certificate is of 127.0.0.1
	if permanent, err := sender.Send(t.Context(), recipient, "x", "x"); err == nil || permanent {
		t.Errorf("the certificate of another host: %t, %v", permanent, err)
	}
}
