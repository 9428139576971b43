#!/usr/bin/env bash
# Measures the backend beside its rivals and writes the tables to
# deploy/test/bench/results. Wants a quiet machine with at least two processors, and for
# the rivals root or the packages nginx-light, varnish and wrk. `make build` has to
# have run, and with-services.sh gives the databases.
#
#   RUN=…          only the tests that match; prints, and leaves the results alone
#   BENCH_WRITE=0  prints everything, and leaves the results alone
#   REQUIRE_SERVICES=1 makes a failure of what cannot be measured here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off BENCH=1
missing=()
for program in nginx:nginx-light varnishd:varnish wrk:wrk pgbench:postgresql; do
  PATH=$PATH:/usr/sbin$(printf ':%s' /usr/lib/postgresql/*/bin) command -v "${program%%:*}" >/dev/null || missing+=("${program##*:}")
done
if ((${#missing[@]})); then
  if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "bench: installing ${missing[*]}"
    # Nothing that a package brings is to start by itself.
    policy=/usr/sbin/policy-rc.d
    [[ -e $policy ]] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && trap 'rm -f "$policy"' EXIT; }
    (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}") >/dev/null
  else
    echo "bench: ${missing[*]} not installed; what needs them is skipped"
  fi
fi

go test ./pair ./wrk
if [[ -n ${RUN:-} ]]; then
  go test -count=1 -v -timeout 60m -run "$RUN" .
else
  BENCH_WRITE=${BENCH_WRITE:-1} go test -count=1 -v -timeout 60m .
fi
