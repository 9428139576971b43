package directory

import "time"

// ScanStop makes scans leave alone what a provider's refusal is about, until a time:
// the provider as a whole; or for one task everything of one person there, or one
// account of that person.
type ScanStop struct {
	Provider     Provider
	Whole        bool // the rest is empty then
	Task         ScanTask
	ConnectionID int64  // that was refused
	UserID       string // at the provider; empty: that connection alone
	AccountID    string // of the page; empty: all that the person connected
	Until        time.Time
}
