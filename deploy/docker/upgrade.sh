#!/usr/bin/env bash
# Replaces the services of production by those of VERSION in the environment file, without a
# failed read: new containers start beside the old ones, which then finish their requests and
# go. The same way leads back. It stands in for the plugin docker-rollout, which knows neither
# migrations nor several services.
#
#   upgrade.sh [FILE]   production.env unless given
set -euo pipefail
compose=(docker compose --env-file "${1:-production.env}")

"${compose[@]}" pull --quiet --ignore-pull-failures directory hardware
"${compose[@]}" run --rm migrate
for service in directory hardware; do
  mapfile -t old < <("${compose[@]}" ps --quiet "$service")
  "${compose[@]}" up --detach --no-deps --no-recreate --wait --scale "$service=$((2 * ${#old[@]}))" "$service"
  docker stop --timeout 75 "${old[@]}" >/dev/null
  docker rm "${old[@]}" >/dev/null
done
"${compose[@]}" up --detach --wait
