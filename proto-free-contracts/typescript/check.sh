#!/usr/bin/env bash
# Fails if the client or the reference differs from what generate.sh generates, if the
# types do not match the example and the tests, or if the bundled client is too large. In place
# of git diff after make client, which would change the work tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
./generate.sh "$fresh"
for made in directory hardware reference; do
  diff -r "$made" "$fresh/$made" || { echo 'The client or the reference does not match the contracts: run make client.' >&2; exit 1; }
done
if grep '"resolved"' package-lock.json; then
  echo 'package-lock.json names the registry of one machine; .npmrc leaves it out.' >&2
  exit 1
fi
node_modules/.bin/tsc
node --test --test-reporter=spec test/size.test.js
