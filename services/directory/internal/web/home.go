package web

import (
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/site"
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

type api struct {
	Name      string // in addresses
	Title     string
	Path      string // of its reference
	document  []byte
	Reference template.HTML
}

func apis() []api {
	return []api{
		// #nosec G203 -- generated from our contract
		{"directory", "Directory", "/docs", contracts.Directory(), template.HTML(contracts.DirectoryReference())},
		// #nosec G203 -- the same
		{"hardware", "Hardware", "/docs/hardware", contracts.Hardware(), template.HTML(contracts.HardwareReference())},
	}
}

type referenceView struct {
	APIs      []api
	Shown     api
	Steps     bool   // the reference begins with five calls, from the login to a price
	Base      string // where they go
	Email     string // of the visitor, as between quotes of JSON or TypeScript
	CompanyID int64
}

// reference handles GET /docs and /docs/{api}. The first begins with steps for the visitor's
// own company.
func (h *Handlers) reference(shown api) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := h.visitor(c)
		if err != nil {
			v = visitor{} // the reference needs no database
		}
		view := referenceView{
			APIs: apis(), Shown: shown, Steps: shown.Name == "directory",
			Base: h.Site.Address(""), Email: "anna@example.com", CompanyID: 1,
		}
		if v.LoggedIn {
			view.Email = inQuotes(v.User.Email)
		}
		if v.User.CompanyID != nil {
			view.CompanyID = *v.User.CompanyID
		}
		contents := "Every operation."
		if view.Steps {
			contents = "Five steps to paste, and every operation."
		}
		return h.write(c, v, page{
			name: "reference", title: "API: " + shown.Title, data: view, taken: true,
			script: "reference.js", description: "API reference: " + shown.Title + ". " + contents,
		})
	}
}

// openapi handles GET /openapi/{api}.yaml. RFC 9512 defines the media type.
func (h *Handlers) openapi(shown api) echo.HandlerFunc {
	return echo.WrapHandler(site.NewDocument("application/yaml", shown.document))
}

// inQuotes escapes a text for JSON and TypeScript, also between single quotes of a shell.
func inQuotes(text string) string {
	encoded, _ := json.Marshal(text) // of a text
	return strings.ReplaceAll(string(encoded[1:len(encoded)-1]), "'", `\u0027`)
}
