// Package provider holds the adapters of the outside providers: [Search] for
// provider_search (Google: OAuth 2.0 and Business Profile), [Places] for the
// public places of the same company, and Social for provider_social (Meta:
// Facebook Login and the Graph API).
//
// It owns everything that is particular to a provider: addresses, scopes, wire
// formats, paging, and which of its errors means what. Each adapter fills
// directory.Abilities with what its provider can do, and answers with that package's types and faults. Storing credentials, deciding
// when to renew one and what follows from a fault stay in package directory.
//
// A call that may be made again is tried up to three times when its fault passes
// by itself, within the time-out of one exchange. Only the exchange of an
// authorization code is not: a code is good for one try. A limit that is used up
// is never tried again here, but reported with the time to wait.
//
// No token, key or client secret appears in an error: what a provider wrote in
// its error text is left out as well, since it may quote what it was sent. Errors
// hold the address without its query, the status, and the provider's own codes.
package provider
