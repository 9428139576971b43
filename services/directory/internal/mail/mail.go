// Package mail sends e-mails through the SMTP server of the settings.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

const sendTimeout = 10 * time.Second

// Server is an SMTP server. It is safe for concurrent use.
type Server struct {
	host     string
	port     int
	ssl      bool // TLS from the beginning, otherwise STARTTLS
	plain    bool // no TLS
	user     string
	password string
	from     *mail.Address
	timeout  time.Duration
	roots    *x509.CertPool // nil: those of the system
}

// Parse reads smtps://user:password@host:465?from=ADDRESS (TLS), smtp://… (STARTTLS, port 587
// if there is none), or smtp://host?from=ADDRESS&tls=off for a server of this machine, without
// a password. Its errors show nothing of the address.
func Parse(address string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil || !isServer(u) {
		return nil, errors.New("must be smtp:// or smtps://, with user:password@, host and ?from=")
	}
	query := u.Query()
	s := &Server{host: u.Hostname(), port: 587, ssl: u.Scheme == "smtps", plain: query.Get("tls") == "off",
		user: u.User.Username(), timeout: sendTimeout}
	s.password, _ = u.User.Password()
	if s.ssl {
		s.port = 465
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("the port is not one")
		}
	}
	if s.from, err = mail.ParseAddress(query.Get("from")); err != nil {
		return nil, errors.New("from= has to be an e-mail address, as Katalog firm <no-reply@firmy.example>")
	}
	if (s.user == "") != (s.password == "") {
		return nil, errors.New("user and password go together")
	}
	if s.plain && (s.ssl || s.user != "") {
		return nil, errors.New("tls=off is for smtp:// without a password")
	}
	if s.plain && !isLoopback(s.host) {
		return nil, errors.New("tls=off is for a server of this machine: localhost or a loopback address")
	}
	return s, nil
}

func isServer(u *url.URL) bool {
	isSMTP := u.Scheme == "smtp" || u.Scheme == "smtps"
	hasPath := u.Path != "" && u.Path != "/"
	return isSMTP && u.Hostname() != "" && !hasPath
}

func isLoopback(host string) bool {
	addr, _ := netip.ParseAddr(host) // else a name
	return host == "localhost" || addr.IsLoopback()
}

// Send sends a text. permanent reports that the server has refused it for good. The error
// does not contain the recipient, which servers repeat in their texts.
func (s *Server) Send(ctx context.Context, to, subject, text string) (permanent bool, err error) {
	message := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	message.FromMailAddress(s.from)
	if err := message.To(to); err != nil {
		return true, errors.New("mail: the recipient's address is not valid")
	}
	message.Subject(subject)
	message.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	message.SetBodyString(gomail.TypeTextPlain, text)
	client, err := s.client()
	if err != nil {
		return false, fmt.Errorf("mail: %w", err)
	}
	err = client.DialAndSendWithContext(ctx, message)
	if refused := (*gomail.SendError)(nil); errors.As(err, &refused) {
		return refused.ErrorCode() >= 500,
			fmt.Errorf("mail: %s: refused with %d %s", refused.Reason, refused.ErrorCode(),
				refused.EnhancedStatusCode())
	}
	if err != nil {
		return false, fmt.Errorf("mail: %w", err)
	}
	return false, nil
}

// Check logs in at the server, and sends nothing.
func (s *Server) Check(ctx context.Context) error {
	client, err := s.client()
	if err != nil {
		return err
	}
	if err = client.DialWithContext(ctx); err != nil {
		return err
	}
	return client.Close()
}

func (s *Server) client() (*gomail.Client, error) {
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(s.timeout),
		gomail.WithTLSConfig(&tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}),
	}
	switch {
	case s.plain:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case s.ssl:
		options = append(options, gomail.WithSSL())
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	}
	if s.user != "" {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(s.user),
			gomail.WithPassword(s.password))
	}
	return gomail.NewClient(s.host, options...)
}
