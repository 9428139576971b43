package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
)

type startView struct {
	Rankings []rankingLink
	Lists    []kindLink
	Basket   basketView
}

type rankingLink struct{ Name, Href string }

// start answers GET /kreator. Without a build in the address it redirects to the last one.
func (p *Pages) start(c echo.Context) error {
	b := parseBasket(c.QueryParams())
	c.Response().Header().Add(echo.HeaderVary, echo.HeaderCookie)
	if last, ok := remembered(c); ok && len(b.Items) == 0 {
		c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		return c.Redirect(http.StatusFound, address(startPath, last))
	}
	view := startView{Basket: b.view()}
	for _, name := range catalog.Families() {
		link := rankingLink{familyName(catalog.Family(name)), address(rankingPath+name, b)}
		view.Rankings = append(view.Rankings, link)
	}
	for _, k := range kinds() {
		if k.Category != "" {
			view.Lists = append(view.Lists, kindLink{k, address(listPath+k.Key, b)})
		}
	}
	return p.show(c, "start", "Złóż komputer", view)
}
