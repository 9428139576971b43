// Package e2e is the black-box suite: it starts the built programs, asks them
// through the gateway as a web app would, and holds every answer to the
// contract. With E2E_BASE_URL set it asks a backend that already runs, and the
// tests that stop or multiply programs are skipped.
//
// It imports nothing of the services.
package e2e
