// Package release tests what .goreleaser.yaml makes of a commit: the same bytes in every
// folder, with licences and bills of materials; and that automatic updates and workflows cover
// the repository.
package release
