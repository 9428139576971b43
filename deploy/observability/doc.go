// Package observability contains the scrape configuration and the alert rules of Prometheus,
// and the dashboards of Grafana.
//
// The tests run the programs of bin/, check the rules and the dashboards against their
// metrics, and follow a trace through them.
package observability
