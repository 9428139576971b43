package directory

import "backend.example/services/directory/internal/account"

// User, Role and Actor are those of package account.
type (
	User  = account.User
	Role  = account.Role
	Actor = account.Actor
)

// The roles.
const (
	Unaffiliated  = account.Unaffiliated
	Member        = account.Member
	Employee      = account.Employee
	Manager       = account.Manager
	OfficeManager = account.OfficeManager
	Admin         = account.Admin
)

// Operator is account.Operator.
var Operator = account.Operator
