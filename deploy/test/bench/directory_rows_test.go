package bench

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// executed is a statement of the service with its execution in PostgreSQL.
type executed struct {
	database     string
	text         string
	milliseconds float64
	plan         plan
}

// plan is a step of an execution plan, with the steps below it.
type plan struct {
	Node     string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Plans    []plan
}

// all returns the steps of p.
func (p plan) all() []plan {
	list := []plan{p}
	for _, below := range p.Plans {
		list = append(list, below.all()...)
	}
	return list
}

// explained contains settings with which PostgreSQL logs every statement with its plan.
var explained = []string{
	"session_preload_libraries=auto_explain", "auto_explain.log_min_duration=0", "auto_explain.log_format=json",
	"auto_explain.log_analyze=on", "auto_explain.log_timing=off",
}

var logged = regexp.MustCompile(`(?m)^database (\S*) LOG:  duration: ([0-9.]+) ms  plan:\n`)

// statements extracts the statements from the log.
func statements(t *testing.T, log string) (list []executed) {
	t.Helper()
	for _, at := range logged.FindAllStringSubmatchIndex(log, -1) {
		var e struct {
			Text string `json:"Query Text"`
			Plan plan
		}
		if err := json.NewDecoder(strings.NewReader(log[at[1]:])).Decode(&e); err != nil {
			t.Fatal(err)
		}
		took, err := strconv.ParseFloat(log[at[4]:at[5]], 64)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, executed{log[at[2]:at[3]], e.Text, took, e.Plan})
	}
	return list
}

const (
	small, large = 10_000, 1_000_000
	// flat is the maximum ratio of a statement's times, with 100 times the rows.
	flat = 1.5
	// asks is the number of companies that are read, each of them twice before it counts.
	asks = 200
)

// TestRows compares the plans and times of the reads' statements with few and many rows.
func TestRows(t *testing.T) {
	table := newTable(t, "rows", "read", "tables", "indexes", "with 10,000, ms", "with 1,000,000, ms", "ratio", "wanted", "")
	server := harness.StartPostgres(t)
	server.Set(t, "log_line_prefix", "database %d ")
	s := harness.New(t, harness.Options{Directories: 1})
	directories := []*directory{newDirectory(t, s, server, small, explained...), newDirectory(t, s, server, large, explained...)}
	for _, r := range append(slices.Clone(reads), readUser) {
		begin := 0
		for round := range 3 {
			if round == 2 {
				begin = len(server.Log.String())
			}
			for i := range asks {
				for _, c := range directories {
					c.ask(t, r, firstCompany+i*(c.companies/asks))
				}
			}
		}
		for _, e := range compareRows(t, server, begin, directories) {
			table.row(r.name, e.tables, e.indexes, fmt.Sprintf("%.3f", e.few), fmt.Sprintf("%.3f", e.many),
				fmt.Sprintf("%.2f", e.many/e.few), fmt.Sprintf("≤ %.1f", flat), verdict(e.many <= flat*e.few))
		}
	}
}

// compared is a statement in both databases. Times are medians in milliseconds.
type compared struct {
	tables, indexes string
	few, many       float64
}

// compareRows evaluates the log from begin on: the statements that every request executed.
func compareRows(t *testing.T, server *harness.Postgres, begin int, directories []*directory) (list []compared) {
	t.Helper()
	awaitLog(t, server, directories[0].db)
	var order []string
	found := map[string]map[string][]executed{} // by text and database
	for _, e := range statements(t, server.Log.String()[begin:]) {
		if found[e.text] == nil {
			found[e.text] = map[string][]executed{}
		}
		order = append(slices.DeleteFunc(order, func(text string) bool { return text == e.text }), e.text) // as in the last request
		found[e.text][e.database] = append(found[e.text][e.database], e)
	}
	order = slices.DeleteFunc(order, func(text string) bool { // in the background
		return len(found[text][directories[0].name()]) < asks || len(found[text][directories[1].name()]) < asks
	})
	if len(order) == 0 {
		t.Fatal("no statement was executed for each request")
	}
	for _, text := range order {
		few, many := found[text][directories[0].name()], found[text][directories[1].name()]
		last := many[len(many)-1].plan
		list = append(list, compared{
			tables: join(last, func(p plan) string { return p.Relation }), indexes: join(last, func(p plan) string { return p.Index }),
			few: median(few), many: median(many),
		})
		for _, step := range last.all() {
			if step.Relation != "" && step.Index == "" {
				t.Errorf("%s reads %s without an index: %s", step.Node, step.Relation, text)
			}
		}
	}
	return list
}

func join(p plan, name func(plan) string) string {
	var names []string
	for _, step := range p.all() {
		if n := name(step); n != "" {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

func median(list []executed) float64 {
	times := make([]float64, len(list))
	for i, e := range list {
		times[i] = e.milliseconds
	}
	return quantile(times, 0.5)
}
