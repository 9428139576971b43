// Package k8s tests the manifests of this folder: it renders each overlay with
// Kustomize, decodes every object strictly into its API type, and holds them to each
// other (selectors, ports, secrets, limits) and to what stands elsewhere in the
// repository: the gateway's routes and the services' settings.
//
// It talks to no cluster.
package k8s
