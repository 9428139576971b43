#!/usr/bin/env bash
# Checks that the module cache is what the go.sum files say, that DEPENDENCIES.md lists the
# direct dependencies, that two builds in two folders are the same bytes, and that no linked
# function has a known vulnerability; of the gateway, bin/gateway if it is there.
#
# An unreachable vulnerability database is reported and is no failure. GOVULNDB sets another
# one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export GOWORK=off
root=$PWD
readonly programs=(services/directory services/hardware deploy/sandbox)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir "$work/tools"

modules() { find . -name go.mod -not -path './var/*' -not -path './bin/*' -printf '%h\n' | sort; }

verify() {
  local module
  while read -r module; do
    printf '%s: ' "$module"
    (cd "$module" && go mod verify)
  done < <(modules)
}

# Prints the direct dependencies of a go.mod, including those of its tools, without the
# modules of this repository.
direct() {
  awk '
    /^(require|tool|replace|exclude) \(/ { block = $1; next }
    /^\)/                                { block = ""; next }
    { kind = block; line = $0 }
    /^(require|tool) [^(]/               { kind = $1; sub(/^[a-z]+ /, "", line) }
    kind == "require"                    { split(line, f); all[f[1]]; if (line !~ /\/\/ indirect/) need[f[1]] }
    kind == "tool"                       { split(line, f); tools[f[1]] }
    END {
      for (t in tools) { best = ""; for (m in all) if (index(t "/", m "/") == 1 && length(m) > length(best)) best = m; need[best] }
      for (m in need) if (m !~ /^backend\.example\//) print m
    }' "$1/go.mod"
}

# Prints the npm packages of the TypeScript client and the browser tests.
npm_packages() {
  sed -n '/"devDependencies"/,/}/s/^ *"\([^"]*\)": "[0-9].*/\1/p' {proto-free-contracts/typescript,deploy/test/browser}/package.json
}

dependencies() {
  { modules | while read -r module; do direct "$module"; done; npm_packages; } | sort -u >"$work/needed"
  sed -n 's/^- `\([^`]*\)`: .*/\1/p' DEPENDENCIES.md | sort >"$work/listed"
  if [[ -n $(uniq -d "$work/listed") ]] || ! diff "$work/needed" "$work/listed"; then
    echo 'DEPENDENCIES.md and the go.mod and package.json files differ (< needed, > listed)'
    return 1
  fi
  echo "$(wc -l <"$work/needed") direct dependencies, all in DEPENDENCIES.md"
}

# build FOLDER: the programs, into FOLDER/out, with the flags of `make build`.
build() {
  local program
  tar -C "$root" -cf - proto-free-contracts services deploy/sandbox | tar -C "$1" -xf -
  for program in "${programs[@]}"; do
    (cd "$1/$program" && CGO_ENABLED=0 \
      go build -trimpath -buildvcs=false -gcflags all=-dwarf=false -ldflags '-s -w -X main.version=check' -o "$1/out/" .)
  done
}

reproduce() {
  mkdir -p "$work/one" "$work/another/deeper/folder"
  build "$work/one"
  build "$work/another/deeper/folder"
  (cd "$work/one/out" && sha256sum -- *) | tee "$work/sums"
  (cd "$work/another/deeper/folder/out" && sha256sum --quiet -c "$work/sums")
}

vulnerabilities() {
  local binary status=0 result
  (cd .tools && go build -o "$work/tools/" golang.org/x/vuln/cmd/govulncheck)
  for binary in "$work"/one/out/* bin/gateway; do
    [[ -e $binary ]] || continue
    result=0
    "$work/tools/govulncheck" ${GOVULNDB:+-db "$GOVULNDB"} -mode=binary "$binary" >"$work/log" 2>&1 || result=$?
    if grep -q 'fetching vulnerabilities' "$work/log"; then
      echo "the vulnerability database cannot be reached: $(tail -1 "$work/log")"
      echo "vulnerabilities NOT CHECKED" >"$work/verdict"
      return 0
    fi
    cat "$work/log"
    status=$((status | result))
  done
  return $status
}

readonly steps=(verify dependencies reproduce vulnerabilities)
failed=()
for step in "${steps[@]}"; do
  echo "== $step"
  ($step) || failed+=("$step")
done
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
echo "${#steps[@]} steps, $(cat "$work/verdict" 2>/dev/null || echo 'no vulnerability known')"
