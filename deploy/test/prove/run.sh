#!/usr/bin/env bash
# Proves what the backend promises, and prints a table: verdict, promise, figure.
# It ends with 1 when a promise is broken, or when all of it takes longer than
# PROVE_BUDGET. `make build` has to have run.
#
#   PROVE_LOAD=5m    how long the load at 80% of the capacity lasts
#   PROVE_KILLS=200  how many programs are killed
#   PROVE_COMPANIES=100000  how many a lost PostgreSQL is restored with
#   PROVE_SEED=…     repeats the choices of a run, which the output tells
#   FUZZTIME=30s     for each fuzz target; 5m for a release, with a larger budget
#   PROVE_BUDGET=20  minutes for everything
#   RUN=…            only the tests that match; no fuzzing and no supply chain then
#   REQUIRE_SERVICES=1 makes a failure of what cannot be run here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off FUZZTIME=${FUZZTIME:-30s}
readonly budget=${PROVE_BUDGET:-20}
work=$(mktemp -d)
export PROVE_TABLE=$work/table
beside=
trap '[[ -z $beside ]] || kill -- "-$beside" 2>/dev/null || true; rm -rf "$work"' EXIT
failed=0
touch "$PROVE_TABLE"

# part NAME COMMAND…: runs it, and notes how long it took.
part() {
  local begun=$SECONDS status=0
  echo "== $1"
  "${@:2}" || status=1
  echo "== $1: $((SECONDS - begun)) s" | tee -a "$work/times"
  return $status
}

# go_tests PATTERN [FLAG…]
go_tests() { go test -count=1 -timeout "${budget}m" -run "$1" "${@:2}" ./...; }

# script NAME PROMISE: the last line of its output is the figure.
script() {
  local verdict=held
  nice ./"$1" 2>&1 | tee "$work/$1.log" || verdict=BROKEN
  printf '%s\t%s\t%s\n' "$2" "$(tail -n 1 "$work/$1.log")" "$verdict" >>"$PROVE_TABLE"
  [[ $verdict == held ]]
}

# computing is what needs the processors and measures nothing.
computing() {
  local status=0
  part fuzzing script fuzz.sh 'Every fuzz target finds nothing' || status=1
  part webhooks script webhooks.sh 'kill -9 between an event and its delivery: none is lost; 99 of 100 are delivered within 5 s' || status=1
  part 'supply chain' script supply-chain.sh 'The binaries are made of what go.sum says, under allowed licences, twice the same bytes' || status=1
  return $status
}

# everything: the load first and alone. What is tested after it waits more than it
# works, and what computes takes the time in between, with a lower priority.
everything() {
  part load go_tests '^TestLoad$' || failed=1
  set -m # a process group of its own, which can be ended as a whole
  computing >"$work/computing.log" 2>&1 &
  beside=$!
  set +m
  part kills go_tests '^TestKill$' || failed=1
  part faults go_tests '^TestFaults$' -parallel 6 || failed=1
  part others go_tests . -parallel 4 -skip '^Test(Load|Kill|Faults)$' || failed=1
  wait "$beside" || failed=1
  beside=
  cat "$work/computing.log"
}

# in_time notes whether everything took no longer than the budget.
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
