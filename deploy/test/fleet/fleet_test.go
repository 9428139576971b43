package fleet

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	companies = 1000 // each with a business profile
	everyPage = 7    // each of these also has a page
	users     = 4    // who connect them

	scanInterval    = 3 * time.Minute
	searchPerMinute = 240 // the default budgets, of each API
	socialPerMinute = 600
	googleQuota     = 300 // of each of Google's APIs

	leaseEnds = 75 * time.Second // after which another replica scans
	recovered = 90 * time.Second // within which 20 more companies are audited, after a lease or a quota's minute
	outage    = 3 * time.Minute
)

// fleet is a backend with many connected companies.
type fleet struct {
	*harness.Stack
	db        *sql.DB
	ids       []int64
	revoked   int64 // company whose owner has withdrawn the grant
	receiver  *receiver
	processes []*harness.Process // of the directory service, all that have run
	causes    []cause
}

// newFleet connects the companies and starts two replicas that scan them.
func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{receiver: newReceiver(t), Stack: harness.New(t, harness.Options{
		Directories: 2, Postgres: true, DirectoryEnv: []string{"DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
	})}
	f.db = harness.OpenDatabase(t, f.Database)
	f.addCompanies(t)
	t.Run("connect", func(t *testing.T) {
		for i := range users {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				f.connect(t, i)
			})
		}
	})
	// Each connection is another person's, and needs a renewal while scans run.
	harness.Execute(t, f.db, `UPDATE oauth_tokens SET provider_user_id = provider_user_id || '-' || company_id,
		expires_at = CASE WHEN provider = 'provider_search' THEN now() + interval '1 minute' * (5 + 10 * random()) ELSE expires_at END`)
	f.Sandbox.Do(t, "search", "revoke-grants", "zofia")
	f.Sandbox.Forget(t)
	f.Sandbox.Toggle(t, "search", fmt.Sprintf(`{"requests_per_minute": %d}`, googleQuota))
	f.scan(t)
	return f
}

// addCompanies copies the first company. The week of none of them ends within the test.
func (f *fleet) addCompanies(t *testing.T) {
	t.Helper()
	var values []string
	for id := int64(1_000_000); len(f.ids) < companies+1; id++ {
		if weekEnds(id, time.Now()) > time.Hour {
			f.ids, values = append(f.ids, id), append(values, fmt.Sprintf("(%d)", id))
		}
	}
	f.revoked = f.ids[companies]
	harness.Execute(t, f.db, `INSERT INTO companies SELECT (jsonb_populate_record(c, jsonb_build_object('id', n.id, 'slug', 'firma-' || n.id))).*
		FROM companies c, (VALUES `+strings.Join(values, ",")+`) n (id) WHERE c.id = (SELECT min(id) FROM companies)`)
}

// weekEnds returns how long the week of a company still lasts. It begins at a time that is
// the hash of its id.
func weekEnds(companyID int64, now time.Time) time.Duration {
	const week = 7 * 24 * time.Hour
	hash := sha256.Sum256(strconv.AppendInt(nil, companyID, 10))
	now = now.Add(-time.Duration(binary.BigEndian.Uint32(hash[:])) % (week / time.Second) * time.Second)
	return week - now.Sub(now.Truncate(week))
}

// connect makes the connections of every fourth company, as a user who moves from one
// company to the next.
func (f *fleet) connect(t *testing.T, user int) {
	t.Helper()
	email := fmt.Sprintf("osoba-%d@demo.example", user)
	f.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", fmt.Sprintf("firma-%d", f.ids[0]), "--password", harness.DemoPassword)
	v := harness.NewVisitor(t, f.Gateway)
	transport := harness.ChangingAddresses()
	transport.DisableKeepAlives = true
	v.HTTP.Transport = transport
	v.Login(t, email)
	for i := user; i < len(f.ids); i += users {
		id, account := f.ids[i], "marek" // who has one location, which is chosen at once
		if id == f.revoked {
			account = "zofia"
		}
		harness.Execute(t, f.db, fmt.Sprintf("UPDATE users SET company_id = %d WHERE email = '%s'", id, email))
		v.Connect(t, harness.SearchProfile, account)
		harness.OK(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))
		if i%everyPage > 0 {
			continue
		}
		v.Connect(t, harness.SocialPages, "anna")
		found := harness.PostAs[struct{ Pages []struct{ ID string } }](t, v, "/api/oauth/provider_social/discover-pages", map[string]int64{"company_id": id})
		harness.OK(t, v.Post(t, "/api/oauth/provider_social/select-page", map[string]any{"company_id": id, "page_id": found.Pages[0].ID}))
	}
}

// scan starts both replicas again, with scans.
func (f *fleet) scan(t *testing.T) {
	t.Helper()
	f.Directories[0].Run(t, "webhook", "add", f.receiver.URL, "--all")
	for _, d := range f.Directories {
		d.Terminate(t)
		d.Env = append(d.Env,
			"DIRECTORY_SCAN_INTERVAL="+scanInterval.String(), "DIRECTORY_SCAN_WORKERS=8",
			fmt.Sprintf("PROVIDER_SEARCH_PER_MINUTE=%d", searchPerMinute), fmt.Sprintf("PROVIDER_SOCIAL_PER_MINUTE=%d", socialPerMinute))
		f.start(t, d)
	}
}

func (f *fleet) start(t *testing.T, d *harness.Service) {
	t.Helper()
	d.Start(t)
	f.processes = append(f.processes, d.Process)
}

// audited counts the companies with an audit.
func (f *fleet) audited(t *testing.T) int {
	t.Helper()
	return f.count(t, "SELECT count(DISTINCT company_id) FROM profile_audits WHERE company_id >= 1000000")
}

func (f *fleet) count(t *testing.T, query string) int { return value[int](t, f, query) }

// value returns the result of a query.
func value[T any](t *testing.T, f *fleet, query string) (v T) {
	t.Helper()
	if err := f.db.QueryRowContext(t.Context(), query).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// await waits until n companies have an audit, and returns how long that took.
func (f *fleet) await(t *testing.T, within time.Duration, n int) time.Duration {
	t.Helper()
	begun := time.Now()
	harness.EventuallyWithin(t, within, fmt.Sprintf("%d companies are audited", n), func() bool { return f.audited(t) >= n })
	return time.Since(begun)
}

// scanning returns the replica that scans, and the other one.
func (f *fleet) scanning(t *testing.T) (scans, waits *harness.Service) {
	t.Helper()
	requests := func(d *harness.Service) string {
		_, rest, _ := strings.Cut(d.Metrics(t), `directory_provider_requests_total{api="businessprofileperformance",by="scans",provider="provider_search"} `)
		n, _, _ := strings.Cut(rest, "\n")
		return n
	}
	harness.EventuallyWithin(t, time.Minute, "a replica scans", func() bool {
		for i, d := range f.Directories {
			before := requests(d)
			time.Sleep(500 * time.Millisecond)
			if requests(d) != before {
				scans, waits = d, f.Directories[1-i]
				return true
			}
		}
		return false
	})
	return scans, waits
}

// claimed are the profiles that were claimed in the last half minute, for three. Older claims
// are of the replica that was killed.
const claimed = "oauth_tokens WHERE service = 'search_profile' AND sync_claimed_until > now() + interval '150 s'"

// interrupt sends a signal to the replica that scans, while calls to Google are under way.
func (f *fleet) interrupt(t *testing.T, signal syscall.Signal) (interrupted, other *harness.Service) {
	t.Helper()
	f.Sandbox.Fault(t, "search", `{"kind": "slow", "delay_ms": 2000}`)
	defer f.Sandbox.Fault(t, "search", "")
	harness.EventuallyWithin(t, time.Minute, "a replica is interrupted at its work", func() bool {
		interrupted, other = f.scanning(t)
		if err := interrupted.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // for statements that were sent before
		if f.count(t, "SELECT count(*) FROM "+claimed) >= 4 {
			return true
		}
		_ = interrupted.Signal(syscall.SIGCONT)
		return false
	})
	if signal != syscall.SIGSTOP {
		_ = interrupted.Stop(signal)
	}
	return interrupted, other
}

// TestFleet audits every company once in its week, while one replica is killed and one is
// frozen for longer than its lease, and the providers refuse and fail.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("starts programs")
	}
	begun := time.Now()
	f := newFleet(t)
	t.Logf("%d connections after %s", f.count(t, "SELECT count(*) FROM oauth_tokens"), time.Since(begun).Round(time.Second))

	f.await(t, time.Minute, companies/10)
	killed, _ := f.interrupt(t, syscall.SIGKILL)
	f.start(t, killed)
	t.Logf("killed: the next audits after %s", f.await(t, recovered, f.audited(t)+20).Round(time.Second))

	f.freeze(t, leaseEnds+10*time.Second)
	f.deactivate(t, func() { f.freeze(t, 140*time.Second) }) // longer than the work on a company may take
	f.quota(t)
	f.outage(t)

	t.Logf("the last company is audited %s later", f.await(t, 10*time.Minute, companies).Round(time.Second))
	all := time.Now()
	harness.EventuallyWithin(t, 3*scanInterval, "every connection is scanned once more", func() bool {
		return f.count(t, fmt.Sprintf("SELECT count(*) FROM oauth_tokens WHERE company_id >= 1000000 AND sync_scanned_at < to_timestamp(%d)", all.Unix())) == 0
	})
	f.check(t)
}
