#!/usr/bin/env bash
# Installs Chromium with apt-get when it is missing (root only), and axe-core from npm.
# If that fails, the tests skip, or fail if REQUIRE_SERVICES=1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v chromium >/dev/null && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  echo "chromium: installing it"
  (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium) >/dev/null || true
fi
command -v chromium >/dev/null || echo "chromium: not available; the browser tests are skipped"
[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --loglevel=error ||
  echo "axe-core: not available; the browser tests are skipped"
