package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// deletion shows GET /konto/usuniecie-danych/{code} to anyone who has the code.
func (h *Handlers) deletion(c echo.Context) error {
	v, err := h.visitor(c)
	if err != nil {
		return err
	}
	deletion, err := h.Erasures.Deletion(c.Request().Context(), c.Param("code"))
	if err != nil {
		return err
	}
	return h.show(c, http.StatusOK, page{name: "deletion", title: "Usunięcie danych", visitor: v, data: deletion})
}
