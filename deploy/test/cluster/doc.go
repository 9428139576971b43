// Package cluster holds the manifests of deploy/k8s to a real Kubernetes control plane
// on loopback: API server, controllers and scheduler, with nodes and pods that kwok
// plays. No container runs: what needs a kubelet or a network plugin is not tested here.
//
// `make test-cluster` builds the programs and runs it.
package cluster
