package account

import (
	"strings"
	"testing"
)

func TestRoles(t *testing.T) {
	own := int64(7)
	for _, tt := range []struct {
		name                        string
		rank                        Role
		editOwn, moderate, allRight bool
	}{
		{"UNAFFILIATED", 10, false, false, false},
		{"MEMBER", 20, true, false, false},
		{"EMPLOYEE", 30, true, false, false},
		{"MANAGER", 40, true, false, false},
		{"OFFICE_MANAGER", 50, true, true, false},
		{"ADMIN", 100, true, true, true},
	} {
		role, err := ParseRole(strings.ToLower(tt.name))
		if err != nil || role != tt.rank || role.String() != tt.name {
			t.Errorf("%s: %s of rank %d, %v", tt.name, role, int(role), err)
		}
		of, none := User{Role: role, CompanyID: &own}, User{Role: role}
		if of.CanEditCompany(own) != tt.editOwn || of.CanEditCompany(8) != tt.allRight || none.CanEditCompany(own) != tt.allRight ||
			of.CanAccessAdminPanel() != tt.allRight || of.CanModerateForum() != tt.moderate {
			t.Errorf("%s may do something else than %+v", tt.name, tt)
		}
	}
	for _, name := range []string{"", "BOSS", "ADMIN ", "100"} {
		if role, err := ParseRole(name); err == nil {
			t.Errorf("ParseRole(%q) = %v, want an error", name, role)
		}
	}
}
