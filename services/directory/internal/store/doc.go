// Package store keeps the directory in PostgreSQL, or in an SQLite file when no
// server is wanted: companies, users, sessions, connections, page
// configurations, statistics, profiles, audits, limits and the audit trail.
//
// It owns the schema and its migrations, the encryption of secrets at rest and
// the locks that hold over several replicas. Rows stay inside: callers see the
// types of package directory, and failures as faults. What is absent is NotFound
// with the code of its noun (no_company, no_user, no_session, no_connection,
// no_config, no_statistics, no_profile, no_audit), what must be unique and is
// not is Invalid with the code taken, text that a database cannot keep is Invalid
// with the code invalid_text; everything else is internal. Rights, expiry and
// every other decision are of package directory.
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
// are in the folder beside it whose name ends in ".locks".
package store
