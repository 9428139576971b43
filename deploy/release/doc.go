// Package release creates a release from a commit: release.sh the archives, bills of
// materials, images and sums, licences.sh the licence texts in the archives. Its tests check
// that two builds have the same bytes, and what is refused.
package release
