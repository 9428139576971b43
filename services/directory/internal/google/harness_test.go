package google_test

import (
	"net/http"
	"testing"
	"time"

	search "backend.example/deploy/sandbox/google"
	"backend.example/deploy/sandbox/places"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider/providertest"
)

const (
	clientID     = providertest.ClientID
	clientSecret = providertest.ClientSecret
	apiKey       = providertest.APIKey
	redirectURL  = providertest.RedirectURL
	verifier     = providertest.Verifier
	someCode     = providertest.SomeCode
	someToken    = providertest.SomeToken
)

type (
	reply  = providertest.Reply
	server = providertest.Server
)

var (
	now, clock, challenge = providertest.Now, providertest.Clock, providertest.Challenge
	ok, failed            = providertest.OK, providertest.Failed
	wantFault, tries      = providertest.WantFault, providertest.Tries
	newServer, runQuickly = providertest.NewServer, providertest.RunQuickly
)

func newSearch(transport http.RoundTripper) *google.Client {
	return google.New(google.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: transport, Timeout: 10 * time.Second, Now: clock,
	})
}

func newPlaces(transport http.RoundTripper) *google.Places {
	return google.NewPlaces(google.PlacesOptions{APIKey: apiKey, Transport: transport, Timeout: 10 * time.Second,
		Now: clock})
}

// newGoogle returns the sandbox's fake of provider_search and a server before it.
func newGoogle(t *testing.T) (*search.Provider, *server) {
	fake := search.New(search.Options{ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL,
		Now: clock})
	return fake, newServer(t, fake)
}

// newPlacesFake returns the sandbox's fake of the public places behind a server.
func newPlacesFake(t *testing.T) *server {
	return newServer(t, places.New(places.Options{APIKey: apiKey}))
}
