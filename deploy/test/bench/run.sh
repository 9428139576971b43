#!/usr/bin/env bash
# Compares the backend with its rivals and writes the tables to deploy/test/bench/results.
# It needs a quiet machine with at least two processors, and for the rivals root or the
# packages nginx-light and wrk. `make build` has to have run. with-services.sh
# provides the databases.
#
#   RUN=…          runs only matching tests, and does not write the results
#   BENCH_WRITE=0  prints everything, and does not write the results
#   REQUIRE_SERVICES=1 fails instead of skipping what cannot be measured
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off BENCH=1
missing=()
for program in nginx:nginx-light wrk:wrk pgbench:postgresql; do
  PATH=$PATH:/usr/sbin$(printf ':%s' /usr/lib/postgresql/*/bin) command -v "${program%%:*}" >/dev/null || missing+=("${program##*:}")
done
if ((${#missing[@]})); then
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "bench: installing ${missing[*]}"
    # Packages must not start their services.
    policy=/usr/sbin/policy-rc.d
    [[ -e $policy ]] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && trap 'rm -f "$policy"' EXIT; }
    ../../dev/apt-get.sh install "${missing[@]}"
  else
    echo "bench: ${missing[*]} not installed; tests that need them are skipped"
  fi
fi

if [[ -n ${RUN:-} ]]; then
  go test -count=1 -v -timeout 60m -run "$RUN" .
else
  BENCH_WRITE=${BENCH_WRITE:-1} go test -count=1 -v -timeout 60m .
fi
