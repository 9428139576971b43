// Package gateway pins and configures Traefik, the one public entrance of the
// system, and holds the tests of that configuration.
//
// It owns traefik.yml, dynamic/ and the version in go.mod. It holds no code that
// runs in the path of a request: the tests start the real Traefik binary with
// the files of this folder in front of stub backends. What the services answer
// is tested by the services; the system as a whole in deploy/test/e2e.
package gateway
