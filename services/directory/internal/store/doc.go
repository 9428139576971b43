// Package store keeps the directory in PostgreSQL, or in an SQLite file when no
// server is wanted: companies, users, sessions, connections with the order in
// which scans come to them, page configurations, statistics, profiles, audits,
// limits, webhooks with their outbox, deletions that a provider asked for, and the
// audit trail.
//
// It owns the schema and its migrations, the encryption of secrets at rest and
// the locks that hold over several replicas. Rows stay inside: callers see the
// types of package directory, and failures as faults. What is absent is NotFound
// with the code of its noun (company_not_found, no_user, no_session, no_connection,
// no_config, no_statistics, no_profile, no_audit, no_webhook, no_deletion), what
// must be unique and is not is Invalid (slug_taken, email_taken), text that a
// database cannot keep is Invalid with the code invalid_text, and what changed
// meanwhile is Unavailable (session_conflict, user_connected); everything else is
// internal. Rights, expiry and every other decision are of package directory.
//
// Times are UTC with the precision of microseconds; where a caller leaves a time
// zero, it is the time of the call.
//
// Both databases behave alike, with these differences inside:
//
//	                     PostgreSQL                        SQLite
//	writers              a pool                            one connection in each process
//	one connection's     row lock (SELECT … FOR UPDATE)    lock file, then a short transaction
//	  change at a time
//	one limit at a time  advisory lock of the transaction  one writer
//	Exclusively, Migrate advisory lock of a transaction    lock file
//	Open                 any number at once                lock file
//
// An SQLite file may be used by several processes of one machine; its lock files
// are in the folder beside it whose name ends in ".locks". All that have it open
// share one of these locks, which Move has to have alone.
package store
