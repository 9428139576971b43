// Package site renders the HTML pages of both services: one layout and stylesheet, static
// files that browsers cache without limit, error pages, and Polish numbers and dates.
//
//	s, err := site.New(site.Options{Name: "Katalog firm", Home: "/", Paths: []string{"/", "/konto"}, Files: files, …})
//	e := httpx.New(httpx.Options{ErrorPage: s.WriteError, …}) // errors below Paths are pages
//	…
//	return s.Write(c.Response(), c.Request(), http.StatusOK, "audit", site.Page{Title: "Audyt", Data: view})
//
// The template file audit.html defines "main", and "head" if the page adds to its head. It may
// call asset (address of a static file), number, count, figure, money, plural, wait, seconds,
// date, moment and machine (for the attribute datetime). The template "account" in partials/
// shows Page.Account in the header. The policy of the pages forbids inline scripts, handlers
// and styles. The classes of the stylesheet are listed at its beginning.
//
// With the script retry.js, an element with data-retry="{{seconds .}}" loads the page again
// after that time, and counts down in its element with data-left; browsers without scripts
// need the meta element refresh, in noscript. With copy.js, a hidden button with data-copy
// offers to copy that text, and an element with role="status" follows it.
package site
