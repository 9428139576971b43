#!/bin/sh
# Starts Traefik with traefik.yml and what variables add to it, because Traefik reads its
# install configuration from one file and no variables there.
#
#   start.sh TRAEFIK FILE   TRAEFIK is the program, FILE the configuration that it writes
#
#   GATEWAY_ADDR, GATEWAY_INTERNAL_ADDR   host:port instead of :8080 and 127.0.0.1:9080
#   GATEWAY_TRUSTED_PROXIES      networks of a proxy in front, 10.0.0.0/8,fd00::/8
#   GATEWAY_TLS                  acme (with DOMAIN and ACME_EMAIL) or certificate (with
#                                GATEWAY_CERTIFICATE, the path without .crt and .key): the
#                                public address has TLS, and GATEWAY_PLAIN_ADDR (:8080)
#                                leads to it
#   OTEL_EXPORTER_OTLP_ENDPOINT  base address of a collector of traces
#   GOGC, GOMEMLIMIT             of the Go runtime, 400 and 256MiB: garbage is collected less
#                                often, which saves a tenth of the time
set -eu
export GOGC="${GOGC:-400}" GOMEMLIMIT="${GOMEMLIMIT:-256MiB}"
cd "$(dirname "$0")"

case ${GATEWAY_TLS:-} in
  '') tls= ;;
  acme) tls="tls: {certResolver: acme, domains: [{main: $DOMAIN}]}" ;;
  certificate) tls='tls: {}' ;;
  *) echo "start.sh: GATEWAY_TLS is acme or certificate, not $GATEWAY_TLS" >&2 && exit 2 ;;
esac
plain=
if [ -n "$tls" ]; then
  plain="plain: {address: '${GATEWAY_PLAIN_ADDR:-:8080}', http: {redirections: {entryPoint: {to: ':443', scheme: https}}}}"
fi
{
  sed -e "s|trustedIPs: \[\]|trustedIPs: [${GATEWAY_TRUSTED_PROXIES:-}]|" \
    -e "s|\":8080\"|\"${GATEWAY_ADDR:-:8080}\"|" \
    -e "s|\"127.0.0.1:9080\"|\"${GATEWAY_INTERNAL_ADDR:-127.0.0.1:9080}\"|" \
    -e "s|# start.sh: tls|$tls|" -e "s|# start.sh: plain|$plain|" traefik.yml
  if [ "${GATEWAY_TLS:-}" = acme ]; then
    printf '\ncertificatesResolvers:\n  acme:\n    acme: {email: "%s", storage: /certificates/acme.json, tlsChallenge: {}}\n' "$ACME_EMAIL"
  fi
  if [ -n "${OTEL_EXPORTER_OTLP_ENDPOINT:-}" ]; then
    # The values of queries are written as REDACTED.
    printf '\ntracing:\n  serviceName: gateway\n  otlp:\n    http:\n      endpoint: %s/v1/traces\n' \
      "${OTEL_EXPORTER_OTLP_ENDPOINT%/}"
  fi
} >"$2"
exec "$1" --configFile="$2"
