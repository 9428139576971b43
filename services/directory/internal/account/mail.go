package account

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Requests for a link by e-mail. Beyond the limit those of a client are refused. Those for an account
// are answered as usual, and nothing is sent: the answer never depends on the account.
const (
	requestWindow      = time.Hour
	requestsPerAddress = 20
	requestsPerAccount = 3
)

const (
	maxMails  = 1000             // that wait to be sent
	fullPause = 15 * time.Second // after which a request may be repeated, if as many wait
)

type passwordMail struct {
	ID         int64
	UserID     *int64 // nil: the request was for an account that does not exist
	Invitation bool
	Email      string // a new address, to which the mail goes; empty: to the user's
	Inviter    string // the name of the person who invites
	CreatedAt  time.Time
}

// Request sends the user with that e-mail address a link. Without such a user it returns the same in
// the same time, because the rest is a job. The faults are CodeNoMail, CodeMailFull, and
// CodeTooManyAttempts for the client at address.
func (p *Passwords) Request(ctx context.Context, email, address string) error {
	if !p.Mails() {
		return CodeNoMail.Fault()
	}
	email = NormalEmail(email)
	byAddress := limit.Limit{
		Kind: "reset_address", Subject: network.OfClient(address), Max: requestsPerAddress, Window: requestWindow,
	}
	if err := p.limits.Take(ctx, p.DB.Now(), CodeTooManyAttempts, byAddress); err != nil {
		return err
	}
	err := p.limits.Take(ctx, p.DB.Now(), CodeTooManyAttempts, linksLimit(email))
	if fault.Is(err, CodeTooManyAttempts) {
		return nil
	}
	if err != nil {
		return err
	}
	user, err := p.users.ByEmail(ctx, email)
	if fault.Is(err, CodeNoUser) {
		return p.addMail(ctx, passwordMail{})
	}
	if err != nil {
		return err
	}
	return p.addMail(ctx, passwordMail{UserID: &user.ID}) // SendMail leaves out disabled users
}

func linksLimit(email string) limit.Limit {
	return limit.Limit{Kind: "reset_account", Subject: email, Max: requestsPerAccount, Window: requestWindow}
}

// AddUser adds a user, as Users.Add does, and invites the person, as Invite does.
func (p *Passwords) AddUser(ctx context.Context, actor Actor, u *User) (*Link, error) {
	if err := p.users.Add(ctx, u, actor.Did("user add")); err != nil {
		return nil, err
	}
	return p.Invite(ctx, actor, *u)
}

// Invite sends a user a link by e-mail, or returns it if there is no server or too many mails wait.
func (p *Passwords) Invite(ctx context.Context, actor Actor, u User) (*Link, error) {
	if p.Mails() {
		mail := passwordMail{UserID: &u.ID, Invitation: u.PasswordHash == "", Inviter: actor.User.Name}
		err := p.addMail(ctx, mail)
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

func (p *Passwords) addMail(ctx context.Context, mail passwordMail) error {
	var waiting int64
	if err := p.DB.Read(ctx).Model(&passwordMail{}).Count(&waiting).Error; err != nil {
		return err
	}
	if waiting >= maxMails {
		return CodeMailFull.Fault().After(fullPause)
	}
	return p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&mail).Error; err != nil {
			return err
		}
		return jobs.New(p.DB).Insert(tx, jobs.Mail{ID: mail.ID})
	})
}

// ScheduleMails inserts the jobs of mails that wait without one.
func (p *Passwords) ScheduleMails(tx *gorm.DB) error {
	job := func(id int64) river.JobArgs { return jobs.Mail{ID: id} }
	return jobs.EnsureEach(jobs.New(p.DB), tx.Model(&passwordMail{}), "id", job)
}

// SendMail sends a mail, and deletes it, also after its last attempt.
func (p *Passwords) SendMail(ctx context.Context, job *river.Job[jobs.Mail]) error {
	var mails []passwordMail
	err := p.DB.Read(ctx).Where("id = ?", job.Args.ID).Find(&mails).Error
	if err != nil || len(mails) == 0 {
		return err
	}
	permanent, err := p.send(ctx, mails[0])
	if err != nil && !permanent && !jobs.IsLast(job.JobRow) {
		return err
	}
	if err != nil {
		p.Log.WarnContext(ctx, "e-mail not sent", "user", *mails[0].UserID, "error", err)
	}
	return p.DB.Write(context.WithoutCancel(ctx)).Delete(&mails[0]).Error
}

// send makes a link and sends it, unless no user may have it. For permanent see PasswordOptions.Send.
func (p *Passwords) send(ctx context.Context, mail passwordMail) (permanent bool, err error) {
	if mail.UserID == nil {
		return false, nil
	}
	u, err := p.users.ByID(ctx, *mail.UserID)
	if fault.Is(err, CodeNoUser) {
		return false, nil
	}
	if err != nil || u.DisabledAt != nil {
		return false, err
	}
	if !p.Mails() {
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
	companyName := ""
	if u.CompanyID != nil {
		c, err := company.New(p.DB).ByID(ctx, *u.CompanyID)
		if err != nil {
			return false, err
		}
		companyName = c.Name
	}
	subject, text := p.letter(mail, link, companyName)
	if permanent, err = p.Send(ctx, cmp.Or(mail.Email, u.Email), subject, text); err != nil {
		return permanent, err
	}
	p.Log.InfoContext(ctx, "e-mail sent", "user", u.ID, "what", action)
	return false, nil
}

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
