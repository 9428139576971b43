// Package provider holds what the clients of all outside providers share: requests,
// retries, paging, and the translation of failed exchanges. Package google calls
// provider_search and the public places, package meta provider_social. Each of them
// owns the addresses, scopes and formats of its provider.
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
