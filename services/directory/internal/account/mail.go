package account

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Requests for a link by e-mail. Those of one address of a client beyond the limit are
// refused. Those for one account are not sent, but answered as usual: the answer never
// depends on the account, and the owner has the earlier links.
const (
	requestWindow      = time.Hour
	requestsPerAddress = 20
	requestsPerAccount = 3
)

const (
	// maxMails bounds the mails that wait.
	maxMails = 1000
	// fullPause is after how long a request may be repeated if so many wait.
	fullPause = 15 * time.Second
)

// Request sends the user with that e-mail address a link, if there is one. It returns the
// same, in the same time, if there is not, because the rest is a job. The faults are
// CodeNoMail, CodeMailFull, and CodeTooManyAttempts for the client at address.
func (p *Passwords) Request(ctx context.Context, email, address string) error {
	if !p.Mails() {
		return CodeNoMail.Fault()
	}
	email = NormalEmail(email)
	byAddress := limit.Limit{
		Kind:    "reset_address",
		Subject: network.OfClient(address),
		Max:     requestsPerAddress,
		Window:  requestWindow,
	}
	if err := p.limits.Take(ctx, p.Now(), CodeTooManyAttempts, byAddress); err != nil {
		return err
	}
	if err := p.limits.Take(ctx, p.Now(), CodeTooManyAttempts, linksLimit(email)); err != nil {
		if fault.Is(err, CodeTooManyAttempts) {
			return nil
		}
		return err
	}
	mail := passwordMail{}
	switch user, err := p.users.ByEmail(ctx, email); {
	case err == nil: // SendMail leaves out disabled users
		mail.UserID = &user.ID
	case !fault.Is(err, CodeNoUser):
		return err
	}
	return p.users.addMail(ctx, mail)
}

// linksLimit limits the links that are sent to an address.
func linksLimit(email string) limit.Limit {
	return limit.Limit{Kind: "reset_account", Subject: email, Max: requestsPerAccount, Window: requestWindow}
}

// AddUser adds a user like Users.Add, and invites the person.
func (p *Passwords) AddUser(ctx context.Context, actor Actor, u *User) (*Link, error) {
	entry := actor.By()
	entry.Action = "user add"
	if err := p.users.Add(ctx, u, entry); err != nil {
		return nil, err
	}
	return p.Invite(ctx, actor, *u)
}

// Invite sends a user a link by e-mail. If there is no server, or if too many mails wait for
// it, it returns the link instead.
func (p *Passwords) Invite(ctx context.Context, actor Actor, u User) (*Link, error) {
	if p.Mails() {
		err := p.users.addMail(
			ctx,
			passwordMail{UserID: &u.ID, Invitation: u.PasswordHash == "", Inviter: actor.User.Name},
		)
		if err == nil {
			return nil, trail.Record(p.DB.Write(ctx), actor.About(u, "user reset-link", "by e-mail"))
		}
		if !fault.Is(err, CodeMailFull) {
			return nil, err
		}
	}
	link, err := p.NewLink(ctx, actor, u)
	return &link, err
}

// SendMail sends a mail that waits, and deletes it. A mail that the server refuses for good, or
// whose last attempt fails, is deleted, too.
func (p *Passwords) SendMail(ctx context.Context, job *river.Job[jobs.Mail]) error {
	mail, user, err := p.users.mail(ctx, job.Args.ID)
	if mail == nil || err != nil {
		return err
	}
	if user != nil {
		permanent, err := p.send(ctx, *mail, *user)
		if err != nil && !permanent && !jobs.IsLast(job.JobRow) {
			return err
		}
		if err != nil {
			p.Log.WarnContext(ctx, "e-mail not sent", "user", user.ID, "error", err)
		}
	}
	return p.users.deleteMail(context.WithoutCancel(ctx), mail.ID)
}

// send makes a link and sends it. permanent reports that another attempt would fail, too.
func (p *Passwords) send(ctx context.Context, mail passwordMail, u User) (permanent bool, err error) {
	if p.Send == nil {
		return false, CodeNoMail.Fault()
	}
	action := "password mail"
	if mail.Invitation {
		action = "invitation mail"
	}
	if mail.Email != "" {
		action = "address mail"
	}
	link, err := p.newLink(ctx, u, mail.Email, Actor{Name: "service"}.About(u, action, ""))
	if err != nil {
		return false, err
	}
	companyName, err := p.companyName(ctx, u)
	if err != nil {
		return false, err
	}
	subject, text := p.letter(mail, link, companyName)
	if permanent, err = p.Send(ctx, cmp.Or(mail.Email, u.Email), subject, text); err != nil {
		return permanent, err
	}
	p.Log.InfoContext(ctx, "e-mail sent", "user", u.ID, "what", action)
	return false, nil
}

// companyName returns the name of the user's company, empty if there is none.
func (p *Passwords) companyName(ctx context.Context, u User) (string, error) {
	if u.CompanyID == nil {
		return "", nil
	}
	c, err := company.New(p.DB).ByID(ctx, *u.CompanyID)
	return c.Name, err
}

// letter returns the texts of a mail.
func (p *Passwords) letter(mail passwordMail, link Link, companyName string) (subject, text string) {
	if mail.Email != "" {
		return "Nowy adres e-mail w katalogu firm", fmt.Sprintf("Dzień dobry!\n\n"+
			"Ktoś, zapewne Ty, podał ten adres jako nowy adres swojego konta w katalogu firm.\n"+
			"Jeżeli to nie Ty, zignoruj tę wiadomość: adres się nie zmieni.\n\n"+
			"Aby go potwierdzić, otwórz ten link. Działa przez godzinę i tylko raz:\n\n%s\n", link.URL)
	}
	if !mail.Invitation {
		return "Nowe hasło w katalogu firm", fmt.Sprintf("Dzień dobry!\n\n"+
			"Ktoś, zapewne Ty, poprosił o ustawienie nowego hasła do Twojego konta w katalogu firm.\n"+
			"Jeżeli to nie Ty, zignoruj tę wiadomość: hasło się nie zmieni.\n\n"+
			"Link działa przez godzinę i tylko raz:\n\n%s\n\n"+
			"Gdy wygaśnie, poproś o nowy na stronie %s/konto/reset\n", link.URL, p.PublicURL)
	}
	subject = "Zaproszenie do katalogu firm"
	if companyName != "" {
		subject = "Zaproszenie: " + companyName
	}
	who := cmp.Or(mail.Inviter, "Administrator") + " zaprasza Cię"
	if companyName != "" {
		who += " do firmy „" + companyName + "”"
	}
	return subject, fmt.Sprintf("Dzień dobry!\n\n%s w katalogu firm. Ustaw hasło, a od razu się zalogujesz.\n\n"+
		"Link działa przez 7 dni i tylko raz:\n\n%s\n\n"+
		"Gdy wygaśnie, poproś o nowy na stronie %s/konto/reset\n", who, link.URL, p.PublicURL)
}
