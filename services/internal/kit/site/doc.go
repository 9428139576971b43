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
// The classes of the stylesheet, with those that vary or belong to one in brackets:
//   - Blocks: card (quiet: secondary content), narrow, grid (small, wide, upright: actions at the
//     foot of its cards), columns, rows (a compact list), row, tile, empty (no content yet).
//   - Texts: lead, muted, small-text, center, figure, excerpt, facts (on a dl; figures).
//   - Results: alert and badge (good, warning, bad), waiting (spinner).
//   - Forms: field (hint, error), check, options (option), filters.
//   - Actions: button (plain, quiet, danger, compact), actions (bar: stays in view), menu (on
//     details with a summary and one element with the actions), confirm (on details around a
//     destructive action), tabs.
//   - Tables: table-scroll around a wide one, stack on one whose cells carry data-label, side on
//     one that compares columns, amount on cells with numbers, key on cells that name a row.
//   - Others: provider (mark), charts, listed, visually-hidden, screen (is not printed).
//
// The script retry.js loads the page again after the seconds of data-retry="{{seconds .}}", and
// counts down in an element with data-left inside. For browsers without scripts, the page needs
// a meta element refresh in noscript. The script copy.js shows a hidden button that copies the
// text of its data-copy; an element with role="status" has to follow it.
package site
