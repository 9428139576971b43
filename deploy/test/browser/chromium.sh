#!/usr/bin/env bash
# Installs Chromium with apt-get when it is missing (root only), and axe-core from npm.
# What is not to be had is said: the tests skip, and fail when REQUIRE_SERVICES=1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v chromium >/dev/null && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  echo "chromium: installing it"
  (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium) >/dev/null || true
fi
command -v chromium >/dev/null || echo "chromium: none to be had; the browser tests are skipped"
[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --loglevel=error ||
  echo "axe-core: none to be had; the browser tests are skipped"
