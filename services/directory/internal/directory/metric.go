package directory

import (
	"slices"
	"time"

	"backend.example/services/internal/kit/fault"
)

// MetricsState says how many of an account's metrics a sync could read.
type MetricsState uint8

// The states. What the provider does not have, or no longer knows, is missing from
// a complete reading, too.
const (
	MetricsComplete MetricsState = iota
	MetricsPartial
	MetricsSkipped
)

var metricsStates = []string{MetricsComplete: "complete", MetricsPartial: "partial", MetricsSkipped: "skipped"}

// String is the state's name, e.g. "partial".
func (s MetricsState) String() string { return metricsStates[s] }

// ParseMetricsState is the reverse of String. The empty text is MetricsComplete: a
// complete reading is stored without its state.
func ParseMetricsState(name string) MetricsState {
	return MetricsState(max(0, slices.Index(metricsStates, name))) // #nosec G115 -- an index of three
}

// MetricsReading tells how far the metrics of a sync came.
type MetricsReading struct {
	State    MetricsState
	Reason   string               // why it is not complete, in Polish
	KeptFrom map[string]time.Time // metrics of an earlier sync, and when that read them
}

// Missed is what a provider did not give although it has it: for now, or because a
// permission is missing.
type Missed struct {
	Metrics []string
	Err     error // why; nil: nothing was missed
}

// metricsOf is a set of metrics as a sync found it.
type metricsOf struct {
	figures     map[string]any
	unavailable []string
	reading     MetricsReading
	at          time.Time
}

// keep takes what was missed from the reading before, so that a sync that could
// not read a figure does not lose it. Its state is that of what was read now.
func (m *metricsOf) keep(missed Missed, before metricsOf) {
	if missed.Err == nil {
		return
	}
	m.reading = MetricsReading{State: MetricsPartial, Reason: fault.From(missed.Err).Message}
	if len(m.figures) == 0 {
		m.reading.State = MetricsSkipped
	}
	figures := map[string]any{}
	for name, figure := range m.figures {
		figures[name] = figure
	}
	m.figures = figures
	for _, name := range missed.Metrics {
		if slices.Contains(before.unavailable, name) {
			m.unavailable = append(slices.Clip(m.unavailable), name)
		}
		figure, ok := before.figures[name]
		if !ok {
			continue
		}
		if m.reading.KeptFrom == nil {
			m.reading.KeptFrom = map[string]time.Time{}
		}
		m.figures[name], m.reading.KeptFrom[name] = figure, before.at
		if at, ok := before.reading.KeptFrom[name]; ok {
			m.reading.KeptFrom[name] = at
		}
	}
}
