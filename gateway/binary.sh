#!/usr/bin/env bash
# Puts the gateway binary at ../bin/gateway, unless one is there that is newer than go.mod and
# go.sum, from the first of these that has it:
#
#   1. a traefik of the pinned minor version on the PATH
#   2. the official archive of the pinned version, if its sum is the one in traefik.sha256
#   3. the pinned source, which takes 5 to 15 minutes on two cores the first time
#
# It stands in for a package manager: none has this version everywhere, or builds the source.
#
#   --no-source       ends with status 3 instead of building from the source
#   TRAEFIK_RELEASES  where the archives are
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off CGO_ENABLED=0
readonly module=github.com/traefik/traefik/v3 target=../bin/gateway
readonly releases=${TRAEFIK_RELEASES:-https://github.com/traefik/traefik/releases/download}
version=$(awk -v m="$module" '$1 == m && $2 ~ /^v/ { print $2; exit }' go.mod)

say() { echo "gateway: $*"; }

from_path() {
  local installed found
  installed=$(command -v traefik) || return 1
  found=$("$installed" version 2>/dev/null | awk '$1 == "Version:" { sub(/^v?/, "v", $2); print $2; exit }')
  if [[ $found != "${version%.*}".* ]]; then
    say "$installed is $found, not ${version%.*}"
    return 1
  fi
  cp -L "$installed" "$work/traefik" || return 1
  say "using $installed ($found)"
}

from_archive() {
  local archive sum
  archive=traefik_${version}_$(go env GOOS)_$(go env GOARCH).tar.gz
  sum=$(awk -v f="$archive" '$2 == f { print $1 }' traefik.sha256)
  [[ -n $sum ]] || { say "no sum is known for $archive"; return 1; }
  # Gives up when there is no connection, or nothing comes, for 5 s.
  curl --fail --silent --location --connect-timeout 5 --speed-limit 1 --speed-time 5 \
    --output "$work/$archive" "$releases/$version/$archive" || { say "$archive cannot be had"; return 1; }
  if ! echo "$sum  $work/$archive" | sha256sum --check --status; then
    say "WRONG SUM: $archive is not the file whose sum is in gateway/traefik.sha256; it is not used" >&2
    return 1
  fi
  tar -xzf "$work/$archive" -C "$work" traefik || return 1
  say "Traefik $version from the official archive"
}

# progress TOTAL: says every 10 s how many packages of TOTAL are compiled, one a line of input.
progress() {
  local done=0 next=10 line
  while IFS= read -r line; do
    [[ $line == go:* ]] || ((++done))
    ((SECONDS >= next)) || continue
    next=$((SECONDS + 10))
    say "$done of $1 packages, $SECONDS s"
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
  say "built Traefik $version in $SECONDS s"
}

[[ ! -x $target || go.mod -nt $target || go.sum -nt $target ]] || exit 0
mkdir -p ../bin
work=$(mktemp -d ../bin/.gateway.XXXXXX)
trap 'rm -rf "$work"' EXIT
if ! from_path && ! from_archive; then
  [[ ${1:-} != --no-source ]] || exit 3
  from_source
fi
chmod 755 "$work/traefik"
mv "$work/traefik" "$target"
