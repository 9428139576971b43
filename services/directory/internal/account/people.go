package account

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
)

// Manages returns the company whose people the actor may invite and take out: the own one of
// an OFFICE_MANAGER or above. The faults are CodeManagerOnly and CodeNoCompany.
func (a Actor) Manages() (companyID int64, err error) {
	if a.User.Role < OfficeManager {
		return 0, CodeManagerOnly.Fault()
	}
	return a.Company()
}

// Colleagues lists the users of the actor's company in the order in which they were added.
func (s *Users) Colleagues(ctx context.Context, actor Actor) (users []User, err error) {
	companyID, err := actor.Manages()
	if err != nil {
		return nil, err
	}
	err = s.db.Read(ctx).Where("company_id = ?", companyID).Order("id").Find(&users).Error
	return users, err
}

// InviteColleague adds a user with a role below the actor's to the actor's company, like
// AddUser. The fault for another role is CodeRoleTooHigh.
func (p *Passwords) InviteColleague(ctx context.Context, actor Actor, u *User) (*Link, error) {
	companyID, err := actor.Manages()
	if err != nil {
		return nil, err
	}
	if u.Role >= actor.User.Role {
		return nil, CodeRoleTooHigh.Fault()
	}
	u.CompanyID = &companyID
	return p.AddUser(ctx, actor, u)
}

// RemoveColleague takes a user with a role below the actor's out of the actor's company, after
// which the user has no rights. The faults are CodeNoUser, also for a user of another company,
// and CodeRoleTooHigh.
func (s *Users) RemoveColleague(ctx context.Context, actor Actor, id int64) error {
	companyID, err := actor.Manages()
	if err != nil {
		return err
	}
	u, err := s.ByID(ctx, id)
	if err != nil {
		return err
	}
	if idOr0(u.CompanyID) != companyID {
		return CodeNoUser.Fault()
	}
	if u.Role >= actor.User.Role {
		return CodeRoleTooHigh.Fault()
	}
	none, role := int64(0), Unaffiliated
	_, err = s.Edit(ctx, id, UserChange{CompanyID: &none, Role: &role}, actor)
	return err
}

// Rename changes the actor's own name.
func (s *Users) Rename(ctx context.Context, actor Actor, name string) error {
	_, err := s.Edit(ctx, actor.User.ID, UserChange{Name: &name}, actor)
	return err
}

// Silence turns the e-mails about the company off for the actor, or on again.
func (s *Users) Silence(ctx context.Context, actor Actor, silent bool) error {
	result := s.db.Write(ctx).Model(&User{}).Where("id = ?", actor.User.ID).UpdateColumn("silent", silent)
	return database.Changed(result, CodeNoUser)
}

// ToNotify returns the users who get e-mails about a company: those who may edit it and have a
// password, except the silent.
func ToNotify(tx *gorm.DB, companyID int64) (ids []int64, err error) {
	err = notified(tx).Where("company_id = ?", companyID).Order("id").Pluck("id", &ids).Error
	return ids, err
}

func notified(tx *gorm.DB) *gorm.DB {
	return tx.Model(&User{}).Where("role >= ?", Member).
		Where("disabled_at IS NULL AND NOT silent AND password_hash <> ''")
}

// TakeMonth returns up to n of those who get e-mails about their company, with its id, each
// once for a month, such as "2026-10".
func TakeMonth(tx *gorm.DB, month string, n int) (users []User, err error) {
	due := notified(tx).Where("company_id IS NOT NULL AND month_mailed < ?", month).Select("id").Order("id").Limit(n)
	err = tx.Raw("UPDATE users SET month_mailed = ? WHERE id IN (?) AND month_mailed < ? RETURNING id, company_id",
		month, due, month).Scan(&users).Error
	return users, err
}

// RequestEmail sends a link to a new address of the actor, which replaces the old one when
// the link is redeemed. The faults are CodeNoMail, CodeInvalidEmail, CodeWrongPassword, and
// CodeTooManyAttempts after ten wrong passwords or three requests. Whether the address belongs
// to another user is found only by its owner.
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
	if err := p.limits.Take(ctx, p.Now(), CodeTooManyAttempts, linksLimit(email)); err != nil {
		return err
	}
	return p.users.addMail(ctx, passwordMail{UserID: &actor.User.ID, Email: email})
}

// ConfirmEmail uses up a link of RequestEmail: the user gets the new address. The faults are
// CodeInvalidLink and CodeEmailTaken.
func (p *Passwords) ConfirmEmail(ctx context.Context, token, requestID string) error {
	return p.DB.Transaction(ctx, func(tx *gorm.DB) error {
		var link passwordLink
		valid := tx.Where("token_hash = ? AND expires_at > ? AND email <> ''", hashOf(token), database.Instant(p.Now()))
		if err := database.NotFound(valid.Take(&link).Error, CodeInvalidLink); err != nil {
			return err
		}
		used := tx.Where("token_hash = ?", hashOf(token)).Delete(&passwordLink{})
		if err := database.Changed(used, CodeInvalidLink); err != nil {
			return err
		}
		renamed := tx.Model(&User{}).Where("id = ? AND disabled_at IS NULL", link.UserID).Update("email", link.Email)
		if err := database.Duplicate(renamed.Error, CodeEmailTaken); err != nil {
			return err
		}
		if renamed.RowsAffected == 0 {
			return CodeInvalidLink.Fault()
		}
		u := User{ID: link.UserID}
		return trail.Record(tx, Actor{User: u, RequestID: requestID}.About(u, "user email", ""))
	})
}

// checkOwn returns the actor as stored if password is the actor's. The faults are those of
// Change.
func (p *Passwords) checkOwn(ctx context.Context, actor Actor, password, address string) (User, error) {
	attempts := limit.Limit{Kind: "password", Subject: actor.Subject(), Max: failuresThere, Window: attemptWindow}
	if err := p.limits.Take(ctx, p.Now(), CodeTooManyAttempts, attempts); err != nil {
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
