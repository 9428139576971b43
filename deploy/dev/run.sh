#!/usr/bin/env bash
# Builds what is missing, starts the whole backend on this machine, waits until it is
# healthy, prints the addresses and runs until Ctrl-C. When the gateway has to be built
# from its source, the services run meanwhile, and it joins them. It stands in for foreman,
# which neither builds nor waits for health, and would have to be installed first.
#
#   --built         bin/ is taken as it is
#
#   UPSTREAM=real   uses the real sources instead of the sandbox
#   RUN_DIR=var     where logs and state go
#   HTTP_PORT=8080  port of the gateway, on loopback; the other addresses are the
#                   settings of the programs (HARDWARE_ADDR, SANDBOX_CONTROL_ADDR, …)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly upstream=${UPSTREAM:-sandbox} http_port=${HTTP_PORT:-8080} run_dir=${RUN_DIR:-var}
readonly gateway_internal=${GATEWAY_INTERNAL_ADDR:-127.0.0.1:9080}
export DIRECTORY_ADDR=${DIRECTORY_ADDR:-127.0.0.1:8081} DIRECTORY_ADMIN_ADDR=${DIRECTORY_ADMIN_ADDR:-127.0.0.1:9081}
export HARDWARE_ADDR=${HARDWARE_ADDR:-127.0.0.1:8082} HARDWARE_ADMIN_ADDR=${HARDWARE_ADMIN_ADDR:-127.0.0.1:9082}
addresses=("127.0.0.1:$http_port" "$gateway_internal"
  "$DIRECTORY_ADDR" "$DIRECTORY_ADMIN_ADDR" "$HARDWARE_ADDR" "$HARDWARE_ADMIN_ADDR")
port=9089
for site in CONTROL BENCHMARK AGGREGATOR SEARCH PLACES SOCIAL; do
  declare -n address="SANDBOX_${site}_ADDR"
  ((++port))
  export "SANDBOX_${site}_ADDR=${address:-127.0.0.1:$port}"
  [[ $upstream != sandbox ]] || addresses+=("$address")
done
declare +n address
pids=()

# step WHAT: says how long it took since the step before.
begun=$SECONDS
step() { printf '%4d s  %s\n' $((SECONDS - begun)) "$*" && begun=$SECONDS; }

fail() { echo "run: $*" >&2 && exit 1; }

stop() {
  trap - EXIT INT TERM HUP
  ((${#pids[@]} == 0)) || kill -TERM "${pids[@]}" 2>/dev/null || true
  wait
}

# start NAME COMMAND…: in the background and in a process group of its own, so
# that Ctrl-C reaches only this script, which stops everything.
start() {
  set -m
  "${@:2}" >"$run_dir/log/$1.log" 2>&1 &
  set +m
  pids+=("$!")
}

# status ADDRESS PATH: the status of an answer, or nothing.
status() {
  local line=
  exec 3<>"/dev/tcp/${1%:*}/${1##*:}" || return 0
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$2" >&3
  read -rt 5 line <&3 || true
  exec 3>&-
  echo "$line" | cut -d' ' -f2
}

# healthy NAME ADDRESS PATH: waits for a 200, at most 15 s.
healthy() {
  for _ in {1..150}; do
    [[ $(status "$2" "$3" 2>/dev/null) == 200 ]] && return
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 5 "$run_dir/log/$1.log" >&2
  fail "$1 did not become healthy; see $run_dir/log/$1.log"
}

[[ $upstream =~ ^(sandbox|real)$ ]] || fail "UPSTREAM is sandbox or real, not $upstream"
[[ $upstream == sandbox || -n ${HARDWARE_USER_AGENT:-} ]] ||
  fail "UPSTREAM=real needs HARDWARE_USER_AGENT, the name of your software and a contact address"
for address in "${addresses[@]}"; do
  if (exec 3<>"/dev/tcp/${address%:*}/${address##*:}") 2>/dev/null; then
    fail "$address is taken; stop what uses it, or choose another address (HTTP_PORT, DIRECTORY_…ADDR, HARDWARE_…ADDR, SANDBOX_…_ADDR)"
  fi
done

mkdir -p "$run_dir/log"
trap stop EXIT
trap 'echo; echo "stopping…"; exit 0' INT TERM HUP

gateway_log=$run_dir/log/gateway-binary.log from_source=
if [[ ${1:-} != --built ]]; then
  gateway/binary.sh --no-source >"$gateway_log" 2>&1 &
  binary=$!
  pids+=("$binary")
  make --no-print-directory programs
  step "services and sandbox are built"
  wait "$binary" || from_source=$?
  pids=()
  [[ ! -s $gateway_log ]] || sed 's/^/        /' "$gateway_log"
  [[ ${from_source:-3} == 3 ]] || fail "no gateway binary; see $gateway_log"
fi

# use_sandbox starts the sandbox and sends the services to it.
use_sandbox() {
  export SANDBOX_REDIRECT_BASE=$DIRECTORY_PUBLIC_URL
  export SANDBOX_CLIENT_ID=run-client SANDBOX_CLIENT_SECRET=run-secret SANDBOX_PLACES_API_KEY=run-places-key
  start sandbox bin/sandbox
  healthy sandbox "$SANDBOX_CONTROL_ADDR" /healthz
  export DIRECTORY_NOTICE=${DIRECTORY_NOTICE:-"Wersja demonstracyjna: konta, strony i wizytówki są przykładowe."}
  export HARDWARE_NOTICE=${HARDWARE_NOTICE:-"Wersja demonstracyjna: źródła i ceny są przykładowe."}
  export HARDWARE_BENCHMARK_BASE_URL=http://$SANDBOX_BENCHMARK_ADDR
  export HARDWARE_AGGREGATOR_BASE_URL=http://$SANDBOX_AGGREGATOR_ADDR
  export PROVIDER_SEARCH_BASE_URL=http://$SANDBOX_SEARCH_ADDR PROVIDER_SOCIAL_BASE_URL=http://$SANDBOX_SOCIAL_ADDR
  export PROVIDER_SEARCH_CLIENT_ID=$SANDBOX_CLIENT_ID PROVIDER_SEARCH_CLIENT_SECRET=$SANDBOX_CLIENT_SECRET
  export PROVIDER_SOCIAL_CLIENT_ID=$SANDBOX_CLIENT_ID PROVIDER_SOCIAL_CLIENT_SECRET=$SANDBOX_CLIENT_SECRET
  export PLACES_BASE_URL=http://$SANDBOX_PLACES_ADDR PLACES_API_KEY=$SANDBOX_PLACES_API_KEY
}

export DIRECTORY_PUBLIC_URL=${DIRECTORY_PUBLIC_URL:-http://localhost:$http_port}
export DIRECTORY_DATABASE_URL=${DIRECTORY_DATABASE_URL:-sqlite:$run_dir/directory.db}
export HARDWARE_STATE_DIR=${HARDWARE_STATE_DIR:-$run_dir/hardware}
export HARDWARE_TRUSTED_PROXIES=${HARDWARE_TRUSTED_PROXIES:-127.0.0.0/8,::1/128}
if [[ $upstream == sandbox ]]; then
  use_sandbox
  logins=$(bin/directory seed)
else
  logins="none are made here: bin/directory company add --help, bin/directory user add --help
(with DIRECTORY_DATABASE_URL=$DIRECTORY_DATABASE_URL)"
fi
start directory bin/directory
healthy directory "$DIRECTORY_ADMIN_ADDR" /readyz
start hardware bin/hardware
healthy hardware "$HARDWARE_ADMIN_ADDR" /readyz
step "directory and hardware are ready"
if [[ -n $from_source ]]; then
  echo "The services answer already, without the gateway: http://$DIRECTORY_ADDR/, http://$HARDWARE_ADDR/api/benchmark/gpu"
  gateway/binary.sh || fail "the gateway could not be built"
  step "the gateway is built"
fi
GATEWAY_DIRECTORY_SERVERS=$DIRECTORY_ADDR/${DIRECTORY_ADMIN_ADDR##*:} GATEWAY_HARDWARE_SERVERS=$HARDWARE_ADDR/${HARDWARE_ADMIN_ADDR##*:} \
  GATEWAY_ADDR=127.0.0.1:$http_port GATEWAY_INTERNAL_ADDR=$gateway_internal \
  start gateway gateway/start.sh "$PWD/bin/gateway" "$(realpath -m "$run_dir/traefik.yml")"
healthy gateway "127.0.0.1:$http_port" '/api/benchmark/usb?limit=1'
healthy gateway "127.0.0.1:$http_port" /api/bizprofile/audit/health
step "the gateway is ready"

cat <<EOT

The backend runs. Upstreams: $upstream.

  pages       http://localhost:$http_port/
  benchmark   http://localhost:$http_port/api/benchmark/gpu?limit=3
  prices      http://localhost:$http_port/api/prices/ceneo?q=rtx+4070+super
  audits      http://localhost:$http_port/api/bizprofile/audit/health
EOT
if [[ $upstream == sandbox ]]; then
  echo "  sandbox     http://$SANDBOX_CONTROL_ADDR/  (its requests and faults; its figures are demonstration data)"
fi
cat <<EOT

Logins:

$(sed 's/^/  /' <<<"$logins")

Logs are in $run_dir/log. Ctrl-C stops everything.
EOT

# None should end by itself.
wait -n "${pids[@]}" || true
fail "a part has stopped by itself; see $run_dir/log"
