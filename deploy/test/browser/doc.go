// Package browser tests the pages in a real Chromium, with everything started as
// `make run` does it. Each page is checked for errors in the console, requests to
// other sites, its weight and accessibility, on wide, dark and narrow screens. Pictures
// go to var/screenshots.
//
// Without Chromium or axe-core the tests skip, and fail when REQUIRE_SERVICES=1. What the
// services answer in full is the business of deploy/test/e2e.
package browser
