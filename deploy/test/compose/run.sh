#!/usr/bin/env bash
# Starts the composition with one command that builds the images and creates the secrets,
# runs deploy/test/e2e through its gateway, then scales it, kills parts of it and restarts it
# (deploy/test/compose), and removes it: no new container, volume, network or engine is left.
# Images stay.
#
# It needs the programs of make build. Without an engine, or a way to start one, it prints
# SKIPPED and succeeds. Testcontainers would not test the file that operators use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

unset COMPOSE_ENV_FILES COMPOSE_PROFILES VERSION
# Each checkout has its own project, on unused ports.
COMPOSE_PROJECT_NAME=backend-test-$(cksum <<<"$PWD" | cut -d' ' -f1)
export COMPOSE_PROJECT_NAME
port=$((20000 + RANDOM % 10000))
for name in HTTP SANDBOX_{CONTROL,BENCHMARK,AGGREGATOR,SEARCH,PLACES,SOCIAL}; do
  while ((++port)) && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  export "${name}_PORT=$port"
done
GOPROXY=$(go env GOPROXY)
export GOPROXY

if ! engine=$(deploy/test/airgap/engine.sh); then
  echo "compose: SKIPPED, there is no Docker engine and none can be started here"
  exit 0
fi
compose=$(deploy/docker/compose-plugin.sh)

finish() {
  local status=$?
  trap - EXIT INT TERM
  if ((status != 0)); then
    $compose logs --no-color --tail 15 2>&1 | tail -n 120 || true
  fi
  $compose down --volumes --remove-orphans --timeout 10 >/dev/null 2>&1 || true
  if [[ -n $engine ]]; then
    kill "$engine"
    while kill -0 "$engine" 2>/dev/null; do sleep 0.2; done
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Removes the rest of an interrupted run.
$compose down --volumes --remove-orphans >/dev/null 2>&1 || true
deploy/test/airgap/images.sh
$compose up --build --detach --wait --quiet-build --quiet-pull

echo "== deploy/test/e2e through the composition"
export COMPOSE_COMMAND=$compose COMPOSE_BASE_URL=http://localhost:$HTTP_PORT COMPOSE_SANDBOX_URL=http://127.0.0.1:$SANDBOX_CONTROL_PORT
(cd deploy/test/e2e && GOWORK=off E2E_BASE_URL=$COMPOSE_BASE_URL E2E_SANDBOX_URL=$COMPOSE_SANDBOX_URL go test -count=1 .)
echo "== deploy/test/compose"
(cd deploy/test/compose && GOWORK=off go test -count=1 -timeout 20m -v ./...)
