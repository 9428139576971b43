package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
)

// pingLimit bounds the question whether the database answers.
const pingLimit = 2 * time.Second

// homeView says how the service is, and what a search for a company found. How the other
// service is, the browser asks.
type homeView struct {
	Ready    bool
	Searched bool
	Text     string // the search
	Found    []company.Found
	More     bool // further companies have such a name
}

// home answers GET /, also while the database is away.
func (h *Handlers) home(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), pingLimit)
	defer cancel()
	return h.showHome(c, http.StatusOK, homeView{Ready: h.DB.Ping(ctx) == nil})
}

func (h *Handlers) showHome(c echo.Context, status int, view homeView) error {
	var v visitor
	if view.Ready {
		var err error
		if v, err = h.visitor(c); err != nil {
			return err
		}
	}
	return h.write(c, v, page{
		name: "home", title: "Start", description: homeDescription, canonical: "/", status: status, data: view,
	})
}

// homeDescription is what search engines and previews show of the entry page.
const homeDescription = "Sprawdź wizytówkę firmy w Google, zobacz statystyki z Google, Facebooka i Instagrama " +
	"w jednym miejscu i złóż komputer z aktualnymi cenami."

// deletion shows GET /konto/usuniecie-danych/{code} to anyone who has the code.
func (h *Handlers) deletion(c echo.Context, v visitor) error {
	deletion, err := h.Erasures.Deletion(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return h.show(c, v, "deletion", "Usunięcie danych", deletion)
}

// icon handles GET /favicon.ico.
func (h *Handlers) icon(c echo.Context) error {
	h.Site.ServeIcon(c.Response(), c.Request())
	return nil
}

// sitemap handles GET /sitemap.xml: the pages that need no login, and the audits.
func (h *Handlers) sitemap(c echo.Context) error {
	slugs, err := h.Audits.Audited(c.Request().Context())
	if err != nil {
		return err
	}
	paths := []string{"/", "/kreator", "/docs", "/docs/hardware"}
	for _, slug := range slugs {
		paths = append(paths, auditPath(slug))
	}
	content, err := h.Site.Sitemap(paths)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	return c.Blob(http.StatusOK, "application/xml", content)
}

// securityText handles GET /.well-known/security.txt.
func (h *Handlers) securityText(c echo.Context) error {
	text := h.Site.SecurityText(h.DB.Now())
	if text == "" {
		return echo.ErrNotFound
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	return c.String(http.StatusOK, text)
}
