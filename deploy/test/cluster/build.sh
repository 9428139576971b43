#!/usr/bin/env bash
# Builds the programs of `make test-cluster` into bin/cluster: a Kubernetes control plane,
# etcd and kwok, from the modules that kubernetes.mod pins, and into crds/ the definitions of
# the custom resources in the manifests. Programs newer than kubernetes.mod are not rebuilt.
# deploy/k8s/README.md has the duration of the first build. It stands in for kind and kwokctl,
# which need an engine or download programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

export GOWORK=off CGO_ENABLED=0
readonly bin=$PWD/../../../bin/cluster

# program NAME PACKAGE builds it, unless it is newer than kubernetes.mod.
program() {
  [[ ! -x $bin/$1 || kubernetes.mod -nt $bin/$1 || kubernetes.sum -nt $bin/$1 ]] || return 0
  echo "cluster: building $1"
  go build -modfile=kubernetes.mod -trimpath -ldflags "$flags" -o "$bin/$1.new" "$2"
  mv "$bin/$1.new" "$bin/$1"
}

# definitions MODULE FOLDER FILES copies the definitions of a module in the version of MODULE
# or of the go.mod in this folder.
definitions() {
  local source
  source=$(go mod download -json "$1" | awk -F'"' '$2 == "Dir" { print $4 }')
  # shellcheck disable=SC2086 # FILES are names and patterns
  (cd "$source/$2" && install -m 644 $3 "$bin/crds/")
}

mkdir -p "$bin"
version=$(awk '$1 == "k8s.io/kubernetes" && $2 ~ /^v/ { print $2; exit }' kubernetes.mod)
IFS=. read -r major minor _ <<<"${version#v}"
readonly of=k8s.io/component-base/version
readonly flags="-s -w -X $of.gitVersion=$version -X $of.gitMajor=$major -X $of.gitMinor=$minor"

program etcd go.etcd.io/etcd/server/v3
for name in kube-apiserver kube-controller-manager kube-scheduler kubectl; do
  program "$name" "k8s.io/kubernetes/cmd/$name"
done
program kwok sigs.k8s.io/kwok/cmd/kwok

rm -rf "$bin/crds"
mkdir "$bin/crds"
definitions sigs.k8s.io/gateway-api config/crd/standard '*.yaml'
(cd ../../../gateway && definitions github.com/traefik/traefik/v3 \
  docs/content/reference/dynamic-configuration kubernetes-crd-definition-v1.yml)
definitions github.com/prometheus-operator/prometheus-operator@v0.85.0 \
  example/prometheus-operator-crd '*_podmonitors.yaml *_prometheusrules.yaml'
definitions github.com/external-secrets/external-secrets@v1.3.2 config/crds/bases '*_externalsecrets.yaml'
definitions github.com/cert-manager/cert-manager@v1.21.2 deploy/crds '*_certificates.yaml'
