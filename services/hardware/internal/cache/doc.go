// Package cache keeps answers: in this process, bounded in bytes; in Redis, for all
// replicas, together with the claims on look-ups under way; and the last good
// rankings, in Redis and on disk.
//
// When an answer is fresh, and who may have it, is decided by package lookup.
package cache
