package app

import (
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// postbox is an SMTP server that passes on what it accepts.
type postbox chan string

func (p postbox) NewSession(*smtp.Conn) (smtp.Session, error) { return p, nil }
func (p postbox) Mail(string, *smtp.MailOptions) error        { return nil }
func (p postbox) Rcpt(string, *smtp.RcptOptions) error        { return nil }
func (p postbox) Reset()                                      {}
func (p postbox) Logout() error                               { return nil }

func (p postbox) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	p <- string(text)
	return err
}

// newPostbox starts an SMTP server and returns its address.
func newPostbox(t *testing.T) (p postbox, address string) {
	t.Helper()
	p = make(postbox, 9)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := smtp.NewServer(p)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close()
	})
	return p, listener.Addr().String()
}

var tokenInMail = regexp.MustCompile(`nowe-haslo\?token=3D([\w-]+)`) // quoted-printable

// token returns the token of the next mail, which is for that person.
func (p postbox) token(t *testing.T, recipient string) string {
	t.Helper()
	select {
	case text := <-p:
		unfolded := strings.ReplaceAll(text, "=\r\n", "")
		if found := tokenInMail.FindStringSubmatch(unfolded); found != nil && strings.Contains(text, "To: <"+recipient+">") {
			return found[1]
		}
		t.Fatalf("mail %s", text)
	case <-time.After(10 * time.Second):
		t.Fatal("no mail")
	}
	return ""
}

// TestInvitedByMail: an administrator invites a person, who chooses a password by the link in
// the e-mail, forgets it, and gets another link. The log holds neither link nor address.
func TestInvitedByMail(t *testing.T) {
	mails, address := newPostbox(t)
	p := start(t, newFakeProvider(t, "DIRECTORY_SMTP_URL=smtp://"+address+"?from=no-reply@firmy.example&tls=off").settings)
	admin := login(t, p.url, "admin@demo.example")
	content := admin.require(t, 200, "/api/admin/users", `{"email":"jan@poczta.example","role":"EMPLOYEE","company_id":1}`)
	if !strings.Contains(content, `"link":null`) {
		t.Errorf("invited: %s", content)
	}
	stranger := &browser{base: p.url}
	var tokens []string
	for _, password := range []string{"pierwsze-haslo-2026", "drugie-haslo-2026"} {
		token := mails.token(t, "jan@poczta.example")
		tokens = append(tokens, token)
		stranger.require(t, 200, "/api/auth/reset/confirm", `{"token":"`+token+`","new_password":"`+password+`"}`)
		stranger.require(t, 200, "/api/auth/login", `{"email":"jan@poczta.example","password":"`+password+`"}`)
		stranger.require(t, 200, "/api/auth/reset", `{"email":"Jan@poczta.example"}`)
	}
	log := p.end(t)
	for _, secret := range append(tokens, "jan@poczta.example", "drugie-haslo") {
		if strings.Contains(log, secret) {
			t.Errorf("the log shows %s:\n%s", secret, log)
		}
	}
}
