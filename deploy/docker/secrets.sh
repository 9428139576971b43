#!/usr/bin/env bash
# Makes the secrets of a new production in a folder, which SECRETS names, once. Secrets of the
# providers are empty files, to be filled in. No tool is kept for this: the formats of the keys
# are this backend's own.
#
#   secrets.sh /etc/backend
set -euo pipefail

folder=${1:?the folder}
[[ ! -e $folder/encryption_keys ]] || { echo "secrets: $folder has secrets; new ones would not fit the data" >&2; exit 1; }
mkdir -p "$folder"
# Others cannot enter the folder. Containers see single files, whatever user they run as.
chmod 700 "$folder"
cd "$folder"
umask 022

hex() { head -c "$1" /dev/urandom | od -An -vtx1 | tr -d ' \n'; }
key() { echo "k$(hex 4):$(head -c 32 /dev/urandom | base64 --wrap=0)"; }

password=$(hex 24)
echo "$password" >database_password
echo "postgres://directory:$password@postgres:5432/directory?sslmode=disable" >database_url
password=$(hex 24)
echo "redis://hardware:$password@redis:6379/0" >redis_url
# No client can log in as the default user, but Redis reads its append-only file as that user
# and drops commands without permission.
printf '%s\n' 'user default off ~* &* +@all' 'user health on nopass -@all +ping' \
  "user hardware on >$password ~* &* +@all -@admin -@dangerous" >redis_acl
hex 12 >grafana_password
touch provider_search_client_secret provider_social_client_secret places_api_key smtp_url
key >session_keys
key >encryption_keys
echo "secrets: made in $folder; keep a copy of the folder apart from backups of the database"
