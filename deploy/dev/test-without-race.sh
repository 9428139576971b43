#!/usr/bin/env bash
# test-without-race.sh MODULE...: runs the tests that the race detector would make too slow,
# which are in files with the build tag !race. A package is run as a whole, because the tests
# that need all of its tests are there as well; simulation_test.go is run alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

for module in "$@"; do
  mapfile -t files < <(git -C "$module" grep -l '^//go:build !race' -- '*_test.go')
  alone=() whole=() names=()
  for file in "${files[@]}"; do
    if [[ $(basename "$file") == simulation_test.go ]]; then
      alone+=("./$(dirname "$file")")
      mapfile -t -O "${#names[@]}" names < <(sed -n 's/^func \(Test[A-Za-z0-9]*\)(t .*/\1/p' "$module/$file")
    else
      whole+=("./$(dirname "$file")")
    fi
  done
  ((${#files[@]} == 0)) || echo "== $module without the race detector"
  ((${#whole[@]} == 0)) || (cd "$module" && go test -shuffle=on $(printf "%s\n" "${whole[@]}" | sort -u))
  ((${#alone[@]} == 0)) || (cd "$module" && go test -shuffle=on -run "^($(IFS='|'; echo "${names[*]}"))\$" "${alone[@]}")
done
