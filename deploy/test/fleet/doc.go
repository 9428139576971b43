// Package fleet runs the scans of 1,000 companies through faults of two replicas and of the
// providers.
package fleet
