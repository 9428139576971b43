package web

import (
	"encoding/json"
	"fmt"
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

// apis returns the APIs in the order in which they are listed.
func apis() []api {
	return []api{
		// #nosec G203 -- generated from our contract
		{"directory", "Directory", "/docs", contracts.Directory(), template.HTML(contracts.DirectoryReference())},
		// #nosec G203 -- the same
		{"hardware", "Hardware", "/docs/hardware", contracts.Hardware(), template.HTML(contracts.HardwareReference())},
	}
}

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

type firstStep struct {
	Title, Note         string
	Curl, Fetch, Client string
}

// firstSteps are the five calls from the login to a price, for a company of the visitor. They
// are in English like the reference that follows them.
func firstSteps(base, email string, companyID int64) []firstStep {
	company := map[string]any{"company_id": companyID}
	steps := []firstStep{
		newStep(base, "Log in", "/api/auth/login", map[string]any{"email": email, "password": "…"}),
		newStep(base, "Connect an account", "/api/oauth/connect/provider_social/social_pages", nil),
		newStep(base, "List the pages", "/api/oauth/provider_social/discover-pages", company),
		newStep(base, "Run an audit", "/api/bizprofile/audit", company),
		{
			Title: "Ask for a price",
			Curl:  "curl '" + base + "/api/prices/ceneo?q=rtx+4060'",
			Fetch: "await (await fetch('/api/prices/ceneo?q=rtx+4060')).json()",
			Client: "import * as hardware from 'backend-client/hardware';\n" +
				"hardware.client.setConfig({baseUrl: '" + base + "'});\n" +
				"await hardware.getPrices({path: {aggregator: 'ceneo'}, query: {q: 'rtx 4060'}});",
		},
	}
	steps[0].Note = "The session is a cookie: curl keeps it in cookies.txt, a browser by itself."
	steps[0].Client = "import * as directory from 'backend-client/directory';\n" +
		"directory.client.setConfig({baseUrl: '" + base + "', credentials: 'include'});\n" +
		fmt.Sprintf("await directory.login({body: {email: '%s', password: '…'}});", inQuotes(email))
	steps[1].Note = "Open auth_url in the browser that is logged in. The person agrees there and comes back connected."
	steps[1].Client = "await directory.connect({path: {provider: 'provider_social', service: 'social_pages'}});"
	steps[2].Client = fmt.Sprintf("await directory.discoverPages({body: {company_id: %d}});", companyID)
	steps[3].Client = fmt.Sprintf("await directory.runAudit({body: {company_id: %d}});", companyID)
	steps[4].Note = "Prices and rankings need no login."
	return steps
}

func newStep(base, title, path string, body map[string]any) firstStep {
	curl := []string{"curl -b cookies.txt -c cookies.txt -X POST"}
	options := "method: 'POST'"
	if body != nil {
		encoded, _ := json.Marshal(body) // of texts and numbers
		text := inQuotes(string(encoded))
		curl = append(curl, "-H 'Content-Type: application/json'", "-d '"+text+"'")
		options += ", headers: {'Content-Type': 'application/json'}, body: JSON.stringify(" + text + ")"
	}
	return firstStep{
		Title: title,
		Curl:  strings.Join(append(curl, base+path), " "),
		Fetch: "await (await fetch('" + path + "', {" + options + "})).json()",
	}
}

// inQuotes makes an apostrophe, which an address may have, fit between single quotes of a shell
// and of TypeScript: JSON and TypeScript read this escape alike.
func inQuotes(text string) string { return strings.ReplaceAll(text, "'", `\u0027`) }
