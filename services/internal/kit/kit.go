// Package kit is the root of what the directory and the hardware service would
// otherwise write twice. Nothing here knows a word of either domain, and nothing
// is here that only one of them needs.
package kit
