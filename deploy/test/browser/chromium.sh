#!/usr/bin/env bash
# Installs Chromium and the font of the pictures with apt-get when they are missing (root only),
# and the packages from npm. If that fails, the tests skip, or fail if REQUIRE_SERVICES=1.
# Playwright's installer would download a browser of its own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

has_both() { command -v chromium >/dev/null && [[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ]]; }

if ! has_both && [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  echo "chromium: installing it"
  ../../dev/apt-get.sh install chromium fonts-dejavu-core || true
fi
has_both || echo "chromium: not available; the browser tests are skipped"
[[ node_modules/.package-lock.json -nt package-lock.json ]] || npm ci --loglevel=error ||
  echo "axe-core and pixelmatch: not available; the browser tests are skipped"
