package directory

import (
	"fmt"
	"strings"
	"time"
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
	CompanyID    *int64 // nil: no company assigned
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
