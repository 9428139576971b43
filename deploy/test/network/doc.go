// Package network runs the backend on machines of its own, as far as one machine can play
// them: two gateways, three replicas of each service, PostgreSQL with a synchronous
// standby and Redis with sentinels, each in a network namespace. It kills and cuts off
// each of them under load, and holds histories of what they answered to models.
package network
