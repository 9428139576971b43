package directory

import (
	"crypto/rand"
	"time"
)

// EventType names what a webhook tells.
type EventType string

// The types of events.
const (
	EventBroken    EventType = "connection.broken"    // only its user can mend the connection
	EventRecovered EventType = "connection.recovered" // after it was told to be broken
	EventAudit     EventType = "audit.completed"
	EventTest      EventType = "webhook.test"
)

// Event is what webhooks tell their receivers. It holds no secret and nothing about a
// person.
type Event struct {
	ID        string // the same in every delivery, so that a receiver can tell a repetition
	Type      EventType
	At        time.Time
	CompanyID int64
	Pair      Pair   // of a connection
	Reason    string // why the connection broke, in Polish
	Audit     *AuditSummary
}

// AuditSummary is the part of an audit that an event contains.
type AuditSummary struct {
	ID       int64
	Score    float64
	Category string
	Coverage float64
	Source   string
	Version  string
}

func newEvent(t EventType, companyID int64, at time.Time) Event {
	return Event{ID: "msg_" + rand.Text(), Type: t, At: at, CompanyID: companyID}
}

// Changed is the event of c becoming broken, or of working again.
func (c *Connection) Changed(at time.Time) Event {
	t := EventRecovered
	if c.NeedsUser() {
		t = EventBroken
	}
	e := newEvent(t, c.CompanyID, at)
	e.Pair, e.Reason = c.Pair, c.reason()
	return e
}

// AuditCompleted returns the event of a stored audit.
func AuditCompleted(companyID int64, at time.Time, a AuditSummary) Event {
	e := newEvent(EventAudit, companyID, at)
	e.Audit = &a
	return e
}
