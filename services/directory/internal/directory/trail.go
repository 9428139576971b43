package directory

import "time"

// Entry is a line of the append-only audit trail: who did what to which
// connection. It holds no secret.
type Entry struct {
	At        time.Time
	CompanyID int64
	UserID    *int64 // nil: the service itself
	Action    string // connect, disconnect, select_page, select_location, refresh, reconnect_required, revoke
	Pair      Pair
	Detail    string
	RequestID string
}
