#!/usr/bin/env bash
# Runs every fuzz target of the repository, each for FUZZTIME, as many at a time as
# there are processors. What a target finds lies in testdata/fuzz beside it and
# fails from then on in every `go test`: commit it with the repair.
#
#   deploy/prove/fuzz.sh [module…]
#   FUZZTIME=5m deploy/prove/fuzz.sh
#   FUZZ='Ranking|Query' deploy/prove/fuzz.sh services/hardware
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export GOWORK=off FUZZTIME=${FUZZTIME:-30s}

# Prints "module package target" for every fuzz target.
targets() {
  local module package name
  for module in "$@"; do
    while read -r package; do
      # A module inside this one comes by itself.
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
  local log status=0
  log=$(mktemp)
  (cd "$1" && go test -run='^$' -fuzz="^$3\$" -fuzztime="$FUZZTIME" -fuzzminimizetime=2s -parallel=1 "$2") >"$log" 2>&1 || status=1
  if ((status)); then
    printf 'FOUND %s %s %s\n' "$@"
    tail -40 "$log"
  else
    printf 'ok    %-22s %12s executions  %s\n' "$3" "$(sed -n 's/.*execs: \([0-9]*\).*/\1/p' "$log" | tail -1)" "$1/${2#./}"
  fi
  rm -f "$log"
  return $status
}
export -f fuzz

modules=("$@")
if ((${#modules[@]} == 0)); then
  mapfile -t modules < <(find proto-free-contracts services deploy -name go.mod -printf '%h\n' | sort)
fi
mapfile -t all < <(targets "${modules[@]}")
echo "${#all[@]} fuzz targets, $FUZZTIME each, $(nproc) at a time"
((${#all[@]}))
printf '%s\n' "${all[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'fuzz "$@"' fuzz || { echo 'something was found'; exit 1; }
echo 'nothing was found'
