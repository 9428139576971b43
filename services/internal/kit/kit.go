// Package kit is the root of the packages that both services use. They contain no terms of
// either domain.
package kit
