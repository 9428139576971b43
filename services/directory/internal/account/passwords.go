package account

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
)

// LinkPath is the page on which a link leads, with the token as ?token=. Neither the gateway
// nor the service logs queries.
const LinkPath = "/konto/nowe-haslo"

// EmailLinkPath is LinkPath of the links that confirm a new e-mail address.
const EmailLinkPath = "/konto/nowy-adres"

// How long a link may be used, once.
const (
	linkLife       = time.Hour
	invitationLife = 7 * 24 * time.Hour
)

// Link is a one-time link by which a user chooses a password.
type Link struct {
	URL       string    `json:"url"`
	ExpiresAt time.Time `json:"expires_at"`
}

// PasswordOptions are what a Passwords works with.
type PasswordOptions struct {
	DB        *database.DB
	Hasher    *Hasher
	PublicURL string // base of the links, without a final slash
	// Send sends an e-mail; nil if there is no server. permanent reports that another try
	// would fail, too.
	Send func(ctx context.Context, to, subject, text string) (permanent bool, err error)
	Now  func() time.Time
	Log  *slog.Logger
}

// Passwords changes passwords: with the old one, or by a one-time link, which a command
// prints or an e-mail contains. The database has the SHA-256 of a link's token alone. It is
// safe for concurrent use.
type Passwords struct {
	PasswordOptions
	users  *Users
	limits *limit.Limits
}

// NewPasswords returns a Passwords.
func NewPasswords(o PasswordOptions) *Passwords {
	return &Passwords{PasswordOptions: o, users: NewUsers(o.DB), limits: limit.New(o.DB)}
}

// Mails reports whether links can be sent by e-mail.
func (p *Passwords) Mails() bool { return p.Send != nil }

// Change replaces the actor's password, and ends all sessions. A wrong old password is
// CodeWrongPassword; ten of them in a quarter of an hour are CodeTooManyAttempts, apart from
// the count of logins. Other faults are those of Hasher.Hash. address is the client's network
// address.
func (p *Passwords) Change(ctx context.Context, actor Actor, old, password, address string) error {
	user, err := p.checkOwn(ctx, actor, old, address)
	if err != nil {
		return err
	}
	hash, err := p.Hasher.Hash(ctx, address, user, password)
	if err != nil {
		return err
	}
	return p.users.replacePassword(ctx, user, hash, actor.About(user, "password change", ""))
}

// NewLink makes a link for a user, who may be new. It is returned only here.
func (p *Passwords) NewLink(ctx context.Context, actor Actor, u User) (Link, error) {
	return p.newLink(ctx, u, "", actor.About(u, "user reset-link", ""))
}

// newLink makes a link by which u sets a password, or confirms email as the new address. An
// invitation, of a user without a password, lasts longer.
func (p *Passwords) newLink(ctx context.Context, u User, email string, e trail.Entry) (Link, error) {
	path, life := LinkPath, linkLife
	if u.PasswordHash == "" {
		life = invitationLife
	}
	if email != "" {
		path = EmailLinkPath
	}
	token := newID()
	link := Link{URL: p.PublicURL + path + "?token=" + token, ExpiresAt: p.DB.At(p.Now().Add(life))}
	row := passwordLink{TokenHash: hashOf(token), UserID: u.ID, ExpiresAt: link.ExpiresAt, Email: email}
	return link, p.users.addLink(ctx, row, e)
}

// CheckLink returns CodeInvalidLink unless the token can be redeemed.
func (p *Passwords) CheckLink(ctx context.Context, token string) error {
	_, err := p.users.ofLink(ctx, hashOf(token), p.Now())
	return err
}

// Redeem uses a link up: its user gets the password, all of the user's sessions and other
// links end, and the client at address may log in whatever others have tried. It returns the
// user as before, whose PasswordHash is empty if the link was an invitation. The faults are
// CodeInvalidLink and those of Hasher.Hash, after which the link can still be used.
func (p *Passwords) Redeem(ctx context.Context, token, password, address, requestID string) (User, error) {
	user, err := p.users.ofLink(ctx, hashOf(token), p.Now())
	if err != nil {
		return User{}, err
	}
	hash, err := p.Hasher.Hash(ctx, address, user, password)
	if err != nil {
		return User{}, err
	}
	entry := Actor{User: user, RequestID: requestID}.About(user, "password reset", "")
	if err := p.users.redeem(ctx, hashOf(token), p.Now(), hash, entry); err != nil {
		return User{}, err
	}
	p.Log.InfoContext(ctx, "password reset", "user", user.ID, "client", address)
	return user, p.users.welcome(context.WithoutCancel(ctx), p.limits, user.ID, attempt{user.Email, address})
}
