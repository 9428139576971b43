// Package k8s tests the manifests of this folder. It renders each overlay with Kustomize,
// decodes every object strictly into its API type, and checks that the objects agree with
// each other (selectors, ports, secrets, limits), with the gateway's routes and with the
// services' settings.
//
// It needs no cluster.
package k8s
