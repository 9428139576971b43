package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

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
	text := h.Site.SecurityText(h.Now())
	if text == "" {
		return echo.ErrNotFound
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "public, max-age=3600")
	return c.String(http.StatusOK, text)
}
