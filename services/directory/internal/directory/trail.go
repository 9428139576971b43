package directory

import "time"

// Entry is a line of the append-only audit trail: who did what to which connection,
// company or user. It holds no secret, and of people their numbers alone, which are
// pseudonyms once the person is erased.
type Entry struct {
	At          time.Time
	CompanyID   int64  // 0: none
	UserID      *int64 // who; nil: Actor, or the service itself
	Actor       string // who, at the command line
	AboutUserID int64  // to whom; 0: nobody
	// Action is connect, disconnect, select_page, select_location, refresh,
	// reconnect_required, revoke, erase, lose_page, deauthorize, webhook add and the like, or what a command did, as "user set-role".
	Action    string
	Pair      Pair
	Detail    string
	RequestID string
}

// TrailSearch says which lines of the trail are wanted; what is zero does not matter.
type TrailSearch struct {
	CompanyID int64
	UserID    int64 // by or about that user
	Since     time.Time
	Limit     int
}
