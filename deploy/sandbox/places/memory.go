package places

import "backend.example/deploy/sandbox/internal/standin"

// The groups of the site's counters.
const (
	countRequests = "requests" // by method
	countSKUs     = "skus"     // by what an answered request would have cost
	countRefusals = "refusals" // by reason or status
)

// state is what the control address shows: how often each thing happened.
type state struct {
	Counts map[string]map[string]int `json:"counts"`
}

type memory struct{ *site }

func (m memory) State() any {
	counts := map[string]map[string]int{}
	for _, group := range []string{countRequests, countSKUs, countRefusals} {
		counts[group] = m.tally.Count(group)
	}
	return state{counts}
}

func (m memory) Forget() { m.tally.Clear() }

// Actions is empty: the site remembers nothing that could be changed.
func (m memory) Actions() []standin.Action { return nil }
