// Package provider calls the outside providers: [Search] is provider_search (Google:
// OAuth 2.0 and Business Profile), [Places] the public places of the same company,
// and [Social] is provider_social (Meta: Facebook Login and the Graph API).
//
// It owns everything that is particular to a provider: addresses, scopes, wire
// formats, paging, and which of its errors means what. What a provider sends is
// decoded into types of this package and mapped to those of package directory, one
// place for each. Each client fills directory.Abilities with what its provider can
// do, and its errors are the faults of package directory. Storing credentials,
// deciding when to renew them and what follows from a fault stay in that package.
//
// A call that fails for a passing reason is tried up to three times, within the
// timeout of one call. The exchange of an authorization code is not repeated, because
// a code is valid for one try. A used-up rate limit is not tried again either, but
// reported with the time to wait.
//
// No token, key or client secret appears in an error. The providers' own error texts
// are left out as well, because they may quote what was sent. Errors hold the address
// without its query, the status, and the provider's error codes.
package provider
