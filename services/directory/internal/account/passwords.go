package account

import (
	"context"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
)

// LinkPath is the page of a link, which has the token as ?token=. No query is logged.
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

type passwordLink struct {
	TokenHash []byte `gorm:"primaryKey"` // SHA-256 of the token
	UserID    int64
	ExpiresAt time.Time
	Email     string // a new address that the link confirms; empty if it sets a password
}

// PasswordOptions are what a Passwords works with.
type PasswordOptions struct {
	DB        *database.DB
	Hasher    *Hasher
	PublicURL string // base of the links, without a final slash
	// Send sends an e-mail; nil if there is no server. permanent: another try would fail, too.
	Send func(ctx context.Context, to, subject, text string) (permanent bool, err error)
	Log  *slog.Logger
}

// Passwords changes passwords, with the old one or by a one-time link. It is safe for concurrent use.
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

// Change replaces the actor's password, and ends all sessions. The faults are CodeWrongPassword,
// CodeTooManyAttempts after ten of them in a quarter of an hour, and those of Hasher.Hash. address is
// the client's network address.
func (p *Passwords) Change(ctx context.Context, actor Actor, old, password, address string) error {
	user, err := p.checkOwn(ctx, actor, old, address)
	if err != nil {
		return err
	}
	hash, err := p.Hasher.Hash(ctx, address, user, password)
	if err != nil {
		return err
	}
	return p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		asRead := tx.Where("id = ? AND password_hash = ?", user.ID, user.PasswordHash)
		return setPasswordHash(tx, asRead, hash, actor.About(user, "password change", ""), CodeWrongPassword)
	})
}

// checkOwn returns the actor as stored if password is the actor's.
func (p *Passwords) checkOwn(ctx context.Context, actor Actor, password, address string) (User, error) {
	attempts := limit.Limit{Kind: "password", Subject: actor.Subject(), Max: failuresThere, Window: attemptWindow}
	if err := p.limits.Take(ctx, p.DB.Now(), CodeTooManyAttempts, attempts); err != nil {
		return User{}, err
	}
	user, err := p.users.ByID(ctx, actor.User.ID)
	if err != nil {
		return User{}, err
	}
	ok, err := p.Hasher.Matches(ctx, address, password, user.PasswordHash)
	if err != nil {
		return User{}, err
	}
	if !ok {
		return User{}, CodeWrongPassword.Fault()
	}
	return user, p.limits.Clear(context.WithoutCancel(ctx), attempts)
}

// NewLink makes a link by which u sets a password.
func (p *Passwords) NewLink(ctx context.Context, actor Actor, u User) (Link, error) {
	return p.newLink(ctx, u, "", actor.About(u, "user reset-link", ""))
}

// newLink makes a link by which u sets a password, or confirms email as the new address. Without a
// password it is an invitation, which lasts longer.
func (p *Passwords) newLink(ctx context.Context, u User, email string, e trail.Entry) (Link, error) {
	path, life := LinkPath, linkLife
	if u.PasswordHash == "" {
		life = invitationLife
	}
	if email != "" {
		path = EmailLinkPath
	}
	token := newID()
	link := Link{URL: p.PublicURL + path + "?token=" + token, ExpiresAt: p.DB.At(p.DB.Now().Add(life))}
	row := passwordLink{TokenHash: hashOf(token), UserID: u.ID, ExpiresAt: link.ExpiresAt, Email: email}
	return link, p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		return trail.Record(tx, e)
	})
}

// CheckLink returns CodeInvalidLink unless the token can be redeemed.
func (p *Passwords) CheckLink(ctx context.Context, token string) error {
	_, err := p.ofLink(ctx, token)
	return err
}

func (p *Passwords) usable(tx *gorm.DB, token string) *gorm.DB {
	return tx.Where("token_hash = ? AND expires_at > ? AND email = ''", hashOf(token), p.DB.At(time.Time{}))
}

func (p *Passwords) ofLink(ctx context.Context, token string) (u User, err error) {
	link := p.usable(p.DB.Read(ctx).Model(&passwordLink{}), token).Select("user_id")
	err = p.DB.Read(ctx).Where("disabled_at IS NULL AND id = (?)", link).Take(&u).Error
	return u, database.NotFound(err, CodeInvalidLink)
}

// Redeem uses a link up: its user gets the password, all sessions and other links end, and the client
// at address may log in whatever others have tried. It returns the user as before: PasswordHash is
// empty if the link was an invitation. The faults are CodeInvalidLink and those of Hasher.Hash, after
// which the link can still be used.
func (p *Passwords) Redeem(ctx context.Context, token, password, address, requestID string) (User, error) {
	user, err := p.ofLink(ctx, token)
	if err != nil {
		return User{}, err
	}
	hash, err := p.Hasher.Hash(ctx, address, user, password)
	if err != nil {
		return User{}, err
	}
	err = p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := database.Changed(p.usable(tx, token).Delete(&passwordLink{}), CodeInvalidLink); err != nil {
			return err
		}
		entry := Actor{User: user, RequestID: requestID}.About(user, "password reset", "")
		return setPasswordHash(tx, tx.Where("id = ? AND disabled_at IS NULL", user.ID), hash, entry, CodeInvalidLink)
	})
	if err != nil {
		return User{}, err
	}
	p.Log.InfoContext(ctx, "password reset", "user", user.ID, "client", address)
	return user, p.users.welcome(context.WithoutCancel(ctx), p.limits, user.ID, attempt{user.Email, address})
}

// RequestEmail sends a link to a new address of the actor, which confirms it. The faults are
// CodeNoMail, CodeInvalidEmail, CodeWrongPassword, and CodeTooManyAttempts after ten wrong passwords
// or three requests. Only its owner learns whether another user has the address.
func (p *Passwords) RequestEmail(ctx context.Context, actor Actor, email, password, address string) error {
	if !p.Mails() {
		return CodeNoMail.Fault()
	}
	email = NormalEmail(email)
	if !IsEmail(email) {
		return CodeInvalidEmail.Fault()
	}
	if _, err := p.checkOwn(ctx, actor, password, address); err != nil {
		return err
	}
	if err := p.limits.Take(ctx, p.DB.Now(), CodeTooManyAttempts, linksLimit(email)); err != nil {
		return err
	}
	return p.addMail(ctx, passwordMail{UserID: &actor.User.ID, Email: email})
}

// ConfirmEmail uses up a link of RequestEmail. The faults are CodeInvalidLink and CodeEmailTaken.
func (p *Passwords) ConfirmEmail(ctx context.Context, token, requestID string) error {
	return p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		var link passwordLink
		valid := database.ForUpdate(tx).
			Where("token_hash = ? AND expires_at > ? AND email <> ''", hashOf(token), p.DB.At(time.Time{}))
		if err := database.NotFound(valid.Take(&link).Error, CodeInvalidLink); err != nil {
			return err
		}
		if err := tx.Delete(&link).Error; err != nil {
			return err
		}
		renamed := tx.Model(&User{}).Where("id = ? AND disabled_at IS NULL", link.UserID).Update("email", link.Email)
		if err := database.Duplicate(database.Changed(renamed, CodeInvalidLink), CodeEmailTaken); err != nil {
			return err
		}
		u := User{ID: link.UserID}
		return trail.Record(tx, Actor{User: u, RequestID: requestID}.About(u, "user email", ""))
	})
}
