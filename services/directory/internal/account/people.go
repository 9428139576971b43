package account

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
)

// Manages returns the company whose people the actor may invite and remove. The faults are
// CodeManagerOnly and CodeNoCompany.
func (a Actor) Manages() (companyID int64, err error) {
	if a.User.Role < OfficeManager {
		return 0, CodeManagerOnly.Fault()
	}
	return a.Company()
}

// Colleagues lists the users of the actor's company.
func (s *Users) Colleagues(ctx context.Context, actor Actor) (users []User, err error) {
	companyID, err := actor.Manages()
	if err != nil {
		return nil, err
	}
	err = s.db.Read(ctx).Where("company_id = ?", companyID).Order("id").Find(&users).Error
	return users, err
}

// InviteColleague is AddUser for the actor's company. The fault is CodeRoleTooHigh unless the role is
// below the actor's.
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

// RemoveColleague takes a user out of the actor's company and all rights. The faults are CodeNoUser,
// also for another company, and CodeRoleTooHigh unless the role is below the actor's.
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

// Silence turns the e-mails about the company off or on for the actor.
func (s *Users) Silence(ctx context.Context, actor Actor, silent bool) error {
	result := s.db.Write(ctx).Model(&User{}).Where("id = ?", actor.User.ID).UpdateColumn("silent", silent)
	return database.Changed(result, CodeNoUser)
}

// ToNotify returns the users who get e-mails about a company.
func ToNotify(tx *gorm.DB, companyID int64) (ids []int64, err error) {
	err = notified(tx).Where("company_id = ?", companyID).Order("id").Pluck("id", &ids).Error
	return ids, err
}

func notified(tx *gorm.DB) *gorm.DB {
	return tx.Model(&User{}).Where("role >= ?", Member).
		Where("disabled_at IS NULL AND NOT silent AND password_hash <> ''")
}

// TakeMonth returns up to n users who get e-mails, with their company, each once for a month such as
// "2026-10".
func TakeMonth(tx *gorm.DB, month string, n int) (users []User, err error) {
	due := notified(tx).Where("company_id IS NOT NULL AND month_mailed < ?", month).Select("id").Order("id").Limit(n)
	err = tx.Raw("UPDATE users SET month_mailed = ? WHERE id IN (?) AND month_mailed < ? RETURNING id, company_id",
		month, due, month).Scan(&users).Error
	return users, err
}
