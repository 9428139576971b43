#!/usr/bin/env bash
# Prints the licence texts of Go and of every module that is linked into the program in
# a folder, for the platform of GOOS and GOARCH: those at the root of a module, and those
# in the folders of linked packages. Fails for a module without a licence file, or with
# a licence that is not allowed.
#
#   deploy/release/licences.sh services/hardware
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/modules.sh"
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# texts NAME ROOT FOLDER… prints the licence files that lie directly in the folders.
texts() {
  local name=$1 root=$2 kind file
  kind=$(licence "$root")
  [[ $kind =~ ^($allowed)$ ]] || { echo "licences: $name: $kind is not among $allowed" >&2; return 1; }
  printf '=== %s (%s)\n\n' "$name" "$kind"
  find "${@:3}" -maxdepth 1 -type f -iregex '.*/\(un\)?\(licen[cs]e\|copying\|notice\|patents\)[^/]*' ! -name '*.go' | sort -u >"$work/files"
  while read -r file; do
    printf -- '--- %s\n\n' "${file#"$root"/}"
    cat "$file"
    echo
  done <"$work/files"
}

# folders MODULE prints the module's folder and all between it and a linked package.
folders() {
  awk -v module="$1" '$1 == module { for (f = $4; length(f) > length($3); sub(/\/[^\/]*$/, "", f)) print f; print $3 }' "$work/packages" | sort -u
}

linked_packages "$1" . >"$work/packages"
root=$(go env GOROOT)
texts "Go $(go env GOVERSION)" "$root" "$root"
cut -d ' ' -f 1-3 "$work/packages" | sort -u >"$work/modules"
while read -r path version folder; do
  mapfile -t below < <(folders "$path")
  texts "$path $version" "$folder" "${below[@]}"
done <"$work/modules"
