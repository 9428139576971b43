package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// server is an SMTP server on loopback that keeps what it accepts.
type server struct {
	address  string
	roots    *x509.CertPool
	messages chan message
	refuse   *smtp.SMTPError // of each recipient
	hangs    chan struct{}   // not nil: MAIL waits for it
}

type message struct{ user, from, to, data string }

// session implements smtp.AuthSession.
type session struct {
	*server
	message
}

func (s *server) NewSession(*smtp.Conn) (smtp.Session, error) { return &session{server: s}, nil }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "katalog@firmy.example" || password != "p@ss word" {
			return smtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.hangs != nil {
		<-s.hangs
	}
	s.from = from
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.to = to
	if s.refuse != nil {
		return s.refuse
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	data, err := io.ReadAll(r)
	s.data = string(data)
	s.messages <- s.message
	return err
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

// serve starts a server: with TLS from the beginning, with STARTTLS, or with neither.
func serve(t *testing.T, ssl, startTLS bool) *server {
	t.Helper()
	s := &server{messages: make(chan message, 1), roots: x509.NewCertPool()}
	site := httptest.NewTLSServer(nil) // for its certificate of 127.0.0.1
	site.Close()
	s.roots.AddCert(site.Certificate())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	config := &tls.Config{Certificates: site.TLS.Certificates}
	running := smtp.NewServer(s)
	if startTLS {
		running.TLSConfig = config
	}
	if ssl {
		listener = tls.NewListener(listener, config)
	}
	done := make(chan error, 1)
	go func() { done <- running.Serve(listener) }()
	t.Cleanup(func() {
		_ = running.Close()
		_ = listener.Close() // if it was not served yet
		<-done
	})
	return s
}

// sender returns a Server that trusts s.
func (s *server) sender(t *testing.T, address string) *Server {
	t.Helper()
	sender, err := Parse(strings.Replace(address, "SERVER", s.address, 1))
	if err != nil {
		t.Fatal(err)
	}
	sender.roots = s.roots
	return sender
}

const (
	withPassword = "smtp://katalog%40firmy.example:p%40ss%20word@SERVER?from=Katalog+firm+<no-reply@firmy.example>"
	recipient    = "anna@piekarnia.example"
)

func TestSend(t *testing.T) {
	for name, test := range map[string]struct {
		ssl, startTLS bool
		address       string
		user          string
	}{
		"STARTTLS":         {false, true, withPassword, "katalog@firmy.example"},
		"TLS":              {true, false, strings.Replace(withPassword, "smtp:", "smtps:", 1), "katalog@firmy.example"},
		"without password": {false, true, "smtp://SERVER?from=no-reply@firmy.example", ""},
		"without TLS":      {false, false, "smtp://SERVER?from=no-reply@firmy.example&tls=off", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, test.ssl, test.startTLS)
			const text = "Zażółć\n.\nhttps://firmy.example/?token=a=b"
			permanent, err := s.sender(t, test.address).Send(t.Context(), recipient, "Nowe hasło", text)
			if err != nil {
				t.Fatal(err)
			}
			if permanent {
				t.Error("an e-mail that was accepted is reported as refused for good")
			}
			got := <-s.messages
			got.data = ""
			if want := (message{test.user, "no-reply@firmy.example", recipient, ""}); got != want {
				t.Errorf("sent %+v, want %+v", got, want)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	// with a line that SMTP would take for the end, characters that are encoded, and a long line
	text := "Dzień dobry!\r\n\r\n.\r\nhttps://firmy.example/konto/nowe-haslo?token=a=b_c-" + strings.Repeat("x", 80)
	s := serve(t, false, true)
	before := time.Now().Truncate(time.Second)
	if _, err := s.sender(t, withPassword).Send(t.Context(), recipient, "Zażółć", text); err != nil {
		t.Fatal(err)
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
		t.Errorf("subject = %q, err = %v, want Zażółć", subject, err)
	}
	if date, err := header.Date(); err != nil || date.Before(before) || date.After(time.Now()) {
		t.Errorf("date = %s, err = %v, want now", date, err)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(parsed.Body))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.TrimRight(string(body), "\r\n"); got != text {
		t.Errorf("text = %q, want %q", got, text)
	}
}

func TestNotSent(t *testing.T) {
	refusal := func(code int) *smtp.SMTPError {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: "no " +
			recipient}
	}
	for name, test := range map[string]struct {
		startTLS  bool
		address   string
		trusted   bool
		refuse    *smtp.SMTPError
		permanent bool
		want      string
	}{
		"refused for good": {true, withPassword, true, refusal(550), true, "refused with 550 5.1.1"},
		"refused for now":  {true, withPassword, true, refusal(450), false, "refused with 450 4.1.1"},
		"wrong password": {true, strings.Replace(withPassword, "word", "w0rd", 1), true, nil, false,
			"authentication failed"},
		"no STARTTLS":         {false, withPassword, true, nil, false, "STARTTLS"},
		"unknown certificate": {true, withPassword, false, nil, false, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, false, test.startTLS)
			s.refuse = test.refuse
			sender := s.sender(t, test.address)
			if !test.trusted {
				sender.roots = x509.NewCertPool()
			}
			permanent, err := sender.Send(t.Context(), recipient, "x", "x")
			if err == nil {
				t.Fatal("there is no error")
			}
			if permanent != test.permanent {
				t.Errorf("refused for good = %t, want %t: %v", permanent, test.permanent, err)
			}
			if !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(test.want)) {
				t.Errorf("err = %v, want %q in it", err, test.want)
			}
			for _, secret := range []string{recipient, "p@ss", "w0rd"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error %q holds %q", err, secret)
				}
			}
		})
	}
}

func TestRecipientOfTwoLinesIsRefused(t *testing.T) {
	sender := serve(t, false, true).sender(t, withPassword)
	permanent, err := sender.Send(t.Context(), "anna\r\nBcc: x@y.example", "x", "x")
	if err == nil || !permanent {
		t.Errorf("refused for good = %t, err = %v, want a permanent error", permanent, err)
	}
}

func TestServerHangs(t *testing.T) {
	s := serve(t, false, true)
	s.hangs = make(chan struct{})
	t.Cleanup(func() { close(s.hangs) })
	sender := s.sender(t, withPassword)
	sender.timeout = 100 * time.Millisecond
	if permanent, err := sender.Send(t.Context(), recipient, "x", "x"); err == nil || permanent {
		t.Errorf("a server that hangs: refused for good = %t, err = %v, want an error that passes", permanent, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if permanent, err := sender.Send(ctx, recipient, "x", "x"); err == nil || permanent {
		t.Errorf("cancelled: refused for good = %t, err = %v, want an error that passes", permanent, err)
	}
}

func TestParse(t *testing.T) {
	for address, want := range map[string]Server{
		"smtps://a:b@mail.example?from=x@y.example": {host: "mail.example", port: 465, ssl: true, user: "a",
			password: "b"},
		"smtp://a:b@mail.example/?from=x@y.example": {host: "mail.example", port: 587, user: "a",
			password: "b"},
		"smtp://[::1]:25?tls=off&from=x@y.example": {host: "::1", port: 25, plain: true},
		"smtp://a%40b:c%3Ad@mail.example:2525?from=x@y.example": {host: "mail.example", port: 2525, user: "a@b",
			password: "c:d"},
	} {
		got, err := Parse(address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if got.from.Address != "x@y.example" {
			t.Errorf("%s: from = %s, want x@y.example", address, got.from.Address)
		}
		got.from = nil // is a pointer
		want.timeout = sendTimeout
		if *got != want {
			t.Errorf("%s: %+v, want %+v", address, *got, want)
		}
	}
	for _, address := range []string{
		"mail.example", "http://s3cret@mail.example?from=x@y.example", "smtp://?from=x@y.example",
		"smtp://a:s3cret@mail.example",
		"smtp://a:s3cret@mail.example?from=nobody", "smtp://a:s3cret@mail.example:0?from=x@y.example",
		"smtp://s3cret@mail.example?from=x@y.example",
		"smtp://a:s3cret@mail.example?from=x@y.example&tls=off", "smtps://mail.example?from=x@y.example&tls=off",
		"smtp://a:s3cret@mail.example/s3cret?from=x@y.example", "smtp://a:s3cret@mail.example:x?from=x@y.example",
	} {
		got, err := Parse(address)
		if err == nil {
			t.Errorf("%s is accepted as %+v", address, got)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: the error %q holds a part of the address", address, err)
		}
	}
}
