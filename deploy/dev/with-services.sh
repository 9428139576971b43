#!/usr/bin/env bash
# Runs a command with TEST_DATABASE_URL, unless it is set, and with an installed redis-server,
# which each test that needs Redis starts for itself. PostgreSQL is an installed one that is
# started in a temporary folder, because tests in parallel need more connections than a server
# allows by default, or else the one on the default port. Missing servers are installed with
# apt-get (root only). If that fails, the tests that need them skip, or fail if
# REQUIRE_SERVICES=1. It stands in for Testcontainers, which needs an engine and a registry.
set -euo pipefail

readonly path=$PATH
as=()
[[ $(id -u) != 0 ]] || as=(runuser -u postgres --) # the server refuses to run as root

# The tests write to databases all the time: in memory, if there are 4 GB, none waits for the
# disk. What Go builds for them stays on the disk.
dir=$(mktemp -d)
if [[ -w /dev/shm && $(df --output=avail -k /dev/shm | tail -n 1) -gt $((4 << 20)) &&
  ! $(findmnt -no OPTIONS /dev/shm) =~ noexec ]]; then
  rmdir "$dir" && dir=$(mktemp -d -p /dev/shm)
  export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=$dir
fi

cleanup() {
  [[ ! -e $dir/postgres/data/postmaster.pid ]] || "${as[@]}" pg_ctl -D "$dir/postgres/data" -m immediate stop >/dev/null
  rm -rf "$dir"
}
trap cleanup EXIT

# found PROGRAM: also where Debian keeps the programs of PostgreSQL.
found() {
  PATH=$path$(printf ':%s' /usr/lib/postgresql/*/bin)
  command -v "$1" >/dev/null
}

# installed PROGRAM PACKAGE: tries to install what is missing.
installed() {
  found "$1" && return
  [[ $(id -u) == 0 ]] && command -v apt-get >/dev/null || return
  echo "$2: installing it"
  "$(dirname "${BASH_SOURCE[0]}")/apt-get.sh" install "$2"
  found "$1"
}

# postgres_admits: the server on the default port accepts the user of the tests.
postgres_admits() { found psql && psql -qwh 127.0.0.1 -U postgres -c '' postgres >/dev/null 2>&1; }

start_postgres() {
  chmod 711 "$dir"
  mkdir "$dir/postgres"
  ((${#as[@]} == 0)) || chown postgres "$dir/postgres"
  "${as[@]}" initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C -D "$dir/postgres/data" >"$dir/log"
  "${as[@]}" pg_ctl -w -D "$dir/postgres/data" -l "$dir/postgres/log" start \
    -o "-k $dir/postgres -c listen_addresses= -c fsync=off -c max_connections=500" >"$dir/log"
}

use_postgres() {
  if [[ -n ${TEST_DATABASE_URL:-} ]]; then
    echo "postgresql: the one of TEST_DATABASE_URL"
  elif ! found initdb && postgres_admits; then
    echo "postgresql: the one on port 5432"
    export TEST_DATABASE_URL='postgres://postgres@127.0.0.1:5432/postgres?sslmode=disable'
  elif installed initdb postgresql; then
    echo "postgresql: a new server in $dir"
    start_postgres
    export TEST_DATABASE_URL="postgres:///postgres?host=$dir/postgres&user=postgres"
  else
    echo "postgresql: not available; the tests that need it are skipped"
  fi
}

installed redis-server redis-server || echo "redis: not available; the tests that need it are skipped"
use_postgres
"$@"
