// Package prove tests the promises of a running backend: under load and overload, with
// failing upstreams, with programs killed at any moment, with full disks, and while keys
// are changed. It starts the built programs and checks their responses, their database and
// their metrics.
//
// Each test adds a line to the table of PROVE_TABLE: promise, figure, verdict. run.sh runs
// all of them. PROVE_LOAD is the duration of the load, PROVE_KILLS the number of kills, and
// PROVE_SEED repeats the random choices of a run.
//
// This package imports nothing of the services.
package prove
