// Package prove tests the promises that only a running backend can keep or break:
// under load and overload, with each of its upstreams cut or poisoned, with its
// programs killed at any moment, with full disks, and while its keys are changed.
// It starts the built programs and judges them from outside, by their answers, by
// what is in their database and by their metrics.
//
// Each test adds a line to the table of PROVE_TABLE: promise, figure, verdict.
// run.sh runs all of them. PROVE_LOAD is how long the load lasts, PROVE_KILLS how
// many programs are killed, PROVE_SEED repeats a run's choices.
//
// What a single service promises is tested beside it, and what the API answers in
// the end-to-end suite. This package imports nothing of the services.
package prove
