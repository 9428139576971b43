#!/usr/bin/env bash
# Runs every fuzz target of the repository for FUZZTIME, three at a time for every two
# processors. An input that fails is stored in testdata/fuzz of the package and fails in
# every `go test` from then on. Commit it with the fix.
#
#   deploy/test/prove/fuzz.sh [module…]
#   FUZZTIME=5m deploy/test/prove/fuzz.sh
#   FUZZ='Ranking|Query' deploy/test/prove/fuzz.sh services/hardware
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."

export GOWORK=off FUZZTIME=${FUZZTIME:-30s}
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# Prints "module package target" for every fuzz target.
targets() {
  local module package name
  for module in "$@"; do
    while read -r package; do
      # A module inside this one has its own turn.
      [[ $(cd "$package" && go list -m -f '{{.Dir}}') == "$(realpath "$module")" ]] || continue
      package=./$(realpath --relative-to="$module" "$package")
      (cd "$module" && go test -list='^Fuzz' "$package") | while read -r name _; do
        [[ $name == Fuzz* && $name =~ ${FUZZ:-.} ]] && echo "$module $package $name" || true
      done
    done < <(grep -rl --include='*_test.go' '^func Fuzz' "$module" | xargs -r -n1 dirname | sort -u)
  done
}

# Runs one target; prints a line, and its output when it found something.
fuzz() {
  local log status=0 executions
  log=$(mktemp -p "$work")
  (cd "$1" && go test -run='^$' -fuzz="^$3\$" -fuzztime="$FUZZTIME" -fuzzminimizetime=2s -parallel=1 "$2") >"$log" 2>&1 || status=1
  # If the time ends during an input, the go command may fail.
  if grep -qx ' *context deadline exceeded' "$log" && ! grep -q 'Failing input' "$log"; then status=0; fi
  if ((status)); then
    printf 'FOUND %s %s %s\n' "$@"
    tail -40 "$log"
  else
    executions=$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)
    echo "$executions" >>"$work/executions"
    printf 'ok    %-22s %12s executions  %s\n' "$3" "$executions" "$1/${2#./}"
  fi
  return $status
}
export -f fuzz

modules=("$@")
if ((${#modules[@]} == 0)); then
  mapfile -t modules < <(find proto-free-contracts services deploy -name go.mod -printf '%h\n' | sort)
fi
targets "${modules[@]}" >"$work/targets" # ends the script where something does not compile
mapfile -t all <"$work/targets"
readonly at_a_time=$(($(nproc) * 3 / 2))
echo "${#all[@]} fuzz targets, $FUZZTIME each, $at_a_time at a time"
((${#all[@]}))
printf '%s\n' "${all[@]}" | xargs -P "$at_a_time" -L 1 bash -c 'fuzz "$@"' fuzz || { echo 'something was found'; exit 1; }
echo "${#all[@]} targets, $FUZZTIME each, $(awk '{ n += $1 } END { print n }' "$work/executions") executions: nothing was found"
