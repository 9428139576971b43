#!/usr/bin/env bash
# Runs a command with TEST_DATABASE_URL, unless it is set, and with an installed redis-server, which
# each test that needs Redis starts for itself.
# PostgreSQL is an installed one that is started in a temporary folder, because packages that are tested in
# parallel need more connections than a server allows by default, or else the one on the
# default port. Missing servers are installed with apt-get (root only). If that fails, the
# tests that need them skip, or fail if REQUIRE_SERVICES=1. It stands in for Testcontainers,
# which needs an engine and a registry.
set -euo pipefail

readonly path=$PATH
pids=()

# memory_has_room: whether a folder in memory can hold databases and programs.
memory_has_room() {
  [[ -w /dev/shm && $(df --output=avail -k /dev/shm | tail -n 1) -gt $((4 << 20)) && ! $(findmnt -no OPTIONS /dev/shm) =~ noexec ]]
}

# The tests write to databases all the time: in memory none waits for the disk. What Go builds
# for them stays on the disk.
if memory_has_room 2>/dev/null; then
  dir=$(mktemp -d -p /dev/shm)
  export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=$dir
else
  dir=$(mktemp -d)
fi

cleanup() {
  ((${#pids[@]} == 0)) || kill -INT "${pids[@]}" 2>/dev/null || true
  wait
  rm -rf "$dir"
}
trap cleanup EXIT

answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

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

# appears FILE: waits for a socket, at most 10 s.
appears() {
  for _ in {1..200}; do
    [[ -S $1 ]] && return
    sleep 0.05
  done
  return 1
}

# postgres_admits: the server on the default port seems to accept the user of the tests.
postgres_admits() {
  answers 5432 || return
  ! found psql || psql -qwh 127.0.0.1 -U postgres -c '' postgres >/dev/null 2>&1
}

start_postgres() {
  local -a as=()
  if [[ $(id -u) == 0 ]]; then # which the server refuses to run as
    as=(setpriv --reuid=postgres --regid=postgres --init-groups)
  fi
  mkdir "$dir/postgres"
  if ((${#as[@]})); then
    chmod 711 "$dir"
    chown postgres "$dir/postgres"
  fi
  "${as[@]}" initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C -D "$dir/postgres/data" >"$dir/postgres.log"
  "${as[@]}" postgres -D "$dir/postgres/data" -k "$dir/postgres" -c listen_addresses= -c fsync=off -c max_connections=500 >>"$dir/postgres.log" 2>&1 &
  pids+=("$!")
  appears "$dir/postgres/.s.PGSQL.5432" || { cat "$dir/postgres.log" >&2; return 1; }
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
