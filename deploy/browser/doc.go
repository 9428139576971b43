// Package browser tests the pages in a real Chromium, with everything started as
// `make run` does it. Each page is checked for errors in the console, requests to
// other sites and accessibility (labels, headings, contrast, a narrow screen). Pictures
// go to var/screenshots.
//
// Without Chromium the tests skip, and fail when REQUIRE_SERVICES=1. What the
// services answer in full is the business of deploy/e2e.
package browser
