package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/bench/pair"
	"backend.example/deploy/test/bench/wrk"
	"backend.example/deploy/test/harness"
)

// clients ask at once, the service as well as PostgreSQL itself.
const clients = 8

// TestReads compares the service with pgbench, which sends the statements of the same
// read to the same server and does nothing with the rows. Everything runs on all
// processors: service, PostgreSQL and wrk, and beside them pgbench and PostgreSQL.
func TestReads(t *testing.T) {
	table := newTable(t, "reads", "what", "rival", "service, answers/s", "rival, reads/s", "ratio", "wanted", "")
	server := harness.StartPostgres(t)
	c := newDirectory(t, harness.New(t, harness.Options{Directories: 1}), server, small, "log_statement=all")
	company := firstCompany + small/2
	c.assignUser(t, company)
	for _, r := range reads {
		c.ask(t, r, company) // from now on the service has what it keeps
	}
	harness.Execute(t, c.db, "DO $$ BEGIN RAISE LOG 'all was asked once'; END $$")
	harness.Eventually(t, "the log is complete", func() bool { return strings.Contains(server.Log.String(), "all was asked once") })
	scripts := make([]script, len(reads))
	for i, r := range reads {
		begin := len(server.Log.String())
		c.ask(t, r, company)
		harness.Eventually(t, "the statements are in the log", func() bool {
			scripts[i] = recordedScript(server.Log.String()[begin:])
			return len(scripts[i].statements) == 2
		})
	}
	c.service.Terminate(t)
	c.configure()
	c.service.Start(t)
	for i, r := range reads {
		result := pair.Compare(pair.Limits{Least: 5, Most: 9, Steady: 0.06}, c.rate(t, r.path(company)), scripts[i].rival(t, c.address))
		table.ratio(r.name, result, result.Ratios[0], r.least)
	}
}

// rate is the service, read at a path by the one who is logged in.
func (c *directory) rate(t *testing.T, path string) pair.Rival {
	t.Helper()
	load := wrk.Load{URL: c.service.URL() + path, Header: []string{c.cookie}, Connections: clients, Time: time.Second, CPU: -1}
	return measured(t, "service", load)
}

// script is what a read sends to the database.
type script struct {
	statements []string          // with the variables of pgbench
	values     map[string]string // of the variables
}

var (
	sent      = regexp.MustCompile(`LOG:  execute [^:]*: (SELECT .*(?:\n\t.*)*)\n.*DETAIL:  parameters: (.*)\n`)
	numbered  = regexp.MustCompile(`\$(\d+)`)
	parameter = regexp.MustCompile(`\$(\d+) = '((?:[^']|'')*)'`)
)

// recordedScript reads the server's log of one read.
func recordedScript(log string) script {
	s := script{values: map[string]string{}}
	for i, found := range sent.FindAllStringSubmatch(log, -1) {
		name := fmt.Sprintf("s%dp", i)
		s.statements = append(s.statements, numbered.ReplaceAllString(found[1], ":"+name+"$1")+";")
		for _, value := range parameter.FindAllStringSubmatch(found[2], -1) {
			s.values[name+value[1]] = strings.ReplaceAll(value[2], "''", "'")
		}
	}
	return s
}

var transactions = regexp.MustCompile(`tps = ([0-9.]+) `)

// rival is pgbench with the script.
func (s script) rival(t *testing.T, address string) pair.Rival {
	t.Helper()
	file := filepath.Join(t.TempDir(), "read.sql")
	harness.WriteFile(t, file, strings.Join(s.statements, "\n"))
	args := []string{"-n", "-M", "prepared", "-c", strconv.Itoa(clients), "-T", "1", "-f", file}
	for name, value := range s.values {
		args = append(args, "-D", name+"="+value)
	}
	program := harness.Installed(t, "pgbench")
	return pair.Rival{Name: "pgbench, the same statements", Measure: func() float64 {
		out, err := exec.CommandContext(t.Context(), program, append(args, address)...).CombinedOutput() // #nosec G204 -- arguments of the benchmarks
		found := transactions.FindSubmatch(out)
		if err != nil || found == nil {
			t.Fatalf("pgbench: %v\n%s", err, out)
		}
		tps, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return tps
	}}
}
