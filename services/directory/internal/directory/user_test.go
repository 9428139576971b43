package directory_test

import (
	"fmt"
	"testing"

	"backend.example/services/directory/internal/directory"
)

func TestRolesAndWhatTheyMayDo(t *testing.T) {
	own, foreign := int64(7), int64(8)
	for _, tt := range []struct {
		role                                     directory.Role
		name                                     string
		editOwn, editForeign, editNone, adm, mod bool
	}{
		{directory.Unaffiliated, "UNAFFILIATED", false, false, false, false, false},
		{directory.Member, "MEMBER", true, false, false, false, false},
		{directory.Employee, "EMPLOYEE", true, false, false, false, false},
		{directory.Manager, "MANAGER", true, false, false, false, false},
		{directory.OfficeManager, "OFFICE_MANAGER", true, false, false, false, true},
		{directory.Admin, "ADMIN", true, true, true, true, true},
	} {
		for _, of := range []struct {
			company string
			id      *int64
			edit    bool
		}{{"own", &own, tt.editOwn}, {"foreign", &foreign, tt.editForeign}, {"none", nil, tt.editNone}} {
			t.Run(fmt.Sprintf("%s/%s", tt.name, of.company), func(t *testing.T) {
				u := directory.User{Role: tt.role, CompanyID: of.id}
				if got := u.CanEditCompany(own); got != of.edit {
					t.Errorf("CanEditCompany = %t, want %t", got, of.edit)
				}
				if got := u.CanAccessAdminPanel(); got != tt.adm {
					t.Errorf("CanAccessAdminPanel = %t, want %t", got, tt.adm)
				}
				if got := u.CanModerateForum(); got != tt.mod {
					t.Errorf("CanModerateForum = %t, want %t", got, tt.mod)
				}
			})
		}
		if got := tt.role.String(); got != tt.name {
			t.Errorf("String of rank %d = %q, want %q", int(tt.role), got, tt.name)
		}
	}
}

func TestRanks(t *testing.T) {
	for role, rank := range map[directory.Role]int{
		directory.Unaffiliated: 10, directory.Member: 20, directory.Employee: 30,
		directory.Manager: 40, directory.OfficeManager: 50, directory.Admin: 100,
	} {
		if int(role) != rank {
			t.Errorf("rank of %s = %d, want %d", role, int(role), rank)
		}
	}
}

func TestParseRole(t *testing.T) {
	for _, name := range []string{"OFFICE_MANAGER", "office_manager", "Office_Manager"} {
		if role, err := directory.ParseRole(name); role != directory.OfficeManager || err != nil {
			t.Errorf("ParseRole(%q) = %v, %v", name, role, err)
		}
	}
	for _, name := range []string{"", "BOSS", "ADMIN ", "100"} {
		if role, err := directory.ParseRole(name); err == nil {
			t.Errorf("ParseRole(%q) = %v, want an error", name, role)
		}
	}
}
