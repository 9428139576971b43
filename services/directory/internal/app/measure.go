package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
)

// measureInterval is how often the connections are counted.
const measureInterval = time.Minute

// measure counts the connections at once and in each interval, until ctx ends.
func (a *App) measure(ctx context.Context) {
	g := newGauges(a.registry)
	tick := time.NewTicker(measureInterval)
	defer tick.Stop()
	for {
		if err := a.count(ctx, g); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "connections not counted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// count sets g to what the database holds.
func (a *App) count(ctx context.Context, g *gauges) error {
	deliveries, err := a.Webhooks.Waiting(ctx)
	if err != nil {
		return err
	}
	g.deliveries.Set(float64(deliveries))
	broken, err := a.Store.CountBroken(ctx)
	if err != nil {
		return err
	}
	for _, p := range provider.Pairs() {
		g.broken.WithLabelValues(string(p.Provider), string(p.Service)).Set(float64(broken[p]))
	}
	for _, name := range provider.Names() {
		pending, oldest, err := a.Store.PendingRevocations(ctx, name)
		if err != nil {
			return err
		}
		g.revocations.WithLabelValues(string(name)).Set(float64(pending))
		g.unrevoked.WithLabelValues(string(name)).Set(unixOrZero(oldest))
	}
	if err := a.countJobs(ctx, g); err != nil {
		return err
	}
	if err := a.countPauses(ctx, g); err != nil {
		return err
	}
	return a.countScans(ctx, g)
}

func (a *App) countJobs(ctx context.Context, g *gauges) error {
	counts, err := jobs.New(a.DB).Counts(ctx)
	if err != nil {
		return err
	}
	g.jobs.Reset()
	due := map[string]time.Time{}
	for _, c := range counts {
		g.jobs.WithLabelValues(c.Kind, c.State).Set(float64(c.Jobs))
		if !c.Due.IsZero() {
			due[c.Kind] = c.Due
		}
	}
	for kind := range jobs.Late() {
		g.jobsDue.WithLabelValues(kind).Set(unixOrZero(due[kind]))
	}
	return nil
}

func (a *App) countPauses(ctx context.Context, g *gauges) error {
	pauses, err := a.Scan.Pauses(ctx)
	if err != nil {
		return err
	}
	incidents, err := a.Incidents.List(ctx)
	if err != nil {
		return err
	}
	type kind struct {
		provider provider.Name
		of       string
	}
	n := map[kind]int{}
	for _, p := range pauses {
		switch {
		case p.CompanyID != 0:
			n[kind{p.Provider, "connections"}]++
		case p.Service != "":
			n[kind{p.Provider, "service"}]++
		default:
			n[kind{p.Provider, "provider"}] = 1
		}
	}
	for _, i := range incidents {
		n[kind{i.Provider, "incidents"}]++
	}
	for _, name := range provider.Names() {
		for _, of := range []string{"provider", "service", "connections"} {
			g.pauses.WithLabelValues(string(name), of).Set(float64(n[kind{name, of}]))
		}
		g.incidents.WithLabelValues(string(name)).Set(float64(n[kind{name, "incidents"}]))
	}
	return nil
}

func (a *App) countScans(ctx context.Context, g *gauges) error {
	g.interval.Set(a.cfg.ScanInterval.Seconds())
	due, oldest, err := a.Scan.Backlog(ctx, a.DB.Now().Add(-a.cfg.ScanInterval))
	if err != nil {
		return err
	}
	if a.cfg.ScanInterval > 0 {
		g.due.Set(float64(due))
	}
	g.oldest.Set(unixOrZero(oldest))
	return nil
}

// unixOrZero is t as a metric shows it; 0 is the zero time.
func unixOrZero(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

// gauges show the state of all connections and of the work that waits, which is the same in every
// replica.
type gauges struct {
	broken, revocations, unrevoked, pauses, incidents *prometheus.GaugeVec
	interval, due, oldest                             prometheus.Gauge
	jobs, jobsDue                                     *prometheus.GaugeVec
	deliveries                                        prometheus.Gauge
}

func newGauges(registry prometheus.Registerer) *gauges {
	register := promauto.With(registry)
	one := func(name, help string) prometheus.Gauge {
		return register.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	by := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return register.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	g := &gauges{
		broken: by("directory_connections_broken",
			"Active connections whose credential is lost until their user connects again.", "provider", "service"),
		revocations: by("directory_revocations_pending",
			"Grants of ended connections that have yet to be withdrawn at their provider.", "provider"),
		unrevoked: by("directory_revocation_oldest_timestamp_seconds",
			"When the connection ended whose grant has waited longest to be withdrawn; 0: there is none.", "provider"),
		pauses: by("directory_scan_pauses",
			"What the enrichment scan leaves out because a provider refused it: the whole provider (0 or 1), "+
				"services of it, or single connections.", "provider", "of"),
		incidents: by("directory_app_wide_failures",
			"App-wide failures that have not ended: the provider refuses the app, whoever connected.", "provider"),
		interval: one("directory_scan_interval_seconds",
			"How often the enrichment scan comes to a connection; 0: this process does not scan."),
		due: one("directory_scan_due_connections",
			"Connections that the enrichment scan has not come to within its interval; 0 without one."),
		oldest: one("directory_scan_oldest_timestamp_seconds",
			"When the connection was scanned, or made, that the enrichment scan has not come to for the longest; "+
				"0: there is none."),
		jobs: by("directory_jobs",
			"Background jobs that wait, run or were given up, by kind and state.", "kind", "state"),
		jobsDue: by("directory_job_oldest_due_timestamp_seconds",
			"Since when the job of a kind has been due that has waited longest for a worker; 0: none waits.", "kind"),
		deliveries: one("directory_webhook_waiting", "Events that wait to be sent to a webhook."),
	}
	late := by("directory_job_late_seconds",
		"For how long a job of a kind may be due before that is an alert.", "kind")
	for kind, after := range jobs.Late() {
		g.jobsDue.WithLabelValues(kind)
		late.WithLabelValues(kind).Set(after.Seconds())
	}
	for _, p := range provider.Pairs() {
		g.broken.WithLabelValues(string(p.Provider), string(p.Service))
	}
	return g
}
