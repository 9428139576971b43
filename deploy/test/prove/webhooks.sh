#!/usr/bin/env bash
# Kills processes that write events and deliver them, on both databases, and measures
# how long events take. The last line is the figure.
#
#   PROVE_KILLS=200  how many processes are killed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../../services/directory"

export GOWORK=off PROVE_KILLS=${PROVE_KILLS:-200}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
go test -count=1 -timeout 15m -v -run '^(TestKilledBetweenEventAndDelivery|TestEventsArriveInTime)$' . | tee "$log"
sed -n 's/^ *webhook_kill_test\.go:[0-9]*: //p' "$log" | paste -sd ';'
