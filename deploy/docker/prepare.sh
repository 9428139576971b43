#!/usr/bin/env bash
# The service prepare of docker-compose.yml creates the files that the others mount and the
# repository does not contain.
#
#   prepare            before every start: creates the secrets, if there are none, and the
#                      gateway's install configuration, and makes the folder of erasures
#                      writable for the directory service, which is not root
#   prepare get NAME   prints a secret
#   prepare put NAME   replaces a secret with its standard input
#   prepare backup     prints a tar archive of all secrets
#   prepare restore    reads such an archive
#
# Each folder below /secrets is a volume that only one service mounts, so the files may be
# readable for every user.
set -euo pipefail

readonly secrets=/secrets config=/config/traefik.yml
readonly names=(
  postgres/database_password
  directory/database_url directory/session_keys directory/encryption_keys
  hardware/redis_url redis/redis_acl
)

fail() {
  echo "prepare: $*" >&2
  exit 1
}

# write FILE writes its standard input completely or not at all.
write() {
  rm -f "$1.part"
  (umask 222 && cat >"$1.part")
  sync "$1.part"
  mv -f "$1.part" "$1"
}

known() {
  [[ -n $1 && " ${names[*]} " == *" $1 "* ]] || fail "'$1' is none of: ${names[*]}"
}

put() {
  local text
  known "$1"
  text=$(cat)
  [[ -n $text ]] || fail "nothing to put into $1"
  printf '%s\n' "$text" | write "$secrets/$1"
}

random() { head -c "$1" /dev/urandom | "${@:2}"; }
hex() { random "$1" od -An -vtx1 | tr -d ' \n'; }
key() { echo "k$(hex 4):$(random 32 base64 --wrap=0)"; }

# make_secrets creates all secrets or none: a new one would not fit the data of old ones.
make_secrets() {
  local name there=() bad=() password
  for name in "${names[@]}"; do
    [[ ! -e $secrets/$name ]] || there+=("$name")
    [[ -s $secrets/$name ]] || bad+=("$name")
  done
  ((${#bad[@]})) || return 0
  ((${#there[@]} == 0)) ||
    fail "missing or empty, while other secrets are there: ${bad[*]}. Restore them from the backup; new ones would not fit the data."

  password=$(hex 24)
  echo "$password" | put postgres/database_password
  echo "postgres://directory:$password@postgres:5432/directory?sslmode=disable" | put directory/database_url
  key | put directory/session_keys
  key | put directory/encryption_keys
  password=$(hex 24)
  echo "redis://hardware:$password@redis:6379/0" | put hardware/redis_url
  # No client can log in as the default user, but Redis reads its append-only file as that
  # user and silently drops commands without permission.
  printf '%s\n' \
    'user default off ~* &* +@all' \
    'user health on nopass -@all +ping' \
    "user hardware on >$password ~* &* +@all -@admin -@dangerous" | put redis/redis_acl
  echo "prepare: made the secrets; back them up"
}

# copy_provider_secrets takes the operator's own; none means not configured.
copy_provider_secrets() {
  local name
  for name in provider_search_client_secret provider_social_client_secret places_api_key smtp_url; do
    if [[ -e /provider/$name ]]; then cat "/provider/$name"; fi | write "$secrets/directory/$name"
  done
}

# make_config adds the Docker provider to the gateway's own install configuration.
make_config() {
  {
    sed -e 's/"127\.0\.0\.1:9080"/":9080"/' -e '/^providers:/r /deploy/gateway/provider.yml' /gateway/traefik.yml |
      sed -e "s/@project@/$PROJECT/"
    if [[ -n $OTEL_EXPORTER_OTLP_ENDPOINT ]]; then
      sed "s#http://127.0.0.1:4318#${OTEL_EXPORTER_OTLP_ENDPOINT%/}#" /gateway/tracing.yml
    fi
  } | write "$config"
}

case ${1:-} in
  '')
    make_secrets
    copy_provider_secrets
    make_config
    chmod 0777 /erasures
    ;;
  get)
    known "${2:-}"
    cat "$secrets/$2"
    ;;
  put) put "${2:-}" ;;
  backup) tar -C "$secrets" -c "${names[@]}" ;;
  restore) tar -C "$secrets" --no-same-owner -x "${names[@]}" ;;
  *) fail "unknown: $*" ;;
esac
