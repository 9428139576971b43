// Package webhook sends events to the addresses that companies name, in the form of
// Standard Webhooks (https://www.standardwebhooks.com): body, signature and what counts
// as an answer.
//
// What is told to whom, and when it is tried again, is decided by the domain.
package webhook
