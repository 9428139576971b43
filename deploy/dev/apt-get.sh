#!/usr/bin/env bash
# Updates the lists of packages, if it may, and runs apt-get with the arguments and without
# questions. It waits for other runs of itself, for which apt-get alone would fail: its option
# DPkg::Lock::Timeout waits for dpkg, but not for the lists that another run updates.
set -euo pipefail

command -v apt-get >/dev/null || { echo "apt-get: not on this machine" >&2; exit 1; }

# What a package starts does not keep the lock.
locked() { flock --close "$(command -v apt-get)" apt-get "$@" >/dev/null; }

locked update || true
DEBIAN_FRONTEND=noninteractive locked -y --no-install-recommends "$@"
