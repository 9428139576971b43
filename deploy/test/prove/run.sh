#!/usr/bin/env bash
# Tests the promises of the backend and prints a table: verdict, promise, figure. It fails if a
# promise is broken, or if everything takes longer than PROVE_BUDGET. `make build` has to
# have run.
#
#   PROVE_LOAD=5m    duration of the load at 80% of the capacity
#   PROVE_EVENING=1m  duration of the evening with 20 replicas
#   PROVE_KILLS=200  number of kills
#   PROVE_COMPANIES=100000  number of companies in the restored PostgreSQL
#   PROVE_SEED=…     repeats the random choices of a run; the seed is in its output
#   FUZZTIME=30s     for each fuzz target; 5m for a release, with a larger budget; 0 for no fuzzing
#   PROVE_BUDGET=20  minutes for everything
#   RUN=…            runs only matching tests, without fuzzing and supply chain
#   REQUIRE_SERVICES=1 fails instead of skipping what cannot be run
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off FUZZTIME=${FUZZTIME:-30s}
readonly budget=${PROVE_BUDGET:-20}
work=$(mktemp -d)
export PROVE_TABLE=$work/table
background=
trap '[[ -z $background ]] || kill -- "-$background" 2>/dev/null || true; rm -rf "$work"' EXIT
failed=0
touch "$PROVE_TABLE"

# part NAME COMMAND… runs a command and records its duration.
part() {
  local begun=$SECONDS status=0
  echo "== $1"
  "${@:2}" || status=1
  echo "== $1: $((SECONDS - begun)) s" | tee -a "$work/times"
  return $status
}

# go_tests PATTERN [FLAG…]
go_tests() { go test -count=1 -timeout "${budget}m" -run "$1" "${@:2}" ./...; }

# script NAME PROMISE runs a script, whose last line is the figure.
script() {
  local verdict=held
  nice ./"$1" 2>&1 | tee "$work/$1.log" || verdict=BROKEN
  printf '%s\t%s\t%s\n' "$2" "$(tail -n 1 "$work/$1.log")" "$verdict" >>"$PROVE_TABLE"
  [[ $verdict == held ]]
}

# computing needs the processors and measures no times.
computing() {
  local status=0
  [[ $FUZZTIME == 0 ]] || part fuzzing script fuzz.sh 'Every fuzz target finds nothing' || status=1
  part webhooks script webhooks.sh 'kill -9 between an event and its delivery: none is lost; 99 of 100 are delivered within 5 s' || status=1
  part 'supply chain' script supply-chain.sh 'The binaries are made of what go.sum says, under allowed licences, twice the same bytes' || status=1
  return $status
}

# everything runs the loads first and alone. The later tests wait more than they compute, so
# computing runs at the same time with a lower priority.
everything() {
  part load go_tests '^Test(Load|Evening)$' || failed=1
  set -m # a process group of its own, which can be ended as a whole
  computing >"$work/computing.log" 2>&1 &
  background=$!
  set +m
  part kills go_tests '^TestKill$' || failed=1
  part faults go_tests '^TestFaults$' -parallel 6 || failed=1
  part others go_tests . -parallel 4 -skip '^Test(Load|Evening|Kill|Faults)$' || failed=1
  wait "$background" || failed=1
  background=
  cat "$work/computing.log"
}

# in_time records whether everything was within the budget.
in_time() {
  local verdict=held
  if ((SECONDS > budget * 60)); then verdict=BROKEN failed=1; fi
  printf 'All of this within %d minutes\t%d min %02d s\t%s\n' "$budget" $((SECONDS / 60)) $((SECONDS % 60)) "$verdict" >>"$PROVE_TABLE"
}

if [[ -n ${RUN:-} ]]; then
  part "$RUN" go_tests "$RUN" || failed=1
else
  everything
  in_time
fi

echo
cat "$work/times"
echo
echo "VERDICT  PROMISE: FIGURE"
awk -F '\t' '{printf "%-8s %s: %s\n", $3, $1, $2}' "$PROVE_TABLE"
exit "$failed"
