// Package httpx is the HTTP server of both services: an echo instance with shared
// middleware, the only place that turns a fault into a status, the admin endpoints
// (healthz, readyz, metrics), and listening until a graceful shutdown.
//
// Routes, wire types and the form of an error body belong to the services.
package httpx
