// Package browser holds the pages for people to what a browser makes of them: it
// runs everything as `make run` does, goes through the pages in a real Chromium,
// and checks each for errors in the console, requests to others and what keeps
// people out (labels, headings, contrast, a narrow screen). Pictures of the pages
// go to var/screenshots.
//
// Without Chromium the tests skip, and fail when REQUIRE_SERVICES=1. What the
// services answer in full is the business of deploy/e2e.
package browser
