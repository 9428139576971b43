package account

import (
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
)

const maxUserName = 200

// IsEmail reports whether text is a plain e-mail address.
func IsEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text && len(text) <= 254
}

// administers reports whether the user is an administrator who can log in.
func (u *User) administers() bool {
	return u.Role >= Admin && u.DisabledAt == nil && u.PasswordHash != ""
}

// UserChange is an edit of a user. A nil field stays as it is.
type UserChange struct {
	Name      *string
	Role      *Role
	CompanyID *int64 // 0: none
	Disabled  *bool  // keeps the user from logging in
	// EvenLastAdmin allows that no administrator is left, for erasures that are repeated.
	EvenLastAdmin bool
}

// apply changes u, and returns the lines of the audit trail: none if nothing is different. A move has a
// line for the company that the user leaves and one for the company that the user joins.
func (change UserChange) apply(u *User, actor Actor, now time.Time) (entries []trail.Entry, err error) {
	note := func(action, detail string) { entries = append(entries, actor.About(*u, action, detail)) }
	if change.Name != nil && strings.TrimSpace(*change.Name) != u.Name {
		u.Name = strings.TrimSpace(*change.Name)
		if utf8.RuneCountInString(u.Name) > maxUserName {
			return nil, httpapi.CodeInvalidField.Of("name")
		}
		note("user rename", "")
	}
	if change.Role != nil && *change.Role != u.Role {
		note("user set-role", fmt.Sprintf("%s → %s", u.Role, *change.Role))
		u.Role = *change.Role
	}
	if change.CompanyID != nil && *change.CompanyID != idOr0(u.CompanyID) {
		detail := companyNumber(idOr0(u.CompanyID)) + " → " + companyNumber(*change.CompanyID)
		if u.CompanyID != nil { // the company that is left
			note("user move", detail)
		}
		u.CompanyID = nil
		if *change.CompanyID != 0 { // the one that is joined
			u.CompanyID = change.CompanyID
			note("user move", detail)
		}
	}
	if change.Disabled != nil && *change.Disabled != (u.DisabledAt != nil) {
		u.DisabledAt = nil
		action := "user enable"
		if *change.Disabled {
			u.DisabledAt, action = &now, "user disable"
		}
		note(action, "")
	}
	return entries, nil
}

func idOr0(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

func companyNumber(id int64) string {
	if id == 0 {
		return "no company"
	}
	return fmt.Sprintf("company %d", id)
}
