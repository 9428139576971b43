#!/usr/bin/env bash
# Compares the contracts with those of the last tag and fails if a change breaks clients.
# Without a tag nothing is promised yet. severity.txt makes oasdiff stricter than its defaults;
# its action for a forge would not run on a developer's machine.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

tag=$(git describe --tags --abbrev=0 2>/dev/null) || { echo 'contracts: no release to compare with'; exit 0; }
base=$(mktemp)
trap 'rm -f "$base"' EXIT
for contract in *.openapi.yaml; do
  git show "$tag:./$contract" >"$base"
  ../bin/lint/oasdiff breaking --fail-on ERR --flatten-params --flatten-allof --severity-levels severity.txt "$base" "$contract"
done
