#!/usr/bin/env bash
# What docker-compose.yml uses of the official image's entrypoint: on an empty volume a
# cluster with POSTGRES_USER, its password and POSTGRES_DB, then the server.
set -euo pipefail

if [[ ! -s $PGDATA/PG_VERSION ]]; then
  initdb --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" \
    --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8
  echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
  pg_ctl --pgdata="$PGDATA" --wait --options="-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" start
  createdb --host=/var/run/postgresql --username="$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --pgdata="$PGDATA" --wait --mode=fast stop
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
