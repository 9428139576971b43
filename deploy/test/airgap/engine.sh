#!/usr/bin/env bash
# Provides a Docker engine for tests: the running one, or, as root, Debian's docker.io, which
# it installs and starts. Prints the process id of an engine that it has started, so that
# the caller can stop it. Fails if no engine is available. It stands in for a CI image with one.
set -euo pipefail

if docker info >/dev/null 2>&1; then exit 0; fi
[[ $(id -u) == 0 ]] || { echo "engine: none runs, and only root can start one" >&2; exit 1; }
if ! command -v dockerd >/dev/null; then
  echo "engine: installing docker.io" >&2
  "$(dirname "${BASH_SOURCE[0]}")/../../dev/apt-get.sh" install docker.io iptables || { echo "engine: docker.io cannot be installed" >&2; exit 1; }
fi

log=$(mktemp)
setsid dockerd >"$log" 2>&1 </dev/null &
if timeout 30 sh -c 'until docker info; do kill -0 "$0" || exit; sleep 0.5; done' "$!" >/dev/null 2>&1; then
  echo "engine: started dockerd" >&2
  echo "$!"
  exit 0
fi
tail -n 5 "$log" >&2
kill "$!" 2>/dev/null || true
echo "engine: dockerd does not start here" >&2
exit 1
