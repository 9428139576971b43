// Package e2e is the black-box suite. It starts the built programs, sends requests through
// the gateway as a web app does, and checks every response against the contract. With
// E2E_BASE_URL it uses a running backend, and skips the tests that stop or multiply
// programs.
//
// It imports nothing of the services.
package e2e
