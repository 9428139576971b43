// Package directory is the domain of the directory service: companies and their
// users, the connections of a company to its accounts at two OAuth providers and
// the scan that keeps them alive, the statistics of its social page, its photo
// network and its website, its business-profile location, the audit of its business
// profile, the webhooks that are told of events, and the erasing of people and
// companies.
//
// It declares what it needs of the outside, interfaces of the database, the Abilities
// of a provider and the Sender of webhooks, and knows nothing of HTTP servers, SQL,
// JSON or any provider's wire format.
package directory
