package account

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// TestActors are a user, the operator at the command line, or neither.
func TestActors(t *testing.T) {
	own, other := int64(7), int64(8)
	member := Actor{User: User{ID: 3, CompanyID: &own, Role: Member}, RequestID: "r-1"}
	loner := Actor{User: User{ID: 4, Role: Member}}
	admin := Actor{User: User{ID: 5, Role: Admin}}
	visitor := Actor{RequestID: "r-2"}
	service := Actor{Name: "service"}
	operator := Operator("ola")
	for name, test := range map[string]struct {
		actor               Actor
		subject             string
		user                int64 // 0 for none
		company             int64 // 0 for none
		admin, own, foreign bool  // may administer, edit company 7, edit company 8
		by                  trail.Entry
	}{
		"member":   {member, "3", 3, 7, false, true, false, trail.Entry{UserID: &member.User.ID, RequestID: "r-1"}},
		"loner":    {loner, "4", 4, 0, false, false, false, trail.Entry{UserID: &loner.User.ID}},
		"admin":    {admin, "5", 5, 0, true, true, true, trail.Entry{UserID: &admin.User.ID}},
		"visitor":  {visitor, "0", 0, 0, false, false, false, trail.Entry{RequestID: "r-2"}},
		"service":  {service, "0", 0, 0, false, false, false, trail.Entry{Actor: "service"}},
		"operator": {operator, "ola", 0, 0, true, true, true, trail.Entry{Actor: "ola"}},
	} {
		a := test.actor
		if subject := a.Subject(); subject != test.subject {
			t.Errorf("%s: subject %q", name, subject)
		}
		if id := idOr0(a.UserID()); id != test.user || (a.UserID() == nil) != (test.user == 0) {
			t.Errorf("%s: user %d", name, id)
		}
		company, err := a.Company()
		if company != test.company || (err == nil) != (test.company != 0) {
			t.Fatalf("%s: company %d, %v", name, company, err)
		}
		if err != nil && !fault.Is(err, CodeNoCompany) {
			t.Errorf("%s: company %d, %v", name, company, err)
		}
		for _, permission := range []struct {
			err     error
			allowed bool
			code    fault.Code
		}{{a.Administers(), test.admin, CodeAdminOnly}, {a.MayEdit(own), test.own, CodeNotAllowed},
			{a.MayEdit(other), test.foreign, CodeNotAllowed}} {
			if (permission.err == nil) != permission.allowed ||
				!permission.allowed && !fault.Is(permission.err, permission.code) {
				t.Errorf("%s: %v, want allowed %t", name, permission.err, permission.allowed)
			}
		}
		if diff := cmp.Diff(test.by, a.By()); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
}
