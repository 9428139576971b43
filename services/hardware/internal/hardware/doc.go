// Package hardware is the domain of the hardware service: component families
// and their benchmark rankings, price queries and shop offers, the rule that
// picks the product a query means, and the look-up that asks an external source
// at most once for all replicas.
//
// It declares the small interfaces it consumes (sources, shared store, throttle)
// and knows nothing of HTTP, HTML, CSV or Redis.
package hardware
