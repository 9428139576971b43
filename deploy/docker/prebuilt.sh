#!/usr/bin/env bash
# Builds the images backend/{directory,hardware,sandbox}:${VERSION:-dev}, or only the named
# ones, from the programs that make build has put into bin/. In place of `docker compose
# build`, for a machine that cannot pull the base image of Dockerfile. Then: docker compose up
# --no-build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

programs=("$@")
((${#programs[@]})) || programs=(directory hardware sandbox)
context=$(mktemp -d)
trap 'rm -rf "$context"' EXIT
mkdir -p "$context/var/image/data"
cp -L /etc/ssl/certs/ca-certificates.crt "$context/var/image/"
for program in "${programs[@]}"; do
  cp "bin/$program" "$context/"
  docker build --quiet --tag "backend/$program:${VERSION:-dev}" -f deploy/docker/Dockerfile.prebuilt \
    --build-arg TARGETPLATFORM=. --build-arg "SERVICE=$program" --build-arg "VERSION=${VERSION:-dev}" \
    --build-arg "REVISION=$(git rev-parse --short=12 HEAD)" --build-arg "CREATED=$(git log -1 --format=%cI)" "$context" >&2
  echo "image: backend/$program:${VERSION:-dev}"
done
