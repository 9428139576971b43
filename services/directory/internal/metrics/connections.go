package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
)

// State is what is counted of all connections and of the work that waits.
type State struct {
	Broken      map[provider.Pair]int
	Revocations map[provider.Name]Revocations
	Interval    time.Duration // of the scan; 0 if this process does not scan
	Due         int           // connections that were not scanned within the interval
	Ahead       int           // connections that were scanned in the future
	Oldest      time.Time     // when the scan was at the connection that has waited longest
	Pauses      []scan.Pause
	Incidents   []incident.Incident
	Jobs        []jobs.Count
	Deliveries  int64 // that wait for an attempt
}

// Revocations are the grants that have yet to be withdrawn at a provider.
type Revocations struct {
	Pending int64
	Oldest  time.Time // when the first of the connections ended; zero if there is none
}

// Connections show the state of all connections, which is the same in every replica.
type Connections struct {
	broken      *prometheus.GaugeVec
	revocations *prometheus.GaugeVec
	unrevoked   *prometheus.GaugeVec
	pauses      *prometheus.GaugeVec
	incidents   *prometheus.GaugeVec
	interval    prometheus.Gauge
	due         prometheus.Gauge
	ahead       prometheus.Gauge
	oldest      prometheus.Gauge
	jobs        *prometheus.GaugeVec
	jobsDue     *prometheus.GaugeVec
	jobsLate    *prometheus.GaugeVec
	deliveries  prometheus.Gauge
}

// NewConnections registers the metrics of connections.
func NewConnections(registry prometheus.Registerer) *Connections {
	m := &Connections{
		broken: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_connections_broken",
			Help: "Active connections whose credential is lost until their user connects again.",
		}, []string{"provider", "service"}),
		revocations: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_revocations_pending",
			Help: "Grants of ended connections that have yet to be withdrawn at their provider.",
		}, []string{"provider"}),
		unrevoked: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_revocation_oldest_timestamp_seconds",
			Help: "When the connection ended whose grant has waited longest to be withdrawn; 0: there is none.",
		}, []string{"provider"}),
		pauses: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_scan_pauses",
			Help: "What the enrichment scan leaves out because a provider refused it: the whole provider or its " +
				"renewals (0 or 1), services of it, or tasks on single connections.",
		}, []string{"provider", "of"}),
		incidents: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_app_wide_failures",
			Help: "App-wide failures that have not ended: the provider refuses the app, whoever connected.",
		}, []string{"provider"}),
		interval: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_interval_seconds",
			Help: "How often the enrichment scan comes to a connection; 0: this process does not scan.",
		}),
		due: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_due_connections",
			Help: "Connections that the enrichment scan has not come to within its interval; 0 without one.",
		}),
		ahead: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_ahead_connections",
			Help: "Connections that a clock which was ahead scanned in the future; the next scan makes them due.",
		}),
		oldest: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_scan_oldest_timestamp_seconds",
			Help: "When the connection was scanned, or made, that the enrichment scan has not come to for the " +
				"longest; 0: there is none.",
		}),
		jobs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_jobs", Help: "Background jobs that wait, run or were given up, by kind and state.",
		}, []string{"kind", "state"}),
		jobsDue: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_job_oldest_due_timestamp_seconds",
			Help: "Since when the job of a kind has been due that has waited longest for a worker; 0: none waits.",
		}, []string{"kind"}),
		jobsLate: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "directory_job_late_seconds", Help: "For how long a job of a kind may be due before that is an " +
				"alert.",
		}, []string{"kind"}),
		deliveries: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "directory_webhook_waiting", Help: "Events that wait to be sent to a webhook.",
		}),
	}
	for kind, late := range jobs.Late() {
		m.jobsDue.WithLabelValues(kind)
		m.jobsLate.WithLabelValues(kind).Set(late.Seconds())
	}
	for _, p := range provider.Pairs() {
		m.broken.WithLabelValues(string(p.Provider), string(p.Service))
	}
	registry.MustRegister(
		m.broken,
		m.revocations,
		m.unrevoked,
		m.pauses,
		m.incidents,
		m.interval,
		m.due,
		m.ahead,
		m.oldest,
		m.jobs, m.jobsDue, m.jobsLate, m.deliveries,
	)
	return m
}

// Set shows a state.
func (m *Connections) Set(state State) {
	for _, p := range provider.Pairs() {
		m.broken.WithLabelValues(string(p.Provider), string(p.Service)).Set(float64(state.Broken[p]))
	}
	for _, name := range provider.Names() {
		pending := state.Revocations[name]
		m.revocations.WithLabelValues(string(name)).Set(float64(pending.Pending))
		m.unrevoked.WithLabelValues(string(name)).Set(unixOrZero(pending.Oldest))
		n := 0
		for _, i := range state.Incidents {
			if i.Provider == name {
				n++
			}
		}
		m.incidents.WithLabelValues(string(name)).Set(float64(n))
	}
	m.setJobs(state.Jobs)
	m.setPauses(state.Pauses)
	m.interval.Set(state.Interval.Seconds())
	m.due.Set(float64(state.Due))
	m.ahead.Set(float64(state.Ahead))
	m.oldest.Set(unixOrZero(state.Oldest))
	m.deliveries.Set(float64(state.Deliveries))
}

// unixOrZero is t as a metric shows it; 0 is the zero time.
func unixOrZero(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

func (m *Connections) setJobs(counts []jobs.Count) {
	m.jobs.Reset()
	due := map[string]time.Time{}
	for _, c := range counts {
		m.jobs.WithLabelValues(c.Kind, c.State).Set(float64(c.Jobs))
		if !c.Due.IsZero() {
			due[c.Kind] = c.Due
		}
	}
	for kind := range jobs.Late() {
		m.jobsDue.WithLabelValues(kind).Set(unixOrZero(due[kind]))
	}
}

func (m *Connections) setPauses(list []scan.Pause) {
	for _, name := range provider.Names() {
		whole := 0
		service := 0
		renewals := 0
		single := 0
		for _, p := range list {
			switch {
			case p.Provider != name:
			case p.Service == "" && p.Task != "":
				renewals = 1
			case p.Service == "":
				whole = 1
			case p.CompanyID == 0:
				service++
			default:
				single++
			}
		}
		m.pauses.WithLabelValues(string(name), "provider").Set(float64(whole))
		m.pauses.WithLabelValues(string(name), "service").Set(float64(service))
		m.pauses.WithLabelValues(string(name), "renewals").Set(float64(renewals))
		m.pauses.WithLabelValues(string(name), "connections").Set(float64(single))
	}
}
