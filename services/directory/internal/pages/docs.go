package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	contracts "backend.example/proto-free-contracts"
)

// api is the contract of one service.
type api struct {
	Name     string // as it stands in addresses
	Title    string // Polish
	Current  bool
	document func() []byte
}

// apis has first what /docs begins with.
func apis() []api {
	return []api{
		{Name: "directory", Title: "Katalog firm", document: contracts.Directory},
		{Name: "hardware", Title: "Podzespoły i ceny", document: contracts.Hardware},
	}
}

// referenceView is the reference of one API, with the way to the others.
type referenceView struct {
	APIs  []api
	Shown api
}

// reference shows GET /docs and /docs/{api}.
func (p *Pages) reference(c echo.Context) error {
	v, err := p.visitor(c)
	if err != nil {
		return err
	}
	view := referenceView{APIs: apis()}
	shown := 0
	if name := c.Param("api"); name != "" {
		if shown = apiIndex(name); shown < 0 {
			return echo.ErrNotFound
		}
	}
	view.APIs[shown].Current = true
	view.Shown = view.APIs[shown]
	return p.show(c, http.StatusOK, page{
		name: "reference", title: "API: " + view.Shown.Title, visitor: v, data: view, scripts: []string{"swagger-ui-bundle.js", "reference.js"},
	})
}

func apiIndex(name string) int {
	for i, known := range apis() {
		if known.Name == name {
			return i
		}
	}
	return -1
}

// openapi answers GET /openapi/{name}.yaml with the OpenAPI document (the media
// type is that of RFC 9512).
func (p *Pages) openapi(c echo.Context) error {
	name, yaml := strings.CutSuffix(c.Param("file"), ".yaml")
	i := apiIndex(name)
	if !yaml || i < 0 {
		return echo.ErrNotFound
	}
	document := apis()[i].document()
	sum := sha256.Sum256(document)
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/yaml")
	header.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	header.Set(echo.HeaderCacheControl, "no-cache")
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(document))
	return nil
}
