// Package httpx is the HTTP ground both services stand on: an echo instance with
// the shared middleware, the one place that turns a fault into a status, the
// admin endpoints (healthz, readyz, metrics) and the life of a process from
// listening to a drained shutdown.
//
// Routes, wire types and the shape of an error body belong to the services.
package httpx
