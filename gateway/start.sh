#!/bin/sh
# Starts Traefik with traefik.yml and what two variables add to it, because Traefik reads its
# install configuration from one file and no variables there.
#
#   start.sh TRAEFIK FILE   TRAEFIK is the program, FILE the configuration that it writes
#
#   GATEWAY_TRUSTED_PROXIES      networks of a proxy in front, 10.0.0.0/8,fd00::/8
#   OTEL_EXPORTER_OTLP_ENDPOINT  base address of a collector of traces
#   GATEWAY_ADDR, GATEWAY_INTERNAL_ADDR   host:port instead of :8080 and 127.0.0.1:9080
set -eu
cd "$(dirname "$0")"
{
  sed -e "s|trustedIPs: \[\]|trustedIPs: [${GATEWAY_TRUSTED_PROXIES:-}]|" \
    -e "s|\":8080\"|\"${GATEWAY_ADDR:-:8080}\"|" \
    -e "s|\"127.0.0.1:9080\"|\"${GATEWAY_INTERNAL_ADDR:-127.0.0.1:9080}\"|" traefik.yml
  if [ -n "${OTEL_EXPORTER_OTLP_ENDPOINT:-}" ]; then
    # The values of queries are written as REDACTED.
    printf '\ntracing:\n  serviceName: gateway\n  otlp:\n    http:\n      endpoint: %s/v1/traces\n' \
      "${OTEL_EXPORTER_OTLP_ENDPOINT%/}"
  fi
} >"$2"
exec "$1" --configFile="$2"
