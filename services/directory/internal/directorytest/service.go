// Package directorytest is the domain on a real database, with providers, a clock
// and failures that a test controls. It is for the tests of the packages around
// the domain and of the domain itself.
package directorytest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// PublicURL is where the browsers of the tests reach the service.
const PublicURL = "https://firmy.example"

// Start is when the clock of a Service begins.
var Start = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// The pairs.
var (
	ProfilePair   = provider.ProfilePair
	AnalyticsPair = provider.AnalyticsPair
	PagesPair     = provider.PagesPair
	PhotosPair    = provider.PhotosPair
)

// Service is the domain with all that it works with. It has one company, and Anna,
// who is its manager.
type Service struct {
	T              testing.TB
	URL            string // of the database
	Store          *Store
	Now            time.Time
	Search, Social *Provider
	Providers      map[provider.Name]provider.Client
	Receiver       *Receiver
	Log            bytes.Buffer
	Ended          []error      // of the triggered audits
	Suppressed     atomic.Int64 // marks
	GivenUp        int          // revocations
	Discovers      int          // limits of work at providers; Wire puts them in place
	Syncs          int
	Strict         bool // connecting requires the right to edit the company
	Workers        int  // of each task of a scan

	Logins      *account.Logins
	Passwords   *account.Passwords
	Send        func(ctx context.Context, to, subject, text string) (permanent bool, err error) // nil: no e-mail
	Connections *connection.Service
	Audits      *audit.Service
	Scan        *scan.Service
	Erasures    *erasure.Service
	Limits      *limit.Limits
	Erased      *erasure.Log
	Webhooks    *webhook.Service

	Company company.Company
	Anna    account.User
}

// New returns a Service on an SQLite database of its own.
func New(t testing.TB) *Service { return On(t, databasetest.NewSQLite(t)) }

// On returns a Service on a database that is migrated and empty.
func On(t testing.TB, url string) *Service {
	t.Helper()
	s := open(t, url)
	s.Company = s.AddCompany("piekarnia")
	s.Anna = s.AddUser("anna", account.Manager, &s.Company)
	s.Wire()
	return s
}

// Beside is another replica of s, on the same database, a minute ahead.
func Beside(s *Service, url string) *Service {
	s.T.Helper()
	other := open(s.T, url)
	other.Company = s.Company
	other.Anna = s.Anna
	other.Now = s.Now.Add(time.Minute)
	other.Wire()
	return other
}

func open(t testing.TB, url string) *Service {
	t.Helper()
	s := &Service{
		T: t, URL: url, Now: Start, Search: newSearch(), Social: newSocial(), Discovers: 1000,
		Syncs: 1000, Workers: 1,
		Receiver: &Receiver{Status: 200},
	}
	s.Erased = erasure.NewLog(filepath.Join(t.TempDir(), "erased.jsonl"), slog.New(slog.DiscardHandler))
	s.Store = NewStore(databasetest.Open(t, url, database.WithClock(s.Clock)))
	s.Limits = limit.New(s.Store.DB)
	return s
}

// Wire puts the domain together; a test that changes what it is made of calls it
// again.
func (s *Service) Wire() {
	log := slog.New(slog.NewJSONHandler(&s.Log, nil))
	s.Providers = map[provider.Name]provider.Client{
		provider.Search: s.Search, provider.Social: s.Social,
	}
	s.Logins = account.NewLogins(s.Store.DB, Hasher(), s.Clock, log)
	s.Passwords = account.NewPasswords(account.PasswordOptions{
		DB: s.Store.DB, Hasher: Hasher(), PublicURL: PublicURL, Send: s.Send, Now: s.Clock, Log: log,
	})
	s.Connections = connection.New(connection.Options{
		Store: s.Store.Connections, Providers: s.Providers, PublicURL: PublicURL, Now: s.Clock,
		Incidents: incident.New(s.Store.DB, s.Clock, log), OnSuppress: func(provider.Pair) { s.Suppressed.Add(1) },
		OnGiveUp: func(provider.Name) { s.GivenUp++ },
		Limits:   s.Limits, Discovers: s.Discovers, Syncs: s.Syncs, Strict: s.Strict,
		Log: log,
	})
	locations := location.New(s.Connections, google.New(google.Options{Now: s.Clock}), s.Clock)
	s.Audits = audit.New(s.Store.DB, locations, nil, s.Clock, log, func(err error) { s.Ended = append(s.Ended, err) })
	s.Erasures = erasure.New(erasure.Options{
		Store: s.Store.Connections,
		Meta:  meta.New(meta.Options{ClientID: "1", ClientSecret: metaSecret, Now: s.Clock}), Erased: s.Erased,
		PublicURL: PublicURL, Now: s.Clock,
		Log: log,
	})
	// its store switches publishing on and off with the page
	social.New(s.Store.Connections, s.Connections, meta.New(meta.Options{Now: s.Clock}), s.Strict, s.Clock, log)
	s.Scan = scan.New(scan.Options{
		DB: s.Store.DB, Connection: s.active, Renew: s.Connections.RenewEarly, Steps: s.steps(), Workers: s.Workers,
		Now: s.Clock, Log: log,
	})
	s.Webhooks = webhook.New(webhook.Options{DB: s.Store.DB, Limits: s.Limits, Transport: s.Receiver, Now: s.Clock,
		Log: log})
}

// active fails or returns a connection to the scan.
func (s *Service) active(ctx context.Context, companyID int64, p provider.Pair) (connection.Connection, error) {
	if err := s.Store.Fail["Connection"]; err != nil {
		return connection.Connection{}, err
	}
	return s.Connections.Active(ctx, companyID, p)
}

// Hasher is shared: to make one costs a hash.
var Hasher = sync.OnceValue(func() *account.Hasher { return account.NewHasher(4) })

// Clock is the time of the service.
func (s *Service) Clock() time.Time { return s.Now }

// After is a time after the beginning.
func After(d time.Duration) *time.Time {
	t := Start.Add(d)
	return &t
}

// Withdraw does the jobs of all revocations, and returns the first error.
func (s *Service) Withdraw() error {
	var ids []string
	failed := s.Store.Read(context.Background()).Model(&connection.Revocation{}).Pluck("id", &ids).Error
	for _, id := range ids {
		err := s.Connections.Withdraw(context.Background(), &river.Job[jobs.Revocation]{Args: jobs.Revocation{ID: id}})
		failed = cmp.Or(failed, err)
	}
	return failed
}

// Unconfigure takes the provider's client away.
func (s *Service) Unconfigure(p provider.Name) {
	map[provider.Name]*Provider{provider.Search: s.Search, provider.Social: s.Social}[p].Unconfigured = true
}

func (s *Service) must(err error) {
	s.T.Helper()
	if err != nil {
		s.T.Fatal(err)
	}
}

// Connect stores an active connection of the company, and of Anna unless c says
// otherwise, and returns it as it is stored.
func (s *Service) Connect(c connection.Connection) connection.Connection {
	s.T.Helper()
	if c.CompanyID == 0 {
		c.CompanyID = s.Company.ID
	}
	if c.UserID == 0 {
		c.UserID = s.Anna.ID
	}
	reason := c.ReconnectReason
	s.must(
		s.Store.Connections.Save(context.Background(), &c, nil,
			trail.Entry{CompanyID: c.CompanyID, Action: fixture, Pair: c.Pair}),
	)
	if reason != "" {
		s.Change(c.Pair, func(c *connection.Connection) { c.ReconnectReason = reason })
	}
	return s.StoredOf(c.CompanyID, c.Pair)
}

// fixture is the action of the lines that Connect leaves in the audit trail.
const fixture = "fixture"

// Change alters the company's connection of p behind everybody's back.
func (s *Service) Change(p provider.Pair, change func(*connection.Connection)) {
	s.T.Helper()
	held, err := s.Store.Connections.Hold(context.Background(), s.Company.ID, p)
	s.must(err)
	defer held.Release()
	change(&held.Connection)
	s.must(held.Save(nil))
}

// Stored is the company's connection of p as it is stored, without the times that
// the store keeps.
func (s *Service) Stored(p provider.Pair) connection.Connection {
	s.T.Helper()
	return s.StoredOf(s.Company.ID, p)
}

// StoredOf is Stored of any company.
func (s *Service) StoredOf(companyID int64, p provider.Pair) connection.Connection {
	s.T.Helper()
	c, err := s.Store.Connections.Find(context.Background(), companyID, p)
	s.must(err)
	return Timeless(c)
}

// Timeless is c without the times that the store keeps.
func Timeless(c connection.Connection) connection.Connection {
	c.ConnectedAt = time.Time{}
	c.CreatedAt = time.Time{}
	c.UpdatedAt = time.Time{}
	return c
}

// Trail is the company's audit trail, oldest first, without what Connect left.
func (s *Service) Trail() []trail.Entry {
	s.T.Helper()
	entries, err := s.Store.Trail(context.Background(), trail.Search{CompanyID: s.Company.ID, Limit: 1000})
	s.must(err)
	slices.Reverse(entries)
	return slices.DeleteFunc(entries, func(e trail.Entry) bool { return e.Action == fixture })
}

// WantTrail holds the audit trail to these actions.
func (s *Service) WantTrail(want ...string) {
	s.T.Helper()
	var got []string
	for _, e := range s.Trail() {
		got = append(got, e.Action)
	}
	if !slices.Equal(got, want) {
		s.T.Errorf("trail = %q, want %q", got, want)
	}
}

// WantUnchanged holds the stored connection to c, and the trail to nothing.
func (s *Service) WantUnchanged(c connection.Connection) {
	s.T.Helper()
	if now := s.StoredOf(c.CompanyID, c.Pair); !reflect.DeepEqual(now, c) {
		s.T.Errorf("stored connection = %+v, want %+v", now, c)
	}
	s.WantTrail()
}

// FailInserts makes inserts into a table of the SQLite database fail until restore is
// called.
func (s *Service) FailInserts(table string) (restore func()) { return s.failOn("INSERT ON " + table) }

// FailDeletes is FailInserts for deletes.
func (s *Service) FailDeletes(table string) (restore func()) { return s.failOn("DELETE ON " + table) }

// FailUpdates is FailInserts for updates of a column.
func (s *Service) FailUpdates(table, column string) (restore func()) {
	return s.failOn("UPDATE OF " + column + " ON " + table)
}

func (s *Service) failOn(operation string) (restore func()) {
	s.T.Helper()
	s.execute("CREATE TRIGGER fails BEFORE " + operation + " BEGIN SELECT RAISE(FAIL, 'the disk is full'); END")
	return func() { s.execute("DROP TRIGGER fails") }
}

// Hide makes each use of a table fail until restore is called.
func (s *Service) Hide(table string) (restore func()) {
	s.T.Helper()
	s.execute("ALTER TABLE " + table + " RENAME TO hidden")
	return func() { s.execute("ALTER TABLE hidden RENAME TO " + table) }
}

func (s *Service) execute(statement string) {
	s.T.Helper()
	s.must(s.Store.Write(context.Background()).Exec(statement).Error)
}

// FailEach is databasetest.FailEach for calls that return the error of a statement, or
// log it because what failed is tried again or is not needed.
func (s *Service) FailEach(calls ...databasetest.Call) {
	s.T.Helper()
	for i, call := range calls {
		calls[i].Run = func() error {
			s.Log.Reset()
			err := call.Run()
			if err == nil && strings.Contains(s.Log.String(), databasetest.ErrFails.Error()) {
				err = databasetest.ErrFails
			}
			return err
		}
	}
	databasetest.FailEach(s.T, s.Store.DB, calls...)
}

// Logged returns the records of the log, without their time and error.
func (s *Service) Logged() (records []map[string]any) {
	s.T.Helper()
	for line := range strings.Lines(s.Log.String()) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			s.T.Fatal(err)
		}
		delete(record, "time")
		delete(record, "error")
		records = append(records, record)
	}
	return records
}
