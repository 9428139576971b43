#!/usr/bin/env bash
# Generates Go clients of both contracts with oapi-codegen and ogen and compiles them: users
# of either should have no surprises. The generators are the kept tools.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.tools"

folder=$(mktemp -d generated.XXXX)
trap 'rm -rf "$folder"' EXIT
# The form bodies are those of Meta's callbacks, and alternatives to JSON.
echo 'generator: {ignore_not_implemented: ["complex form schema"]}' >"$folder/ogen.yml"
for contract in directory hardware; do
  document=../proto-free-contracts/$contract.openapi.yaml
  mkdir -p "$folder/oapi/$contract"
  go tool oapi-codegen -package "$contract" -generate types,client -o "$folder/oapi/$contract/client.go" "$document"
  go tool ogen -loglevel error -config "$folder/ogen.yml" -package "$contract" -target "$folder/ogen/$contract" "$document"
done
go build "./$folder/..."
