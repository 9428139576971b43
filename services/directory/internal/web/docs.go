package web

import (
	"html/template"
	"net/http"

	"github.com/labstack/echo/v4"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/internal/kit/site"
)

// api is the contract of one service.
type api struct {
	Name      string // in addresses
	Title     string
	Path      string // of its reference
	document  []byte
	Reference template.HTML
}

// apis returns the APIs in the order in which they are listed.
func apis() []api {
	return []api{
		// #nosec G203 -- generated from our contract
		{"directory", "Directory", "/docs", contracts.Directory(), template.HTML(contracts.DirectoryReference())},
		// #nosec G203 -- the same
		{"hardware", "Hardware", "/docs/hardware", contracts.Hardware(), template.HTML(contracts.HardwareReference())},
	}
}

// referenceView is the reference of one API, with links to the others.
type referenceView struct {
	APIs  []api
	Shown api
	Steps []firstStep // of the first API
}

// reference handles GET /docs and /docs/{api}. The first begins with steps for the visitor's
// own company.
func (h *Handlers) reference(shown api) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := h.visitor(c)
		if err != nil {
			v = visitor{} // the reference needs no database
		}
		view := referenceView{APIs: apis(), Shown: shown}
		if shown.Name == "directory" {
			email, company := "anna@example.com", int64(1)
			if v.LoggedIn {
				email = v.User.Email
			}
			if v.User.CompanyID != nil {
				company = *v.User.CompanyID
			}
			view.Steps = firstSteps(h.Site.Address(""), email, company)
		}
		return h.show(c, http.StatusOK, page{
			name: "reference", title: "API: " + shown.Title, visitor: v, data: view, taken: true,
			script:      "reference.js",
			description: "API reference: " + shown.Title + ". Five steps to paste, and every operation.",
		})
	}
}

// openapi handles GET /openapi/{api}.yaml. RFC 9512 defines the media type.
func (h *Handlers) openapi(shown api) echo.HandlerFunc {
	return echo.WrapHandler(site.NewDocument("application/yaml", shown.document))
}
