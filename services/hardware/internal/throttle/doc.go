// Package throttle keeps the requests to one source apart and pauses a source that
// refuses us. It does so over all replicas, with state in Redis and by its clock, or
// in this process alone when there is no Redis or it does not answer.
//
// What counts as a failure, and for how long a source is paused, is decided by the
// domain.
package throttle
