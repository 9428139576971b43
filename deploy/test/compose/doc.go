// Package compose tests docker-compose.yml: what the file promises (nothing but the
// gateway is reachable, no container may do more than it has to), and a running
// composition while parts of it multiply, die and come back.
//
// deploy/docker/test-compose.sh starts the composition and runs these tests; it
// says how to reach it in COMPOSE_COMMAND, COMPOSE_BASE_URL and
// COMPOSE_SANDBOX_URL. Without them the tests skip.
//
// What the services answer in full is the business of deploy/test/e2e.
package compose
