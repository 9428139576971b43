// Package cluster tests the manifests of deploy/k8s with a real Kubernetes control plane on
// loopback: API server, controllers and scheduler, with nodes and pods simulated by kwok. No
// container runs, so nothing that needs a kubelet or a network plugin is tested.
//
// `make test-cluster` builds the programs and runs the tests.
package cluster
