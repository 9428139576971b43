package web

import (
	"encoding/json"
	"html/template"
	"strings"

	"github.com/labstack/echo/v4"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/internal/kit/site"
)

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
		return h.write(c, v, page{
			name: "reference", title: "API: " + shown.Title, data: view, taken: true,
			script:      "reference.js",
			description: "API reference: " + shown.Title + ". Five steps to paste, and every operation.",
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
	return strings.ReplaceAll(strings.Trim(string(encoded), `"`), "'", `\u0027`)
}
