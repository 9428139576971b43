//go:build linux

package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

// TestHistories checks what clients and upstreams observed against models. Histories under
// faults have to conform. Without locks they must not, which shows that the check works.
func TestHistories(t *testing.T) {
	f := newFleet(t)
	f.sandbox.Toggle(t, "search", `{"rotate_refresh_tokens": true, "access_token_seconds": 60}`) // every use renews
	none := func(*testing.T) {}
	for _, test := range []struct {
		name   string
		model  porcupine.Model
		record func(t *testing.T, f *fleet, plant, during func(*testing.T)) []porcupine.Operation
		during func(*testing.T)            // a fault under which the history has to conform
		plants map[string]func(*testing.T) // removes locks, after which it must not conform
	}{
		{"audits of an hour", atMost(20), recordAudits, f.killDirectory, map[string]func(*testing.T){"no lock": f.separate, "late lock": f.lockLate}},
		{"OAuth state", atMost(1), recordStates, f.killDirectory, map[string]func(*testing.T){"no lock": f.separate}},
		{"renewal of a token", renewals, recordRenewals, none, map[string]func(*testing.T){"no lock": f.separate}},
		{"requests to the aggregator", pace, recordPace, f.killMaster, map[string]func(*testing.T){"double slot": f.doubleSlots}},
	} {
		check := func(t *testing.T, plant, during func(*testing.T), want porcupine.CheckResult) {
			history := test.record(t, f, plant, during)
			counts := map[any]int{}
			for _, o := range history {
				counts[o.Output]++
			}
			got := porcupine.CheckOperationsTimeout(test.model, history, time.Minute)
			t.Logf("%d operations %v: %s", len(history), counts, got)
			if got != want {
				t.Errorf("the history is %s, want %s", got, want)
			}
		}
		t.Run(test.name, func(t *testing.T) {
			t.Run("under faults", func(t *testing.T) { check(t, f.disturb, test.during, porcupine.Ok) })
			for name, plant := range test.plants {
				t.Run(name, func(t *testing.T) { check(t, plant, none, porcupine.Illegal) })
			}
		})
	}
}

// history collects operations of concurrent clients.
type history struct {
	mu         sync.Mutex
	operations []porcupine.Operation
}

func (h *history) add(client int, input any, call, ended time.Time, output any) {
	o := porcupine.Operation{ClientId: client, Input: input, Call: call.UnixNano(), Output: output, Return: ended.UnixNano()}
	if output == unknown {
		o.Return = math.MaxInt64
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, o)
}

// concurrently distributes n operations over the clients and calls during in the middle.
func concurrently(t *testing.T, clients, n int, during func(*testing.T), do func(client, i int)) {
	t.Helper()
	next := make(chan int)
	var working sync.WaitGroup
	for client := range clients {
		working.Go(func() {
			for i := range next {
				do(client, i)
			}
		})
	}
	for i := range n {
		if i == n/2 {
			during(t)
		}
		next <- i
	}
	close(next)
	working.Wait()
}

// at returns the visitor with a direct connection to a machine.
func at(v *harness.Visitor, m *machine) *harness.Visitor {
	direct := *v.HTTP
	direct.Transport, direct.Timeout = towards(m), 30*time.Second
	return &harness.Visitor{Base: site, HTTP: &direct}
}

// addUser adds a user to the company of the demonstration data.
func (f *fleet) addUser(t *testing.T) (email string) {
	t.Helper()
	email = strings.ToLower(harness.NewKey()[:9]) + "@demo.example"
	f.directories[0].run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", "piekarnia-kowalski", "--password", harness.DemoPassword)
	return email
}

func (f *fleet) newUser(t *testing.T) *harness.Visitor {
	t.Helper()
	v := f.visitor(t)
	v.Login(t, f.addUser(t))
	return v
}

// recordAudits exceeds the hourly limit of audits for one user.
func recordAudits(t *testing.T, f *fleet, plant, during func(*testing.T)) []porcupine.Operation {
	v, h := f.newUser(t), &history{}
	plant(t)
	concurrently(t, 9, 45, during, func(client, i int) {
		call := time.Now()
		a, err := at(v, f.directories[i%replicas]).Try(t.Context(), http.MethodPost, "/api/bizprofile/audit", map[string]string{"slug": "piekarnia-kowalski"})
		output := unknown
		switch {
		case err == nil && a.Status == http.StatusOK:
			output = granted
		case err == nil && a.Status == http.StatusTooManyRequests:
			output = refused
		}
		h.add(client, "audit", call, time.Now(), output)
	})
	return h.operations
}

// recordStates calls the callback several times with each of several states.
func recordStates(t *testing.T, f *fleet, plant, during func(*testing.T)) []porcupine.Operation {
	const states = 8
	h := &history{}
	var visitors []*harness.Visitor
	var callbacks []string
	for range states {
		v := f.newUser(t)
		visitors = append(visitors, v)
		callbacks = append(callbacks, v.Decide(t, v.Authorize(t, harness.SearchProfile), harness.AllowAll("anna")))
	}
	plant(t)
	concurrently(t, 6, 6*states, during, func(client, i int) {
		call := time.Now()
		a, err := at(visitors[i/6], f.directories[i%replicas]).Try(t.Context(), http.MethodGet, callbacks[i/6], nil)
		output := granted // whatever the result of its code
		switch location := a.Header.Get("Location"); {
		case err != nil || a.Status != http.StatusFound || strings.HasSuffix(location, "oauth_error=server_error"):
			output = unknown
		case strings.HasSuffix(location, "oauth_error=invalid_state"):
			output = refused
		}
		h.add(client, callbacks[i/6], call, time.Now(), output)
	})
	return h.operations
}

// recordRenewals uses a connection whose token is renewed at every use.
func recordRenewals(t *testing.T, f *fleet, plant, during func(*testing.T)) []porcupine.Operation {
	h := &history{}
	provider := f.recordTokens(t, h)
	for _, d := range f.directories {
		d.env = append(d.env, "PROVIDER_SEARCH_BASE_URL="+provider) // the last one counts
	}
	f.restart(t, f.directories)
	v := f.newUser(t)
	v.Connect(t, harness.SearchProfile, "anna")
	plant(t)
	concurrently(t, 6, 24, during, func(_, i int) {
		_, _ = at(v, f.directories[i%replicas]).Try(t.Context(), http.MethodPost, "/api/oauth/provider_search/discover-locations", nil)
	})
	if len(h.operations) < 4 {
		t.Fatalf("only %d moments of renewals", len(h.operations))
	}
	return h.operations
}

// recordTokens runs a proxy of the provider that records token requests.
func (f *fleet) recordTokens(t *testing.T, h *history) (base string) {
	t.Helper()
	upstream, err := url.Parse(f.sandbox.Search)
	if err != nil {
		t.Fatal(err)
	}
	note := func(r renewal) { h.add(0, r, time.Now(), time.Now(), nil) }
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			body, _ := io.ReadAll(r.In.Body)
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
			if form, _ := url.ParseQuery(string(body)); form.Get("grant_type") == "refresh_token" {
				note(renewal{begins: true, token: form.Get("refresh_token")})
				r.Out.Header.Set("X-Renewal", "1")
				time.Sleep(20 * time.Millisecond) // so that others may overlap
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Header.Get("X-Renewal") == "" {
				return nil
			}
			body, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			var answer struct {
				RefreshToken string `json:"refresh_token"`
			}
			if r.StatusCode == http.StatusOK && err == nil {
				err = json.Unmarshal(body, &answer)
			}
			note(renewal{token: answer.RefreshToken})
			return err
		},
	}
	return f.serve(t, proxy)
}

// recordPace requests new products from all replicas.
func recordPace(t *testing.T, f *fleet, plant, during func(*testing.T)) []porcupine.Operation {
	plant(t)
	h, before := &history{}, f.sandbox.Requests(t, "aggregator")
	name := harness.NewKey()[:9]
	concurrently(t, 9, 36, during, func(_, i int) {
		by := &http.Client{Transport: towards(f.hardware[i%replicas])}
		_, _ = harness.Send(t.Context(), by, http.MethodGet, fmt.Sprintf("%s/api/prices/ceneo?q=dysk+%s+%d", site, name, i), nil)
	})
	for _, a := range f.sandbox.Requests(t, "aggregator")[len(before):] {
		moment := time.Unix(0, a.At)
		h.add(0, a.At, moment, moment, nil)
	}
	return h.operations
}

// outcome is the result of a request as the client observed it.
type outcome string

const (
	granted outcome = "granted"
	refused outcome = "refused"
	unknown outcome = "unknown" // no answer: it may have been granted, at any time since
)

// atMost models a limit of grants that are never returned within a test. With a limit of 1
// it models a value that can be taken once.
func atMost(most int) porcupine.Model {
	model := porcupine.NondeterministicModel{
		Partition: bySubject,
		Init:      func() []any { return []any{0} },
		Step: func(state, _, output any) []any {
			taken := state.(int)
			switch {
			case output == refused && taken == most:
				return []any{taken}
			case output == granted && taken < most:
				return []any{taken + 1}
			case output == unknown && taken < most:
				return []any{taken, taken + 1}
			case output == unknown:
				return []any{taken}
			}
			return nil
		},
	}
	return model.ToModel()
}

// bySubject partitions a history by its inputs.
func bySubject(history []porcupine.Operation) (parts [][]porcupine.Operation) {
	place := map[any]int{}
	for _, o := range history {
		i, known := place[o.Input]
		if !known {
			i = len(parts)
			place[o.Input], parts = i, append(parts, nil)
		}
		parts[i] = append(parts[i], o)
	}
	return parts
}

// renewal is the arrival of a refresh token at the provider, or the departure of a new one.
type renewal struct {
	begins bool
	token  string
}

// renewals models one renewal at a time, each with the token of the previous one.
var renewals = porcupine.Model{
	Init: func() any { return renewal{} },
	Step: func(state, input, _ any) (bool, any) {
		last, now := state.(renewal), input.(renewal)
		if now.begins {
			return !last.begins && (last.token == "" || last.token == now.token), now
		}
		return last.begins, now
	},
}

// pace models the rate. The input is the arrival of a request, the state when it is expected.
var pace = porcupine.Model{
	Init: func() any { return int64(0) },
	Step: func(state, input, _ any) (bool, any) {
		next, inTime := leak(state.(int64), input.(int64))
		return inTime, next
	},
}

// separate gives each directory replica a copy of the database, so that they share no locks,
// until the test ends.
func (f *fleet) separate(t *testing.T) {
	t.Helper()
	f.useDatabases(t, func(i int) string {
		copied := fmt.Sprintf("copy_%d", i)
		harness.Execute(t, harness.OpenDatabase(t, f.postgres[0].url("postgres")), "DROP DATABASE IF EXISTS "+copied,
			"CREATE DATABASE "+copied+" TEMPLATE "+f.database)
		return f.databaseURL(copied)
	})
}

// lockLate makes each transaction read the database as it was before it waited for its lock.
func (f *fleet) lockLate(t *testing.T) {
	t.Helper()
	f.useDatabases(t, func(int) string {
		return f.databaseURL(f.database) + "&default_transaction_isolation=repeatable%20read"
	})
}

func (f *fleet) useDatabases(t *testing.T, url func(i int) string) {
	t.Helper()
	before := make([][]string, replicas)
	for i, d := range f.directories {
		_ = d.Stop(syscall.SIGTERM)
		before[i] = d.env
	}
	for i, d := range f.directories {
		d.env = append(d.env, "DIRECTORY_DATABASE_URL="+url(i))
	}
	f.restart(t, f.directories)
	t.Cleanup(func() {
		for i, d := range f.directories {
			d.env = before[i]
		}
		f.restart(f.t, f.directories)
	})
}

// doubleSlots runs the hardware replicas without Redis, each at the full rate.
func (f *fleet) doubleSlots(t *testing.T) {
	t.Helper()
	for _, h := range f.hardware {
		h.env = append(h.env, "HARDWARE_REDIS_URL=")
	}
	f.restart(t, f.hardware)
}

// restart restarts machines with their current settings.
func (f *fleet) restart(t *testing.T, machines []*machine) {
	t.Helper()
	for _, m := range machines {
		_ = m.Stop(syscall.SIGTERM)
		m.start(f.t)
	}
}

// disturb makes the network slow and lossy until the test ends.
func (f *fleet) disturb(t *testing.T) {
	t.Helper()
	f.net.Shape(10*time.Millisecond, 0.01)
	t.Cleanup(func() { f.net.Shape(netns.Usual, 0) })
}

// killDirectory kills and restarts a replica.
func (f *fleet) killDirectory(*testing.T) {
	f.directories[replicas-1].Kill()
	f.directories[replicas-1].start(f.t)
}

// killMaster kills the Redis master.
func (f *fleet) killMaster(t *testing.T) { f.master(t).Kill() }

// serve runs a server on the network until the test ends.
func (f *fleet) serve(t *testing.T, handler http.Handler) (base string) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	_ = server.Listener.Close()
	var err error
	if server.Listener, err = net.Listen("tcp", f.self.At(0)); err != nil {
		t.Fatal(err)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
