// Package cli owns what the command lines of both programs have in common: exit
// statuses, errors of usage, tables and JSON, addresses that can be clicked, progress,
// completion and manual pages. The commands themselves are the programs'.
package cli
