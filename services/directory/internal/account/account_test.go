package account

import (
	"fmt"
	"testing"
)

func TestRolesAndWhatTheyMayDo(t *testing.T) {
	own, foreign := int64(7), int64(8)
	for _, tt := range []struct {
		role                                     Role
		name                                     string
		editOwn, editForeign, editNone, adm, mod bool
	}{
		{Unaffiliated, "UNAFFILIATED", false, false, false, false, false},
		{Member, "MEMBER", true, false, false, false, false},
		{Employee, "EMPLOYEE", true, false, false, false, false},
		{Manager, "MANAGER", true, false, false, false, false},
		{OfficeManager, "OFFICE_MANAGER", true, false, false, false, true},
		{Admin, "ADMIN", true, true, true, true, true},
	} {
		for _, of := range []struct {
			company string
			id      *int64
			edit    bool
		}{{"own", &own, tt.editOwn}, {"foreign", &foreign, tt.editForeign}, {"none", nil, tt.editNone}} {
			t.Run(fmt.Sprintf("%s/%s", tt.name, of.company), func(t *testing.T) {
				u := User{Role: tt.role, CompanyID: of.id}
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
	for role, rank := range map[Role]int{
		Unaffiliated: 10, Member: 20, Employee: 30,
		Manager: 40, OfficeManager: 50, Admin: 100,
	} {
		if int(role) != rank {
			t.Errorf("rank of %s = %d, want %d", role, int(role), rank)
		}
	}
}

func TestParseRole(t *testing.T) {
	for _, name := range []string{"OFFICE_MANAGER", "office_manager", "Office_Manager"} {
		if role, err := ParseRole(name); role != OfficeManager || err != nil {
			t.Errorf("ParseRole(%q) = %v, %v", name, role, err)
		}
	}
	for _, name := range []string{"", "BOSS", "ADMIN ", "100"} {
		if role, err := ParseRole(name); err == nil {
			t.Errorf("ParseRole(%q) = %v, want an error", name, role)
		}
	}
}
