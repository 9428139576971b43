// Package account owns the people who can log in: users and their roles, passwords,
// logins, sessions, and what a user may do to a company.
package account

import (
	"fmt"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// The codes of this package.
var (
	CodeNotLoggedIn     = fault.NewCode(fault.Unauthenticated, "not_logged_in", "Zaloguj się, aby kontynuować.")
	CodeInvalidLogin    = fault.NewCode(fault.Unauthenticated, "invalid_login", "Nieprawidłowy adres e-mail lub hasło.")
	CodeTooManyAttempts = fault.NewCode(fault.Limited, "too_many_attempts", "Zbyt wiele prób logowania. Spróbuj ponownie później.")
	CodeInvalidPassword = fault.NewCode(fault.Invalid, "invalid_password", "Hasło musi mieć co najmniej 12 znaków i nie może być bardzo długie.", "12 characters at least and 512 bytes at most")
	CodeNoSession       = fault.NewCode(fault.NotFound, "no_session", "Sesja wygasła. Zaloguj się ponownie.")
	CodeSessionConflict = fault.NewCode(fault.Unavailable, "session_conflict", "Sesja zmieniła się w międzyczasie. Spróbuj ponownie.")
	CodeOtherSite       = fault.NewCode(fault.Forbidden, "other_site", "Żądanie z innej witryny zostało odrzucone.")
	CodeNotAllowed      = fault.NewCode(fault.Forbidden, "not_allowed", "Brak uprawnień do edycji tej firmy.")
	CodeNoUser          = fault.NewCode(fault.NotFound, "no_user", "Nie znaleziono użytkownika.", "there is no such user; directory user list has them")
	CodeEmailTaken      = fault.NewCode(fault.Invalid, "email_taken", "Ten adres e-mail jest już zajęty.", "taken already")
	CodeNoCompany       = fault.NewCode(fault.Forbidden, "no_company", "Konto nie jest przypisane do żadnej firmy.")
)

// Role is a user's place in the hierarchy; its value is its rank.
type Role int

// The roles, ascending.
const (
	Unaffiliated  Role = 10
	Member        Role = 20
	Employee      Role = 30
	Manager       Role = 40
	OfficeManager Role = 50
	Admin         Role = 100
)

var roleNames = map[Role]string{
	Unaffiliated: "UNAFFILIATED", Member: "MEMBER", Employee: "EMPLOYEE",
	Manager: "MANAGER", OfficeManager: "OFFICE_MANAGER", Admin: "ADMIN",
}

// String is the role's name, e.g. "OFFICE_MANAGER".
func (r Role) String() string { return roleNames[r] }

// ParseRole accepts a role's name in any letter case.
func ParseRole(name string) (Role, error) {
	for role, n := range roleNames {
		if strings.EqualFold(n, name) {
			return role, nil
		}
	}
	return 0, fmt.Errorf("unknown role %q", name)
}

// User is a person who can log in.
type User struct {
	ID           int64
	CompanyID    *int64 // nil: no company
	Email        string // unique, lower case
	Name         string
	PasswordHash string // argon2id in PHC string format
	Role         Role
	DisabledAt   *time.Time // nil: may log in
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// CanEditCompany reports whether the user may sync and audit the company:
// administrators any, members and above their own.
func (u *User) CanEditCompany(companyID int64) bool {
	return u.Role >= Admin || u.Role >= Member && u.CompanyID != nil && *u.CompanyID == companyID
}

// CanAccessAdminPanel reports whether the user may use the admin UI.
func (u *User) CanAccessAdminPanel() bool { return u.Role >= Admin }

// CanModerateForum reports whether the user may moderate the forum.
func (u *User) CanModerateForum() bool { return u.Role >= OfficeManager }

// Actor identifies the caller, for permissions and for the audit trail.
type Actor struct {
	User      User   // the zero User if the caller is not a user
	Name      string // of a caller who is not a user
	RequestID string

	operator bool
}

// Operator returns the actor at the command line, who has every permission.
func Operator(name string) Actor { return Actor{Name: name, operator: true} }

// Subject returns who uses up the actor's limits: a user's number or an operator's name.
func (a Actor) Subject() string {
	if a.operator {
		return a.Name
	}
	return fmt.Sprint(a.User.ID)
}

// UserID returns nil if the actor is not a user.
func (a Actor) UserID() *int64 {
	if a.User.ID == 0 {
		return nil
	}
	return &a.User.ID
}

// Company returns the actor's company, or CodeNoCompany.
func (a Actor) Company() (int64, error) {
	if a.User.CompanyID == nil {
		return 0, CodeNoCompany.Fault()
	}
	return *a.User.CompanyID, nil
}

// MayEdit returns CodeNotAllowed if the actor may not edit the company.
func (a Actor) MayEdit(companyID int64) error {
	if !a.operator && !a.User.CanEditCompany(companyID) {
		return CodeNotAllowed.Fault()
	}
	return nil
}

// By returns a line of the audit trail with the actor alone.
func (a Actor) By() trail.Entry {
	return trail.Entry{UserID: a.UserID(), Actor: a.Name, RequestID: a.RequestID}
}

// Entry returns a line for the audit trail about a connection of a company.
func (a Actor) Entry(companyID int64, action string, p provider.Pair, at time.Time) trail.Entry {
	e := a.By()
	e.At, e.CompanyID, e.Action, e.Pair = at, companyID, action, p
	return e
}
