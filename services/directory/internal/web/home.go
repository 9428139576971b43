package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
)

const pingLimit = 2 * time.Second

// homeView says how this service is; the browser asks the other one.
type homeView struct {
	Ready    bool
	Searched bool
	Text     string // the search
	Found    []company.Found
	More     bool // further companies have such a name
}

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

const homeDescription = "Sprawdź wizytówkę firmy w Google, zobacz statystyki z Google, Facebooka i Instagrama " +
	"w jednym miejscu i złóż komputer z aktualnymi cenami."

func (h *Handlers) deletion(c echo.Context, v visitor) error {
	deletion, err := h.Erasures.Deletion(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return h.show(c, v, "deletion", "Usunięcie danych", deletion)
}

func (h *Handlers) icon(c echo.Context) error {
	h.Site.ServeIcon(c.Response(), c.Request())
	return nil
}

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

func (h *Handlers) securityText(c echo.Context) error {
	text := h.Site.SecurityText(h.DB.Now())
	if text == "" {
		return echo.ErrNotFound
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	return c.String(http.StatusOK, text)
}
