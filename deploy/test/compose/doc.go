// Package compose tests docker-compose.yml: the promises of the file (only the gateway is
// reachable, containers have minimal rights), and a running composition whose parts are
// scaled, killed and restarted.
//
// deploy/test/compose/run.sh starts the composition, runs these tests and sets
// COMPOSE_COMMAND, COMPOSE_BASE_URL and COMPOSE_SANDBOX_URL. Without them the tests skip.
package compose
