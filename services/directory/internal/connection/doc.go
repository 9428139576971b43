// Package connection connects companies to their accounts at the OAuth providers, renews
// the tokens on use, and disconnects.
package connection
