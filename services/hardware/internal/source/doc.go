// Package source reads the two outside sites of the hardware service: the
// benchmark site's CSV files and the price aggregator's pages. It owns what only
// those sites explain: addresses, columns, selectors, challenge pages and the
// manners towards them (robots.txt, turns, size and time limits).
//
// It translates every failure into the faults of package hardware. Caching,
// pausing after failures and choosing what an answer shows stay with its callers;
// which product a query means is hardware.BestMatch's to say.
package source
