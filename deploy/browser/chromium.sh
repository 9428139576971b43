#!/usr/bin/env bash
# Installs Chromium with apt-get when it is missing (root only). When there is none
# to be had, says so and goes on: the tests skip, and fail when REQUIRE_SERVICES=1.
set -euo pipefail

command -v chromium >/dev/null && exit
if [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
  echo "chromium: installing it"
  (apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium) >/dev/null || true
fi
command -v chromium >/dev/null || echo "chromium: none to be had; the browser tests are skipped"
