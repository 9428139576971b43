// Package release makes what is published from a commit: release.sh the archives, bills
// of materials, images and sums, licences.sh the licence texts in the archives. Its tests
// hold that two builds are the same bytes, and what is refused.
package release
