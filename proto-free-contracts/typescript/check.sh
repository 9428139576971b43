#!/usr/bin/env bash
# Fails when the client is not what generate.sh makes of the contracts, when its types do
# not fit the example and the tests, or when an app would carry too much of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
./generate.sh "$fresh"
for made in directory hardware contracts.sha256; do
  diff -r "$made" "$fresh/$made" || { echo 'The client is older than the contracts: run make client.' >&2; exit 1; }
done
if grep '"resolved"' package-lock.json; then
  echo 'package-lock.json names the registry of one machine; .npmrc leaves it out.' >&2
  exit 1
fi
node_modules/.bin/tsc
node --test --test-reporter=spec test/size.test.js
