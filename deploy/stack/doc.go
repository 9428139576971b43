// Package stack starts the built programs as a backend of a test's own: sandbox,
// Redis, PostgreSQL, replicas of both services and the gateway, each on loopback
// ports of its own, and ended with the test. It also plays the people who use the
// backend, and holds what they are answered to the contracts.
//
// The tests that use it say what the backend promises. It imports nothing of the
// services. A test that uses it lives in a folder of deploy/.
package stack
