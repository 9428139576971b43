// Package site renders the HTML pages of both services: one layout and stylesheet, static
// files that browsers cache without limit, error pages, and Polish numbers and dates.
//
//	s, err := site.New(site.Options{Name: "Katalog firm", Home: "/", Paths: []string{"/", "/konto"}, Files: files, …})
//	e := httpx.New(httpx.Options{Site: s, …}) // errors below Paths are pages
//	…
//	return s.Write(c.Response(), c.Request(), http.StatusOK, "audit", site.Page{Title: "Audyt", Data: view})
//
// The template file audit.html defines "main", and "head" if the page adds to its head. It may
// call asset (address of a static file), number, count, figure, money, plural, wait, seconds,
// date, moment and machine (for the attribute datetime). The template "account" in partials/
// shows Page.Account in the header. The policy of the pages forbids inline scripts, handlers
// and styles.
//
// The classes of the stylesheet are card (quiet for secondary content), narrow, grid (small,
// wide, upright with actions at the foot of its cards), columns, rows (a compact list), lead,
// muted, small-text, center, facts (of a dl, with figures), figure, row, actions (bar to keep
// them in view), tile; empty for a place without content yet; alert and badge with good,
// warning or bad; field with hint and error, check, options of option, filters, button with
// plain, quiet, danger or compact; menu (details: a summary and one element with the actions),
// confirm (details) around a destructive action; provider with a mark; charts, listed, tabs,
// excerpt; table-scroll around a wide table, stack on one whose cells carry data-label, side
// on one that compares columns; amount on cells with numbers, key on those that name a row;
// waiting with a spinner; visually-hidden; screen for what is not printed.
//
// With the script retry.js, an element with data-retry="{{seconds .}}" loads the page again
// after that time, and counts down in its element with data-left; browsers without scripts
// need the meta element refresh, in noscript. With copy.js, a hidden button with data-copy
// offers to copy that text, and an element with role="status" follows it.
package site
