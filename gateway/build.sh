#!/usr/bin/env bash
# Puts the gateway binary at ../bin/gateway. Does nothing when it is newer than
# go.mod and go.sum; takes a traefik of the pinned minor version from PATH when
# there is one; else builds it from the pinned source.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly module=github.com/traefik/traefik/v3
readonly target=../bin/gateway

version=$(awk -v m="$module" '$1 == m && $2 ~ /^v/ { print $2; exit }' go.mod)
minor=${version%.*}

# Prints the version of a Traefik binary with a leading v, or nothing.
version_of() {
  "$1" version 2>/dev/null | awk '$1 == "Version:" { sub(/^v?/, "v", $2); print $2; exit }' || true
}

if [[ -x $target && $target -nt go.mod && $target -nt go.sum ]]; then
  exit 0
fi
mkdir -p "$(dirname "$target")"
part=$target.part.$$
trap 'rm -f "$part"' EXIT

if installed=$(command -v traefik); then
  found=$(version_of "$installed")
  if [[ $found == "$minor".* ]]; then
    echo "gateway: using $installed ($found)"
    cp -L "$installed" "$part"
    chmod 755 "$part"
    mv "$part" "$target"
    exit 0
  fi
  echo "gateway: $installed is ${found:-of an unknown version}, not $minor"
fi

echo "gateway: building Traefik $version; the first build takes 5 to 10 minutes on two cores, later ones seconds"
GOWORK=off CGO_ENABLED=0 go build -trimpath \
  -ldflags "-s -w -X $module/pkg/version.Version=$version" \
  -o "$part" "$module/cmd/traefik"
mv "$part" "$target"
echo "gateway: built $(version_of "$target")"
