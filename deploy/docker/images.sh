#!/usr/bin/env bash
# Builds the images backend/{directory,hardware,sandbox}:${VERSION:-dev}.
#
#   images.sh             from source, or from bin/ where the base image is not to be had
#   images.sh --prebuilt  from the programs that make build has put into bin/
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly base=golang:1.26-bookworm programs=(directory hardware sandbox)
log=$(mktemp)
trap 'rm -rf "$log" ${context:+"$context"}' EXIT
export VERSION=${VERSION:-dev}
revision=${REVISION:-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)}
created=${CREATED:-$(date -u +%FT%TZ)}

# build SERVICE ARGUMENT…: one image; the arguments end with the context.
build() {
  docker build --quiet --tag "backend/$1:$VERSION" --build-arg "SERVICE=$1" --build-arg "VERSION=$VERSION" \
    --build-arg "REVISION=$revision" --build-arg "CREATED=$created" "${@:2}" >/dev/null 2>"$log" || { cat "$log" >&2; return 1; }
  echo "image: backend/$1:$VERSION ($(docker image inspect --format '{{.Size}}' "backend/$1:$VERSION" |
    awk '{printf "%.1f MB", $1 / 1e6}'))"
}

from_source() {
  for program in "${programs[@]}"; do build "$program" -f deploy/docker/Dockerfile .; done
}

prebuilt() {
  context=$(mktemp -d)
  local roots=/etc/ssl/certs/ca-certificates.crt # Linux; macOS has the other
  [[ -e $roots ]] || roots=/etc/ssl/cert.pem
  cp -L "$roots" "$context/ca-certificates.crt"
  cp "$(go env GOROOT)/lib/time/zoneinfo.zip" "$context/"
  chmod 644 "$context"/*
  for program in "${programs[@]}"; do
    [[ -x bin/$program ]] || { echo "image: bin/$program is not there; run make build" >&2; return 1; }
    cp "bin/$program" "$context/service"
    build "$program" -f deploy/docker/Dockerfile.prebuilt "$context"
  done
}

if [[ ${1:-} == --prebuilt ]]; then
  prebuilt
elif docker image inspect "$base" >/dev/null 2>&1 || timeout 300 docker pull --quiet "$base" >/dev/null 2>&1; then
  from_source
else
  echo "image: $base cannot be pulled here; the images take the programs in bin/" >&2
  prebuilt
fi
