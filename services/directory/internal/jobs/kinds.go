package jobs

import (
	"cmp"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// The kinds of jobs. Their arguments are ids of rows: River stores them in clear text, and
// shows them to operators. Each kind is here with its policy in policies.
type (
	// Mail sends a row of password_mails.
	Mail struct {
		ID int64 `json:"id"`
	}
	// BrokenMail sends a user an e-mail about a row of oauth_tokens that only a person can mend.
	BrokenMail struct {
		ConnectionID int64 `json:"connection_id"`
		UserID       int64 `json:"user_id"`
	}
	// MonthlyMail sends a user an e-mail about a month of the company.
	MonthlyMail struct {
		UserID    int64  `json:"user_id"`
		CompanyID int64  `json:"company_id"`
		Month     string `json:"month"` // e.g. "2026-10"
	}
	// Revocation withdraws the grant of a row of revocations.
	Revocation struct {
		ID string `json:"id"`
	}
	// Deliveries sends the events that are due of a row of webhooks.
	Deliveries struct {
		WebhookID int64 `json:"webhook_id"`
	}
	// Deletions carries out the rows of data_deletions.
	Deletions struct{}
	// Purge removes the bytes of deleted rows from the database's files.
	Purge struct{}
	// Sync renews the credential of a row of oauth_tokens if it expires soon, and reads what the
	// scan reads through it, weekly audits included.
	Sync struct {
		ConnectionID int64 `json:"connection_id" river:"unique"`
		CompanyID    int64 `json:"company_id"`
	}
	// Reading reads what a person has just connected or chosen in a row of oauth_tokens.
	Reading struct {
		ConnectionID int64 `json:"connection_id"`
	}
	// Schedule inserts the jobs that are due by stored times, and those of rows without one: those
	// that a move or a restored backup brought along, or that were stored while such a job ended.
	Schedule struct{}
	// Cleanup deletes what has expired or is older than the settings keep it.
	Cleanup struct{}
)

// Kind implements river.JobArgs.
func (Mail) Kind() string        { return "mail" }
func (BrokenMail) Kind() string  { return "broken_mail" }
func (MonthlyMail) Kind() string { return "monthly_mail" }
func (Revocation) Kind() string  { return "revocation" }
func (Deliveries) Kind() string  { return "deliveries" }
func (Deletions) Kind() string   { return "deletions" }
func (Purge) Kind() string       { return "purge" }
func (Sync) Kind() string        { return "sync" }
func (Reading) Kind() string     { return "reading" }
func (Schedule) Kind() string    { return "schedule" }
func (Cleanup) Kind() string     { return "cleanup" }

// policy says how a kind is tried: for at most timeout, with pauses that double from first to
// longest, and attempts times in all. A job that has been due for longer than late is an alert.
type policy struct {
	timeout, first, longest, late time.Duration
	attempts                      int
	delay                         time.Duration // of the first attempt
}

// Late returns for how long a job of each kind may be due.
func Late() map[string]time.Duration {
	late := map[string]time.Duration{}
	for kind, p := range policies {
		late[kind] = cmp.Or(p.late, 10*time.Minute)
	}
	return late
}

// scanTimeout is longer than a scan works on one connection, and shorter than rescueAfter.
const scanTimeout = 95 * time.Second

// brokenDelay leaves time to find that a failure concerns everybody: the connections that it
// marked are unmarked again.
const brokenDelay = 15 * time.Minute

// forever is for what must be done in the end: with the longest pause, for years.
const forever = 30000

// policies: that of Mail lasts about an hour. A backlog of scans is worked off within a day.
var policies = map[string]policy{
	Mail{}.Kind(): {timeout: time.Minute, first: 30 * time.Second, longest: 16 * time.Minute, attempts: 7},
	BrokenMail{}.Kind(): {
		timeout: time.Minute, first: time.Minute, longest: 4 * time.Hour, attempts: 12, delay: brokenDelay,
	},
	MonthlyMail{}.Kind(): {timeout: time.Minute, first: time.Minute, longest: 4 * time.Hour, attempts: 12},
	Revocation{}.Kind():  {timeout: 90 * time.Second, first: time.Minute, longest: 24 * time.Hour, attempts: forever},
	Deliveries{}.Kind(): {
		timeout: time.Minute, first: time.Second, longest: time.Minute, late: 5 * time.Minute, attempts: forever,
	},
	Deletions{}.Kind(): {timeout: 90 * time.Second, first: time.Minute, longest: 15 * time.Minute, attempts: forever},
	Purge{}.Kind():     {timeout: 10 * time.Minute, first: time.Minute, longest: time.Hour, attempts: forever},
	Sync{}.Kind(): {
		timeout: scanTimeout, first: 5 * time.Second, longest: 15 * time.Minute, late: 24 * time.Hour,
		attempts: forever,
	},
	Reading{}.Kind():  {timeout: 90 * time.Second, first: 5 * time.Second, longest: time.Minute, attempts: 4},
	Schedule{}.Kind(): {timeout: time.Minute, first: time.Minute, longest: time.Minute, attempts: 1},
	Cleanup{}.Kind():  {timeout: 10 * time.Minute, first: time.Minute, longest: time.Hour, attempts: 1},
}

func (p policy) pause(attempts int) time.Duration {
	pause := p.first
	for range attempts - 1 {
		if pause *= 2; pause >= p.longest {
			return p.longest
		}
	}
	return pause
}

var unfinished = []rivertype.JobState{
	rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable,
	rivertype.JobStateRunning, rivertype.JobStateScheduled,
}

var queues = map[string]string{
	Deliveries{}.Kind(): "deliveries", Sync{}.Kind(): "syncs",
}

// insertOptions make a job unique by its arguments until it is finished.
func insertOptions(kind string) *river.InsertOpts {
	options := &river.InsertOpts{
		Queue: cmp.Or(queues[kind], river.QueueDefault), MaxAttempts: policies[kind].attempts,
		UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: unfinished},
	}
	if delay := policies[kind].delay; delay > 0 {
		options.ScheduledAt = time.Now().Add(delay)
	}
	return options
}

// periodic jobs look for what is due by stored times, because the intervals begin again with each
// leader.
var periodic = []struct {
	args     river.JobArgs
	interval time.Duration
}{{Schedule{}, time.Minute}, {Cleanup{}, time.Hour}}
