// Package ceneo reads the two outside sites of the hardware service: the
// benchmark site's CSV files and the price aggregator's pages. It owns what only
// those sites explain: addresses, columns, selectors, challenge pages, and how to ask
// them politely (robots.txt, turns, limits of size and time).
//
// It translates every failure into the faults of package lookup. Caching, pausing
// after failures and choosing what an answer shows stay with its callers, and
// match.Best decides which product a query means.
package ceneo
