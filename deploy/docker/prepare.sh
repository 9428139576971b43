#!/usr/bin/env bash
# Makes what docker-compose.yml mounts and the repository does not hold, below
# STATE_DIR (var/compose):
#
#   secrets/   once; a file that is there is left alone
#   gateway/   each time: gateway/traefik.yml with the Docker provider
#
# The folder of the secrets is its owner's alone. The files in it are readable,
# because each is mounted by itself into containers whose users differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly dir=${STATE_DIR:-var/compose} secrets=${STATE_DIR:-var/compose}/secrets
# COMPOSE_PROJECT_NAME, where several compositions share one engine.
readonly project=${COMPOSE_PROJECT_NAME:-backend}

# secret NAME TEXT: writes the file, complete or not at all, unless it is there.
secret() {
  [[ -e $secrets/$1 ]] && return
  rm -f "$secrets/$1.part"
  (umask 333 && printf '%s\n' "$2" >"$secrets/$1.part")
  mv "$secrets/$1.part" "$secrets/$1"
  echo "compose: made $secrets/$1"
}

random() { head -c "$1" /dev/urandom | "${@:2}"; }
hex() { random 24 od -An -vtx1 | tr -d ' \n'; }
key() { echo "k$(random 4 od -An -vtx1 | tr -d ' \n'):$(random 32 base64 | tr -d '\n')"; }

mkdir -p "$dir/gateway"
mkdir -p -m 700 "$secrets"

secret database_password "$(hex)"
secret database_url "postgres://directory:$(<"$secrets/database_password")@postgres:5432/directory?sslmode=disable"
secret session_keys "$(key)"
secret encryption_keys "$(key)"
secret redis_password "$(hex)"
secret redis_url "redis://hardware:$(<"$secrets/redis_password")@redis:6379/0"
# Nobody can be the default user, but Redis itself reads its append-only file as
# that user, and silently drops what the user may not do.
secret redis_acl "$(printf '%s\n' \
  'user default off ~* &* +@all' \
  'user health on nopass -@all +ping' \
  "user hardware on >$(<"$secrets/redis_password") ~* &* +@all -@admin -@dangerous")"
# The operator's own; empty means not configured.
for name in provider_search_client_secret provider_social_client_secret places_api_key; do
  [[ -e $secrets/$name ]] || install -m 644 /dev/null "$secrets/$name"
done

{
  echo "# Made by deploy/docker/prepare.sh from gateway/traefik.yml."
  sed -e 's/"127\.0\.0\.1:9080"/":9080"/' -e '/^providers:/r deploy/docker/gateway/provider.yml' gateway/traefik.yml |
    sed -e "s/@project@/$project/"
  if [[ -n ${OTEL_EXPORTER_OTLP_ENDPOINT:-} ]]; then
    sed "s#http://127.0.0.1:4318#${OTEL_EXPORTER_OTLP_ENDPOINT%/}#" gateway/tracing.yml
  fi
} >"$dir/gateway/traefik.yml.part"
chmod 644 "$dir/gateway/traefik.yml.part"
mv "$dir/gateway/traefik.yml.part" "$dir/gateway/traefik.yml"
