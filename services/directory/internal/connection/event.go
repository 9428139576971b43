package connection

import (
	"backend.example/services/directory/internal/provider"
)

// The types of events about connections.
const (
	EventBroken    = "connection.broken"    // only its user can mend the connection
	EventRecovered = "connection.recovered" // after EventBroken
)

// ConnectionEvent is the data of EventBroken and EventRecovered. Like that of every event
// it contains no secret and nothing about a person.
type ConnectionEvent struct {
	CompanyID int64            `json:"company_id"`
	Provider  provider.Name    `json:"provider"`
	Service   provider.Service `json:"service"`
	Reason    *string          `json:"reason"` // in Polish; null if the connection works again
}

// Event returns the event of c being broken or working again.
func (c *Connection) Event() (eventType string, data ConnectionEvent) {
	data = ConnectionEvent{CompanyID: c.CompanyID, Provider: c.Pair.Provider, Service: c.Pair.Service}
	if !c.NeedsUser() {
		return EventRecovered, data
	}
	reason := c.reason()
	data.Reason = &reason
	return EventBroken, data
}
