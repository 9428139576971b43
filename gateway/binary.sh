#!/usr/bin/env bash
# Puts the gateway binary at ../bin/gateway; no tool is kept that checks an official sum and
# falls back to the source. A binary that is newer than go.mod and
# go.sum stays. Else it comes from the first of these that has it:
#
#   1. a traefik of the pinned minor version on the PATH
#   2. the official archive of the pinned version, if its sum is the one in traefik.sha256
#   3. the pinned source, which takes 5 to 15 minutes on two cores the first time
#
#   --no-source       ends with status 3 instead of building from the source
#   TRAEFIK_RELEASES  where the archives are
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off CGO_ENABLED=0
readonly module=github.com/traefik/traefik/v3 target=../bin/gateway
readonly releases=${TRAEFIK_RELEASES:-https://github.com/traefik/traefik/releases/download}
version=$(awk -v m="$module" '$1 == m && $2 ~ /^v/ { print $2; exit }' go.mod)
minor=${version%.*}
work=

say() { echo "gateway: $*"; }

# Prints the version of a Traefik binary with a leading v, or nothing.
version_of() {
  "$1" version 2>/dev/null | awk '$1 == "Version:" { sub(/^v?/, "v", $2); print $2; exit }' || true
}

# install FILE: moves it, which is on the same file system, to the target.
install() {
  chmod 755 "$1" && mv "$1" "$target"
}

from_path() {
  local installed found
  installed=$(command -v traefik) || return 1
  found=$(version_of "$installed")
  if [[ $found != "$minor".* ]]; then
    say "$installed is ${found:-of an unknown version}, not $minor"
    return 1
  fi
  cp -L "$installed" "$work/traefik" && install "$work/traefik" || return 1
  say "using $installed ($found)"
}

from_archive() {
  local archive sum
  archive=traefik_${version}_$(go env GOOS)_$(go env GOARCH).tar.gz
  sum=$(awk -v f="$archive" '$2 == f { print $1 }' traefik.sha256)
  if [[ -z $sum ]]; then
    say "no sum is known for $archive"
    return 1
  fi
  # Gives up when there is no connection, or nothing comes, for 5 s.
  if ! curl --fail --silent --location --connect-timeout 5 --speed-limit 1 --speed-time 5 \
    --output "$work/$archive" "$releases/$version/$archive"; then
    say "$archive cannot be had"
    return 1
  fi
  if ! echo "$sum  $work/$archive" | sha256sum --check --status; then
    say "WRONG SUM: $archive is not the file whose sum is in gateway/traefik.sha256; it is not used" >&2
    return 1
  fi
  tar -xzf "$work/$archive" -C "$work" traefik && install "$work/traefik" || return 1
  say "Traefik $version from the official archive"
}

# progress TOTAL: says every 10 s how many packages of TOTAL are compiled, one a line of input.
progress() {
  local done=0 next=10 line
  while IFS= read -r line; do
    [[ $line == go:* ]] || ((++done))
    ((SECONDS >= next)) || continue
    next=$((SECONDS + 10))
    say "$done of $1 packages, $((SECONDS / 60)):$(printf %02d $((SECONDS % 60)))"
  done
}

from_source() {
  # What -s and -w drop is not compiled either, which saves a tenth of the time.
  local -r flags=(-trimpath -gcflags all=-dwarf=false -ldflags "-s -w -X $module/pkg/version.Version=$version")
  local total
  say "building Traefik $version from its source"
  total=$(go list "${flags[@]}" -deps -f '{{if .Stale}}{{.ImportPath}}{{end}}' "$module/cmd/traefik" | wc -l)
  SECONDS=0
  if ! go build -v "${flags[@]}" -o "$work/traefik" "$module/cmd/traefik" 2>&1 | tee "$work/log" | progress "$total"; then
    grep -v '^go: downloading' "$work/log" | tail -n 20 >&2
    return 1
  fi
  install "$work/traefik"
  say "built $(version_of "$target") in $((SECONDS / 60)) min $((SECONDS % 60)) s"
}

if [[ -x $target && $target -nt go.mod && $target -nt go.sum ]]; then
  exit 0
fi
mkdir -p "$(dirname "$target")"
work=$(mktemp -d "$(dirname "$target")/.gateway.XXXXXX")
trap 'rm -rf "$work"' EXIT
if from_path || from_archive; then
  exit 0
fi
[[ ${1:-} != --no-source ]] || exit 3
from_source
