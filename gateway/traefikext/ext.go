// Package ext stands in for the module github.com/traefik/traefik/dynamic/ext.
//
// Traefik keeps that module inside its own repository and reaches it by a
// relative replace line, which does not travel through the module proxy. The
// two types are the whole surface Traefik uses: they are embedded in its
// router and HTTP configuration as an extension point and are empty in the
// open-source build. Nothing else belongs here.
package ext

// HTTP extends Traefik's dynamic HTTP configuration with nothing.
type HTTP struct{}

// Router extends Traefik's dynamic router configuration with nothing.
type Router struct{}
