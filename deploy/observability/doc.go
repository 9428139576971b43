// Package observability holds what watches the running system: the scrape
// configuration and the alert rules of Prometheus, and the dashboards of Grafana.
//
// The tests run the programs of bin/ and hold the rules and the dashboards to the
// metrics that they really show, and follow a trace through them. Which metrics
// there are is decided by the services.
package observability
