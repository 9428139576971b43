// Package directory is the domain of the directory service: companies and their
// users, the connections of a company to its accounts at two OAuth providers,
// its social page with statistics, its business-profile location, and the audit
// of its business profile.
//
// It declares what it needs of the outside, interfaces of the database and the
// Abilities of a provider, and
// knows nothing of HTTP servers, SQL, JSON or any provider's wire format.
package directory
