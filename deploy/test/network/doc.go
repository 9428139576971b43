// Package network runs the backend on many hosts, which one machine simulates: two
// gateways, three replicas of each service, PostgreSQL with a synchronous standby and Redis
// with sentinels, each in a network namespace. It kills and isolates each of them under
// load.
package network
