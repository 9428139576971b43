package prove

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/stack"
)

// victim is a program that is killed, how often compared with the others, and how
// it is started again.
type victim struct {
	weight int
	stop   func(syscall.Signal) error
	start  func(*testing.T)
}

// stale is how long a connection to a database that is gone may cost its user the
// answer: one that was idle for longer than a second is tried before it is used.
const stale = 1100 * time.Millisecond

// TestKill kills every program at random moments during writes. After each restart
// every acknowledged write is there, and no half-written one.
func TestKill(t *testing.T) {
	measured := figures(t, "kill -9 of every program during writes: each acknowledged write is there after the restart, no half-written one")
	kills := number(t, "PROVE_KILLS", 200)
	r := chance(t)
	var done, acknowledged int
	t.Run("postgresql", func(t *testing.T) {
		server := stack.StartPostgres(t)
		database := server.NewDatabase(t)
		s := stack.New(t, stack.Options{
			Directories: 2, Replicas: 2, Redis: true, Database: server.URL(server.Addr, database),
			Env: []string{"HARDWARE_PRICE_INTERVAL=20ms", "HARDWARE_MAX_REPLICAS=2"},
		})
		victims := programs(s)
		victims["postgresql"] = victim{4, func(sig syscall.Signal) error { return server.Stop(sig) }, func(t *testing.T) {
			server.Start(t)
			<-time.After(stale)
		}}
		round := newRound(t, s, r, victims)
		round.database = server.Open(t, database)
		round.run(t, kills-kills/4)
		done, acknowledged = done+kills-kills/4, acknowledged+round.acknowledged()
	})
	t.Run("sqlite", func(t *testing.T) {
		s := stack.New(t, stack.Options{Directories: 2})
		round := newRound(t, s, r, map[string]victim{"directory": programs(s)["directory"], "directory-2": programs(s)["directory-2"]})
		round.run(t, kills/4)
		done, acknowledged = done+kills/4, acknowledged+round.acknowledged()
	})
	measured("%d kills, %d acknowledged writes looked for", done, acknowledged)
}

// programs are the parts of a stack that may be killed; the sandbox is the outside
// world.
func programs(s *stack.Stack) map[string]victim {
	service := func(weight int, p *stack.Service) victim {
		return victim{weight, func(sig syscall.Signal) error { return p.Stop(sig) }, p.Start}
	}
	victims := map[string]victim{
		"directory": service(4, s.Directories[0]), "directory-2": service(4, s.Directories[1]),
		"hardware": service(3, s.Hardware[0]), "gateway": service(1, s.Proxy),
	}
	if s.Redis != nil {
		victims["redis"] = victim{2, func(sig syscall.Signal) error { return s.Redis.Stop(sig) }, func(t *testing.T) {
			s.Redis.Start(t)
			shares(t, s)
		}}
	}
	return victims
}

// round is one kill after the other in a stack.
type round struct {
	stack    *stack.Stack
	chance   *rand.Rand
	victims  map[string]victim
	writers  []*writer
	shopper  *shopper
	database *sql.DB // nil: what it holds is judged by the API alone
}

func newRound(t *testing.T, s *stack.Stack, r *rand.Rand, victims map[string]victim) *round {
	t.Helper()
	return &round{stack: s, chance: r, victims: victims, writers: newWriters(t, s, 4), shopper: newShopper(t, s)}
}

func (r *round) acknowledged() (n int) {
	for _, w := range r.writers {
		n += w.acked
	}
	return n + len(r.shopper.told)
}

func (r *round) run(t *testing.T, kills int) {
	t.Helper()
	count := map[string]int{}
	for i := range kills {
		name := r.pick()
		count[name]++
		victim := r.victims[name]
		r.write(t, func() { _ = victim.stop(syscall.SIGKILL) })
		victim.start(t)
		r.stack.AwaitGateway(t)
		for _, w := range r.writers {
			w.verify(t)
		}
		r.shopper.verify(t, name == "redis")
		if r.database != nil {
			whole(t, r.database)
		}
		if t.Failed() {
			t.Fatalf("after kill %d, of %s", i+1, name)
		}
	}
	revoked := 0
	for _, w := range r.writers {
		revoked += w.revoked
	}
	t.Logf("killed: %v; %d connections were made before the last grant was withdrawn", count, revoked)
}

// pick chooses by weight.
func (r *round) pick() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.victims)) {
		for range r.victims[name].weight {
			names = append(names, name)
		}
	}
	return names[r.chance.IntN(len(names))]
}

// write lets everybody write, kills at a random moment, and returns once each
// writer has met the loss or has written for a while.
func (r *round) write(t *testing.T, kill func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	over := make(chan struct{})
	var wg sync.WaitGroup
	seed := r.chance.Uint64()
	for i, w := range r.writers {
		w.visitor.HTTP.CloseIdleConnections()
		wg.Go(func() { w.work(ctx, rand.New(rand.NewPCG(seed, uint64(i))), over) }) // #nosec G404 G115 -- choices of a test
	}
	wg.Go(func() { r.shopper.work(ctx, over) })
	<-time.After(time.Duration(r.chance.IntN(60_000)) * time.Microsecond)
	kill()
	close(over)
	wg.Wait()
}

// work writes until a change goes unanswered or it is over.
func (w *writer) work(ctx context.Context, r *rand.Rand, over <-chan struct{}) {
	for {
		if err := w.write(ctx, r); err != nil {
			return
		}
		select {
		case <-over:
			return
		default:
		}
	}
}

// whole looks into the database for halves: what is stored in one transaction has
// to agree.
func whole(t *testing.T, db *sql.DB) {
	t.Helper()
	halves := map[string]string{
		"connections that differ from the newest line of their trail": `
			SELECT count(*) FROM oauth_tokens o CROSS JOIN LATERAL (
				SELECT action FROM audit_trail a WHERE a.company_id = o.company_id AND a.provider = o.provider
				AND a.service = o.service AND action IN ('connect', 'disconnect') ORDER BY id DESC LIMIT 1) newest
			WHERE o.is_active <> (newest.action = 'connect')`,
		"connections without a line": `
			SELECT count(*) FROM oauth_tokens o WHERE NOT EXISTS (SELECT 1 FROM audit_trail a
				WHERE a.company_id = o.company_id AND a.provider = o.provider AND a.service = o.service)`,
		"page configurations that differ from their connection": `
			SELECT count(*) FROM social_media_configs c LEFT JOIN oauth_tokens o
				ON o.company_id = c.company_id AND o.service = 'social_pages' AND o.account_id = c.page_id AND o.is_active = c.is_active
			WHERE o.id IS NULL`,
		"active connections without a credential": `
			SELECT count(*) FROM oauth_tokens WHERE is_active AND access_token = ''`,
		"ended connections with a credential": `
			SELECT count(*) FROM oauth_tokens WHERE NOT is_active AND (access_token <> '' OR refresh_token <> '')`,
	}
	for what, query := range halves {
		if n, err := count(t.Context(), db, query); n != 0 || err != nil {
			t.Errorf("%d %s (%v)", n, what, err)
		}
	}
}

// count tries again: the connections of the pool may be those of the server that
// was killed.
func count(ctx context.Context, db *sql.DB, query string) (n int, err error) {
	for range 3 {
		if err = db.QueryRowContext(ctx, query).Scan(&n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("count: %w", err)
}
