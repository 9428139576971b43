#!/usr/bin/env bash
# Generates the client from the contracts: one module for each service, and declarations
# with its types and their documentation. Generates the API reference of the website, too.
# Needs Node and npm. In place of openapi-ts alone, whose TypeScript users would have to compile.
#
#   generate.sh          writes directory/, hardware/ and reference/ here
#   generate.sh FOLDER   writes them into FOLDER
set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
to=$(realpath "${1:-$here}") bin=$here/node_modules/.bin
SOURCES=$(mktemp -d)
trap 'rm -rf "$SOURCES"' EXIT
export SOURCES

cd "$here"
[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --loglevel=error
"$bin/openapi-ts" >"$SOURCES/log" || { cat "$SOURCES/log"; exit 1; }

cd "$SOURCES"
rm -rf "$to/directory" "$to/hardware"
"$bin/esbuild" */index.ts --log-level=warning --bundle --format=esm --target=es2022 --outdir="$to"
"$bin/tsc" --ignoreConfig --strict --target es2022 --module esnext --moduleResolution bundler --lib es2023,dom,dom.iterable \
  --declaration --emitDeclarationOnly --rootDir . --outDir "$to" */index.ts
mkdir -p "$to/reference"
for api in directory hardware; do
  node "$here/reference.js" "$api" >"$to/reference/$api.html"
done
