package web

import (
	"html/template"
	"sync"

	"github.com/labstack/echo/v4"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/internal/kit/site"
)

// api is the contract of one service.
type api struct {
	Name      string // in addresses
	Title     string // in Polish
	Path      string // of its reference
	document  []byte
	Reference template.HTML
}

// apis returns the APIs in the order in which they are listed.
func apis() []api {
	return []api{
		{"directory", "Katalog firm", "/docs", contracts.Directory(), template.HTML(contracts.DirectoryReference())},            // #nosec G203 -- generated from our contract
		{"hardware", "Podzespoły i ceny", "/docs/hardware", contracts.Hardware(), template.HTML(contracts.HardwareReference())}, // #nosec G203 -- the same
	}
}

// referenceView is the reference of one API, with links to the others.
type referenceView struct {
	APIs  []api
	Shown api
}

// reference handles GET /docs and /docs/{api}. The page is the same for all visitors.
func (h *Handlers) reference(shown api) echo.HandlerFunc {
	render := sync.OnceValues(func() (*site.Document, error) {
		return h.Site.Document(shown.Path, "reference", site.Page{
			Title: "API: " + shown.Title, Description: "Opis API: " + shown.Title + ". Pięć kroków do wklejenia i pełna dokumentacja.",
			Scripts: []string{"reference.js"}, Data: referenceView{apis(), shown},
		})
	})
	return func(c echo.Context) error {
		page, err := render()
		if err != nil {
			return err
		}
		page.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}

// openapi handles GET /openapi/{api}.yaml. RFC 9512 defines the media type.
func (h *Handlers) openapi(shown api) echo.HandlerFunc {
	return echo.WrapHandler(site.NewDocument("application/yaml", shown.document))
}
