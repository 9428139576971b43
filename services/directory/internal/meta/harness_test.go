package meta_test

import (
	"net/http"
	"testing"
	"time"

	social "backend.example/deploy/sandbox/meta"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider/providertest"
)

const (
	clientID     = providertest.ClientID
	clientSecret = providertest.ClientSecret
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

func newSocial(transport http.RoundTripper) *meta.Client {
	return meta.New(meta.Options{
		ClientID: clientID, ClientSecret: clientSecret, PKCE: true, Transport: transport, Timeout: 10 * time.Second,
		Now:         clock,
		PagesScopes: pagesScopes, PhotosScopes: photosScopes, Metrics: pageMetrics,
	})
}

// newMeta returns the sandbox's fake of provider_social and a server before it.
func newMeta(t *testing.T) (*social.Provider, *server) {
	fake := social.New(social.Options{ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL,
		Now: clock})
	return fake, newServer(t, fake)
}
