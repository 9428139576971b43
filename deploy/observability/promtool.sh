#!/usr/bin/env bash
# Provides promtool at bin/promtool: the one in PATH, or the one of Debian's package
# prometheus, which is unpacked but not installed by apt-get, because it would start a server.
# Fails if neither is available. `go install` would build all of Prometheus's modules.
set -euo pipefail
readonly bin=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")/bin
[[ ! -x $bin/promtool ]] || exit 0
mkdir -p "$bin"
if found=$(command -v promtool); then
  ln -s "$found" "$bin/promtool"
  exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
"$bin/../deploy/dev/apt-get.sh" download prometheus
dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool
mv usr/bin/promtool "$bin/promtool"
