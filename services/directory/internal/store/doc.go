// Package store keeps the directory in PostgreSQL, or in an SQLite file when no
// server is wanted: companies, users, sessions, connections with the order in
// which scans come to them, page configurations, statistics, profiles, audits,
// limits, webhooks with their outbox, deletions that a provider asked for, and the
// audit trail.
//
// Rows stay inside: callers see the types of package directory, and failures as faults.
// Rights, expiry and every other decision are of package directory.
package store
