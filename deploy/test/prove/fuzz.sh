#!/usr/bin/env bash
# Runs every fuzz target of the repository for FUZZTIME, three at a time for every two
# processors. An input that fails is stored in testdata/fuzz of the package and fails in
# every `go test` from then on. Commit it with the fix.
#
#   deploy/test/prove/fuzz.sh [folder…]
#   FUZZTIME=5m deploy/test/prove/fuzz.sh
#   FUZZ='Ranking|Query' deploy/test/prove/fuzz.sh services/hardware
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

export GOWORK=off FUZZTIME=${FUZZTIME:-30s}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# build FOLDER: builds the tests of a package, instrumented, and prints "folder program target" for
# each of its fuzz targets. One package after the other, because two builds at once would
# compile what they have in common twice.
build() {
  local program=$work/${1//\//_}.test name
  (cd "$1" && go test -c -fuzz=. -o "$program" .)
  (cd "$1" && "$program" -test.list='^Fuzz') | while read -r name; do
    [[ ! $name =~ ${FUZZ:-.} ]] || echo "$1 $program $name"
  done
}

# fuzz FOLDER PROGRAM TARGET: runs one target; prints a line, and its output when it found something.
# Inputs are minimized briefly: otherwise one that is new to it may use up the time.
fuzz() {
  local log status=0 executions inputs
  log=$(mktemp -p "$work")
  inputs=$(go env GOCACHE)/fuzz/backend.example/$1
  (cd "$1" && "$2" -test.run='^$' -test.fuzz="^$3\$" -test.fuzztime="$FUZZTIME" -test.fuzzminimizetime=100x \
    -test.fuzzcachedir="$inputs" -test.parallel=1) >"$log" 2>&1 || status=1
  # If the time ends during an input, the program may fail.
  if grep -qx ' *context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then status=0; fi
  if ((status)); then
    printf 'FOUND %s %s\n' "$3" "$1"
    tail -40 "$log"
  else
    executions=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)
    echo "$executions" >>"$work/executions"
    printf 'ok    %-22s %12s executions  %s\n' "$3" "$executions" "$1"
  fi
  return $status
}
export -f fuzz

(($#)) || set -- proto-free-contracts services deploy
grep -rl --include='*_test.go' '^func Fuzz' "$@" | xargs dirname | sort -u |
  while read -r package; do build "$package"; done >"$work/targets"
mapfile -t all <"$work/targets"
readonly at_a_time=$(($(nproc) * 3 / 2))
echo "${#all[@]} fuzz targets, $FUZZTIME each, $at_a_time at a time"
((${#all[@]}))
printf '%s\n' "${all[@]}" | xargs -P "$at_a_time" -L 1 bash -c 'fuzz "$@"' fuzz || { echo 'something was found'; exit 1; }
echo "${#all[@]} targets, $FUZZTIME each, $(awk '{ n += $1 } END { print n }' "$work/executions") executions: nothing was found"
