// Package browser tests the pages in a real Chromium, with everything started by `make run`.
// Each page is checked for errors in the console, requests to other sites, weight and
// accessibility, on wide, dark and narrow screens. Screenshots are in var/screenshots.
//
// Without Chromium or axe-core the tests skip, or fail if REQUIRE_SERVICES=1.
package browser
