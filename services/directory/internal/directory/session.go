package directory

import "time"

// Session is a logged-in browser, or one on its way to log in. The id itself is
// only in the browser's cookie.
type Session struct {
	IDHash     []byte // SHA-256 of the id
	UserID     *int64 // nil before login
	User       *User  // the user as of the read; nil: nobody, or not read
	Values     []byte // what else the session holds, as JSON; encrypted at rest
	Version    int64  // grows with each save; a save of an older one is a conflict
	CreatedAt  time.Time
	LastSeenAt time.Time
}
