// Package harness starts the built programs as a backend of a test's own: sandbox,
// Redis, PostgreSQL, replicas of both services and the gateway, each on loopback
// addresses of its own, and ended with the test. It also acts as the users' browsers,
// checks the answers against the contracts, and waits for programs.
//
// The tests that use it say what the backend promises. It imports nothing of the
// services. A test that uses it lives in a folder of deploy/.
package harness
