package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// deletion shows GET /konto/usuniecie-danych/{code} to whoever has the code.
func (p *Pages) deletion(c echo.Context) error {
	v, err := p.visitor(c)
	if err != nil {
		return err
	}
	deletion, err := p.Deletion(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return p.show(c, http.StatusOK, page{name: "deletion", title: "Usunięcie danych", visitor: v, data: deletion})
}
