#!/usr/bin/env bash
# Builds the images, brings the composition up with the sandbox, asks it through
# the gateway as deploy/e2e does natively, then scales it, kills parts of it and
# restarts it (deploy/compose), and takes it down: no container, volume, network,
# file or engine is left that was not there before. Images stay.
#
# It needs what make build has made. Where there is neither an engine nor a way to
# start one, it says so and ends well.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export COMPOSE_PROJECT_NAME=backend-test STATE_DIR=./var/compose-test VERSION=${VERSION:-dev}
export HTTP_PORT=${HTTP_PORT:-8080}

if ! engine=$(deploy/docker/engine.sh); then
  echo "compose: SKIPPED, there is no Docker engine and none can be started here"
  exit 0
fi
compose="$(deploy/docker/compose-plugin.sh) --env-file deploy/docker/sandbox.env"

finish() {
  local status=$?
  trap - EXIT INT TERM
  if ((status != 0)); then
    $compose logs --no-color --tail 15 2>&1 | tail -n 120 || true
  fi
  $compose --profile '*' down --volumes --remove-orphans --timeout 10 >/dev/null 2>&1 || true
  rm -rf "$STATE_DIR"
  if [[ -n $engine ]]; then
    kill "$engine"
    while kill -0 "$engine" 2>/dev/null; do sleep 0.2; done
  fi
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# What a run that was cut off may have left behind.
$compose --profile '*' down --volumes --remove-orphans >/dev/null 2>&1 || true
rm -rf "$STATE_DIR"
deploy/docker/prepare.sh
deploy/docker/images.sh
deploy/docker/standins.sh
$compose up --detach --no-build --wait --quiet-pull

echo "== deploy/e2e through the composition"
export COMPOSE_COMMAND=$compose COMPOSE_BASE_URL=http://localhost:$HTTP_PORT COMPOSE_SANDBOX_URL=http://127.0.0.1:9090
(cd deploy/e2e && GOWORK=off E2E_BASE_URL=$COMPOSE_BASE_URL E2E_SANDBOX_URL=$COMPOSE_SANDBOX_URL go test -count=1 .)
echo "== deploy/compose"
(cd deploy/compose && GOWORK=off go test -count=1 -timeout 20m -v ./...)
