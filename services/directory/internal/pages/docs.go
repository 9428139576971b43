package pages

import (
	"bytes"
	"html/template"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/directory/internal/openapi"
	"backend.example/services/internal/kit/site"
)

// api is the contract of one service.
type api struct {
	Name     string // as it stands in addresses
	Title    string // Polish
	Path     string // of its reference
	document func() []byte
}

// apis has first what /docs begins with.
func apis() []api {
	return []api{
		{Name: "directory", Title: "Katalog firm", Path: "/docs", document: contracts.Directory},
		{Name: "hardware", Title: "Podzespoły i ceny", Path: "/docs/hardware", document: contracts.Hardware},
	}
}

// referenceView is the reference of one API, with the way to the others.
type referenceView struct {
	APIs  []api
	Shown api
	*openapi.Document
}

// reference shows GET /docs or /docs/{api}. The page is made when it is first asked
// for, and is the same for everybody.
func (p *Pages) reference(shown api) echo.HandlerFunc {
	made := sync.OnceValues(func() (*site.Document, error) {
		document, err := openapi.Parse(shown.document())
		if err != nil {
			return nil, err
		}
		return p.Site.Document(shown.Path, "reference", site.Page{
			Title: "API: " + shown.Title, Scripts: []string{"reference.js"}, Data: referenceView{APIs: apis(), Shown: shown, Document: document},
		})
	})
	return func(c echo.Context) error {
		page, err := made()
		if err != nil {
			return err
		}
		page.ServeHTTP(c.Response(), c.Request())
		return nil
	}
}

// place says in Polish where a request carries a parameter.
func place(in string) string {
	return map[string]string{"path": "w ścieżce", "query": "w adresie, po ?", "header": "w nagłówku"}[in]
}

// markdown makes HTML of CommonMark with tables. What is HTML in a text is left out.
func markdown() func(text string) (template.HTML, error) {
	converter := goldmark.New(goldmark.WithExtensions(extension.Table))
	return func(text string) (template.HTML, error) {
		var html bytes.Buffer
		if err := converter.Convert([]byte(text), &html); err != nil {
			return "", err
		}
		return template.HTML(html.String()), nil // #nosec G203 -- without the option "unsafe" it escapes
	}
}

// openapi answers GET /openapi/{api}.yaml with the OpenAPI document (the media
// type is that of RFC 9512).
func (p *Pages) openapi(shown api) echo.HandlerFunc {
	return echo.WrapHandler(site.NewDocument("application/yaml", shown.document()))
}
