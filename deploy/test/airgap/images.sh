#!/usr/bin/env bash
# Creates local substitutes for the official images of docker-compose.yml and Dockerfile,
# under the same names, on a machine that cannot pull them: PostgreSQL and Redis
# from Debian's packages (debootstrap, root only), Go and the CA roots from this machine,
# Traefik from bin/gateway. An image that exists, or can be pulled, is not replaced.
# DEBIAN_MIRROR sets another mirror for debootstrap. For tests only, in place of a registry.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly suite=trixie base=backend/airgap-base:trixie
readonly root=$PWD/../../..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

present() { docker image inspect "$1" >/dev/null 2>&1; }

# make_base installs the packages of all substitutes into one image.
make_base() {
  if present "$base"; then return; fi
  command -v debootstrap >/dev/null || "$root/deploy/dev/apt-get.sh" install debootstrap
  echo "images: installing Debian $suite with PostgreSQL and Redis (about two minutes)" >&2
  debootstrap --variant=minbase --include=postgresql-17,redis-server "$suite" "$work/debian" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} >"$work/log" 2>&1 ||
    { tail -n 20 "$work/log" >&2; return 1; }
  rm -rf "$work"/debian/var/cache/apt/archives/*.deb "$work"/debian/var/lib/postgresql/17
  tar -C "$work/debian" -c . | docker import - "$base" >/dev/null
}

# substitute IMAGE builds it from images/Dockerfile.NAME.
substitute() {
  local name=${1%%:*} context=$work/context
  rm -rf "$context" && mkdir "$context"
  case $name in
    traefik) [[ -x $root/bin/gateway ]] || { echo "images: bin/gateway is not there; run make build" >&2; return 1; }
      make_base && cp "$root/bin/gateway" "$context/traefik" ;;
    golang) make_base && cp -rL "$(go env GOROOT)" "$context/go" && cp -L /etc/ssl/certs/ca-certificates.crt "$context/" ;;
    postgres | redis) make_base && cp images/postgres-entrypoint.sh "$context/" ;;
    *) echo "images: none for $1" >&2; return 1 ;;
  esac
  docker build --quiet --tag "$1" -f "images/Dockerfile.$name" "$context" >/dev/null 2>"$work/log" ||
    { cat "$work/log" >&2; return 1; }
  made+=("$1")
}

made=()
for image in golang:"$(sed -n 's/^ARG GO_VERSION=//p' "$root/deploy/docker/Dockerfile")"-bookworm \
  $(sed -n 's/^ *image: *\(\(traefik\|postgres\|redis\):[^ ]*\)$/\1/p' "$root/docker-compose.yml" | sort -u); do
  present "$image" || timeout 120 docker pull --quiet "$image" >/dev/null 2>&1 || substitute "$image"
done
((${#made[@]} == 0)) || echo "SUBSTITUTES, never to be pushed: docker image rm ${made[*]}" >&2
