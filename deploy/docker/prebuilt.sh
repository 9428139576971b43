#!/usr/bin/env bash
# Builds the images backend/{directory,hardware,sandbox}:${VERSION:-dev}, or only the named
# ones, from the programs that make build has put into bin/, for a machine that cannot pull
# the base image of Dockerfile. Then: docker compose up --no-build.
#
#   BIN=bin      where the programs are
#   TAG=…        the tag, where it is not the version
#   BUILD=build  the command of docker, with flags, that builds an image
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

version=${VERSION:-dev} bin=${BIN:-bin} tag=${TAG:-${VERSION:-dev}}
programs=("$@")
((${#programs[@]})) || programs=(directory hardware sandbox)
read -ra build <<<"${BUILD:-build}"
context=$(mktemp -d) log=$(mktemp)
trap 'rm -rf "$context" "$log"' EXIT

roots=/etc/ssl/certs/ca-certificates.crt # Linux; macOS has the other
[[ -e $roots ]] || roots=/etc/ssl/cert.pem
cp -L "$roots" "$context/ca-certificates.crt"
cp "$(go env GOROOT)/lib/time/zoneinfo.zip" "$context/"
chmod 644 "$context"/*
mkdir "$context/data"
for program in "${programs[@]}"; do
  [[ -x $bin/$program ]] || { echo "image: $bin/$program is not there; run make build" >&2; exit 1; }
  cp "$bin/$program" "$context/service"
  docker "${build[@]}" --quiet --tag "backend/$program:$tag" -f deploy/docker/Dockerfile.prebuilt \
    --build-arg "SERVICE=$program" --build-arg "VERSION=$version" \
    --build-arg "REVISION=${REVISION:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}" \
    --build-arg "CREATED=${CREATED:-$(date -u +%FT%TZ)}" "$context" >/dev/null 2>"$log" || { cat "$log" >&2; exit 1; }
  echo "image: backend/$program:$tag"
done
