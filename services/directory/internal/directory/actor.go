package directory

import "time"

// Actor is who asks, for rights and for the audit trail.
type Actor struct {
	User      User   // the zero User: none
	Name      string // who, where it is no user
	RequestID string

	operator bool
}

// Operator is who works at the command line, with every right.
func Operator(name string) Actor { return Actor{Name: name, operator: true} }

func (a Actor) userID() *int64 {
	if a.User.ID == 0 {
		return nil
	}
	return &a.User.ID
}

// Company returns the actor's company, or the fault no_company.
func (a Actor) Company() (int64, error) {
	if a.User.CompanyID == nil {
		return 0, CodeNoCompany.Fault()
	}
	return *a.User.CompanyID, nil
}

// MayEdit answers an actor who may not edit the company with the fault not_allowed.
func (a Actor) MayEdit(companyID int64) error {
	if !a.operator && !a.User.CanEditCompany(companyID) {
		return CodeNotAllowed.Fault()
	}
	return nil
}

// Entry returns a line of the audit trail about an action of the actor.
func (a Actor) Entry(companyID int64, action string, p Pair, at time.Time) Entry {
	return Entry{At: at, CompanyID: companyID, UserID: a.userID(), Actor: a.Name, Action: action, Pair: p, RequestID: a.RequestID}
}
