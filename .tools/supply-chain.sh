#!/usr/bin/env bash
# Checks that the module cache is what the go.sum files say, that DEPENDENCIES.md lists the
# direct dependencies, that licences are allowed, and that no function linked in bin/ has a
# known vulnerability.
#
# A scanner such as Trivy would be a program to fetch that knows less of Go's modules. An
# unreachable vulnerability database is reported and is no failure. GOVULNDB sets another one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export GOWORK=off
root=$PWD
readonly programs=(services/directory services/hardware deploy/sandbox)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints the go.mod files, and kubernetes.mod, which is one for -modfile.
modules() { find . -name '*.mod' -not -path './var/*' -not -path './bin/*' | sort; }

verify() {
  local module
  while read -r module; do
    printf '%s: ' "$module"
    go -C "${module%/*}" mod verify -modfile="${module##*/}"
  done < <(modules)
}

# Prints the direct dependencies of a go.mod file, also of its tools.
direct() {
  local go=(go -C "${1%/*}" list -modfile="${1##*/}")
  { "${go[@]}" -m -f '{{if not (or .Indirect .Main)}}{{.Path}}{{end}}' all && "${go[@]}" -f '{{.Module.Path}}' tool 2>/dev/null; } |
    grep -v '^backend.example/' || true
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

# The licence of modernc.org/mathutil is BSD-3-Clause in words that go-licenses does not know.
licences() {
  local program
  for program in "${programs[@]}"; do
    (cd "$program" && GOFLAGS='' GOROOT=$(go env GOROOT) "$root/bin/lint/go-licenses" check . \
      --ignore backend.example,modernc.org/mathutil \
      --allowed_licenses MIT,BSD-2-Clause,BSD-3-Clause,Apache-2.0,ISC,MPL-2.0 2>"$work/log") || { cat "$work/log"; return 1; }
  done
}

vulnerabilities() {
  local binary status=0 result
  for binary in bin/{directory,hardware,sandbox,gateway}; do
    [[ -e $binary ]] || continue
    result=0
    bin/lint/govulncheck ${GOVULNDB:+-db "$GOVULNDB"} -mode=binary "$binary" >"$work/log" 2>&1 || result=$?
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

readonly steps=(verify dependencies licences vulnerabilities)
failed=()
for step in "${steps[@]}"; do
  echo "== $step"
  ($step) || failed+=("$step")
done
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}"; exit 1; }
echo "${#steps[@]} steps, $(cat "$work/verdict" 2>/dev/null || echo 'no vulnerability known')"
