// Package site renders the HTML pages of both services: one layout and stylesheet,
// static files that browsers may keep for ever, error pages, charts as inline SVG,
// and Polish numbers and dates.
//
// A service brings its page templates and sets the site up once:
//
//	//go:embed pages
//	var pages embed.FS // pages/audit.html, pages/partials/*.html
//
//	s, err := site.New(site.Options{
//		Name: "Katalog firm", Home: "/", Paths: []string{"/", "/konto", "/audyt"},
//		Prefix: "/konto/static", Notice: cfg.Notice, Pages: folder, // fs.Sub(pages, "pages")
//		Navigation: func(*http.Request) []site.Link { return []site.Link{{Href: "/audyt", Text: "Audyt"}} },
//	})
//	e := httpx.New(httpx.Options{ErrorPage: s.WriteError, …}) // errors below Paths are pages
//	e.Match(read, "/konto/static/*", func(c echo.Context) error { return s.ServeAsset(c.Response(), c.Request()) })
//
// A handler writes a page with the data of its templates:
//
//	return s.Write(c.Response(), c.Request(), http.StatusOK, "audit", site.Page{
//		Title: "Audyt", Message: outcome, Account: user, Scripts: []string{"audit.js"},
//		Data: auditPage{
//			Score:   site.Gauge{ID: "score", Title: "Kompletność", Value: 82, Max: 100, Text: "82", Caption: "na 100", Level: site.Good},
//			History: site.Line{ID: "history", Title: "Wynik w czasie", Max: 100, Points: points},
//		},
//	})
//
// A page that is the same for everybody is made once, with Document. ServeStandIn makes
// the bodies of a gateway's own answers.
//
// The template file defines "main", and "head" where the page adds to its head. The
// functions that it may call: asset (address of a static file), bars, line, spark and gauge
// (the charts), number, count, figure, money, plural, wait, date, moment, machine
// (for the attribute datetime). A template "account" in partials/ shows Page.Account
// in the header.
//
//	{{define "main"}}
//	<h1>Audyt</h1>
//	<section class="card">{{gauge .Score}}</section>
//	<section class="card"><h2>Historia</h2>{{line .History}}</section>
//	{{end}}
//
// Classes of the stylesheet: card, narrow, grid (small, wide, upright with actions at
// the foot of its cards), columns, lead, muted, small-text, center, facts (of a dl, with
// figures or main-figures), figure, row, actions, tile; alert and badge with good, warning
// or bad; field with hint and error, check, options of option, filters, button with plain,
// danger or compact; provider with a mark; charts, listed, tabs, confirm (of details),
// excerpt; table-scroll around a wide table, stack on one whose cells carry data-label,
// side on one that compares columns; amount on cells with numbers, key on those that name
// a row; waiting with a spinner; visually-hidden; screen on what is not printed.
//
// The pages run under a Content-Security-Policy without anything inline: no
// style attribute, no script and no handler in the HTML.
//
// The content of the pages and their addresses belong to the services.
package site
