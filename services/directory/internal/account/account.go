// Package account owns users and their roles, passwords, logins, sessions, and what a user may do to a company.
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
	CodeTooManyAttempts = fault.NewCode(fault.Limited, "too_many_attempts",
		"Zbyt wiele prób logowania. Spróbuj ponownie później.")
	CodeInvalidPassword = fault.NewCode(fault.Invalid, "invalid_password",
		"Hasło musi mieć co najmniej 12 znaków i nie może być bardzo długie.",
		"12 characters at least and 512 bytes at most")
	CodeCommonPassword = fault.NewCode(fault.Invalid, "common_password",
		"To hasło jest zbyt popularne. Wybierz inne.",
		"among the 10,000 most common passwords")
	CodeNameInPassword = fault.NewCode(fault.Invalid, "name_in_password",
		"Hasło nie może zawierać Twojego imienia i nazwiska ani nazwy z adresu e-mail.",
		"contains the name of the account")
	CodeNoSession      = fault.NewCode(fault.NotFound, "no_session", "Sesja wygasła. Zaloguj się ponownie.")
	CodeUnknownSession = fault.NewCode(fault.NotFound, "unknown_session", "Nie znaleziono takiej sesji.")
	CodeOtherSite      = fault.NewCode(fault.Forbidden, "other_site", "Żądanie z innej witryny zostało odrzucone.")
	CodeNotAllowed     = fault.NewCode(fault.Forbidden, "not_allowed", "Brak uprawnień do edycji tej firmy.")
	CodeNoUser         = fault.NewCode(fault.NotFound, "no_user",
		"Nie znaleziono użytkownika.",
		"there is no such user; directory user list has them")
	CodeEmailTaken = fault.NewCode(fault.Invalid, "email_taken", "Ten adres e-mail jest już zajęty.", "taken already")
	CodeAdminOnly  = fault.NewCode(fault.Forbidden, "admin_only", "Ta operacja wymaga uprawnień administratora.")
	CodeLastAdmin  = fault.NewCode(fault.Invalid, "last_admin",
		"To ostatni administrator. Najpierw nadaj tę rolę innej osobie.",
		"this is the last administrator who can log in; give the role to another user first")
	CodeInvalidEmail = fault.NewCode(fault.Invalid, "invalid_email",
		"To nie jest adres e-mail.",
		"not an e-mail address")
	CodeArchived      = fault.NewCode(fault.Invalid, "company_archived", "Ta firma jest zarchiwizowana.", "archived")
	CodeWrongPassword = fault.NewCode(fault.Invalid, "wrong_password", "Obecne hasło jest nieprawidłowe.")
	CodeInvalidLink   = fault.NewCode(fault.Invalid, "invalid_link",
		"Ten link wygasł albo został już użyty. Poproś o nowy.")
	CodeNoMail = fault.NewCode(fault.Unavailable, "no_mail",
		"Wysyłanie wiadomości nie jest włączone. Poproś administratora o link.")
	CodeMailFull = fault.NewCode(fault.Unavailable, "mail_full",
		"Zbyt wiele wiadomości czeka na wysłanie. Spróbuj ponownie później.",
		"too many e-mails are waiting; is the SMTP server down?")
	CodeManagerOnly = fault.NewCode(fault.Forbidden, "manager_only",
		"Osoby w firmie może zmieniać tylko kierownik biura.")
	CodeRoleTooHigh = fault.NewCode(fault.Forbidden, "role_too_high",
		"Możesz zapraszać i usuwać tylko osoby o niższych uprawnieniach niż Twoje.")
	CodeNoCompany = fault.NewCode(fault.Forbidden, "no_company", "Konto nie jest przypisane do żadnej firmy.")
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

// String returns "OFFICE_MANAGER" and the like.
func (r Role) String() string { return roleNames[r] }

// MarshalText implements encoding.TextMarshaler.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

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
	ID           int64      `json:"id"`
	CompanyID    *int64     `json:"company_id"` // nil: no company
	Email        string     `json:"email"`      // unique, lower case
	Name         string     `json:"name"`
	PasswordHash string     `json:"-"` // argon2id in PHC string format; empty until an invited user has chosen one
	Role         Role       `json:"role"`
	DisabledAt   *time.Time `json:"disabled_at"` // nil: may log in
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
	Silent       bool       `json:"-"` // wants no e-mails about the company
}

// CanEditCompany reports whether the user may sync and audit the company.
func (u *User) CanEditCompany(companyID int64) bool {
	own := u.CompanyID != nil && *u.CompanyID == companyID
	return u.Role >= Admin || own && u.Role >= Member
}

// CanAccessAdminPanel reports whether the user may use the admin UI.
func (u *User) CanAccessAdminPanel() bool { return u.Role >= Admin }

// CanModerateForum reports whether the user may moderate the forum.
func (u *User) CanModerateForum() bool { return u.Role >= OfficeManager }

// Actor is the caller.
type Actor struct {
	User      User   // the zero User if the caller is not a user
	Name      string // of a caller who is not a user
	RequestID string

	operator bool
}

// Operator returns the actor at the command line, who has every permission.
func Operator(name string) Actor { return Actor{Name: name, operator: true} }

// Subject identifies the actor in rate limits: the number of a user, or the name of an operator.
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

// Administers returns CodeAdminOnly unless the actor is an administrator or the operator.
func (a Actor) Administers() error {
	if !a.operator && !a.User.CanAccessAdminPanel() {
		return CodeAdminOnly.Fault()
	}
	return nil
}

// MayEdit returns CodeNotAllowed unless the actor may edit the company.
func (a Actor) MayEdit(companyID int64) error {
	if !a.operator && !a.User.CanEditCompany(companyID) {
		return CodeNotAllowed.Fault()
	}
	return nil
}

// By returns a line of the audit trail that names the actor and the request.
func (a Actor) By() trail.Entry {
	return trail.Entry{UserID: a.UserID(), Actor: a.Name, RequestID: a.RequestID}
}

// Did returns a line of the audit trail for an action of the actor, such as "company add".
func (a Actor) Did(action string) trail.Entry {
	e := a.By()
	e.Action = action
	return e
}

// About returns a line of the audit trail for an action that concerns a user and the user's company.
func (a Actor) About(u User, action, detail string) trail.Entry {
	e := a.Did(action)
	e.AboutUserID, e.Detail = u.ID, detail
	if u.CompanyID != nil {
		e.CompanyID = *u.CompanyID
	}
	return e
}

// Entry returns a line of the audit trail for an action on a connection of a company.
func (a Actor) Entry(companyID int64, action string, p provider.Pair) trail.Entry {
	e := a.Did(action)
	e.CompanyID = companyID
	e.Pair = p
	return e
}
