#!/usr/bin/env bash
# Proves what the backend promises, and prints a table: verdict, promise, figure.
# It ends with 1 when a promise is broken. `make build` has to have run.
#
#   PROVE_LOAD=30s   how long the load at 80% of the capacity lasts; 5m for a release
#   PROVE_KILLS=200  how many programs are killed
#   PROVE_SEED=…     repeats the choices of a run, which the output tells
#   FUZZTIME=5s      for each fuzz target
#   RUN=…            only the tests that match; no fuzzing and no supply chain then
#   REQUIRE_SERVICES=1 makes a failure of what cannot be run here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off FUZZTIME=${FUZZTIME:-5s}
PROVE_TABLE=$(mktemp)
export PROVE_TABLE
log=$(mktemp)
trap 'rm -f "$PROVE_TABLE" "$log"' EXIT
failed=0

# go_tests PATTERN [FLAG…]
go_tests() {
  echo "== $1"
  go test -count=1 -timeout 30m -run "$1" "${@:2}" ./... || failed=1
}

# script NAME PROMISE: the last line of its output is the figure.
script() {
  local verdict=held
  echo "== $1"
  ./"$1" 2>&1 | tee "$log" || verdict=BROKEN failed=1
  printf '%s\t%s\t%s\n' "$2" "$(tail -n 1 "$log")" "$verdict" >>"$PROVE_TABLE"
}

if [[ -n ${RUN:-} ]]; then
  go_tests "$RUN"
else
  # Load first and alone; what follows may share the machine with itself.
  go_tests '^TestLoad$'
  go_tests '^TestKill$'
  # The kinds of faults wait more than they work.
  go_tests '^TestFaults$' -parallel 6
  go_tests '^Test(ClockJumps|Disk|KeysAreRotatedUnderTraffic|MigrationsAtOnce|NoSecretOutside|PostgresRestartsInATransaction|RedisFailover|TamperedSecretsAreRefused)$'
  script fuzz.sh 'Every fuzz target finds nothing'
  script supply-chain.sh 'The binaries are made of what go.sum says, under allowed licences, twice the same bytes'
fi

echo
echo "VERDICT  PROMISE: FIGURE"
awk -F '\t' '{printf "%-8s %s: %s\n", $3, $1, $2}' "$PROVE_TABLE"
exit "$failed"
