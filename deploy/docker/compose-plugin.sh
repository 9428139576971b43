#!/usr/bin/env bash
# Prints the command that runs Docker Compose v2: the plugin of this machine, or a binary of our
# own at bin/docker-compose, which is built from source once (about two minutes on two cores),
# in place of go install, which refuses its go.mod.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly version=v2.40.3 target=$PWD/bin/docker-compose

if [[ $(docker compose version --short 2>/dev/null) =~ ^v?2\. ]]; then
  echo "docker compose"
  exit 0
fi
if [[ ! -x $target || $("$target" version --short) != "${version#v}" ]]; then
  echo "compose: no plugin here; building Docker Compose $version at bin/docker-compose" >&2
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  source=$(cd "$work" && GOWORK=off GOFLAGS=-mod=mod go mod download -json "github.com/docker/compose/v2@$version" |
    sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  cp -r --no-preserve=mode "$source/." "$work/"
  mkdir -p bin
  (cd "$work" && GOWORK=off CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$target.part" \
    -ldflags "-s -w -X github.com/docker/compose/v2/internal.Version=$version" ./cmd)
  mv "$target.part" "$target"
fi
echo "$target"
