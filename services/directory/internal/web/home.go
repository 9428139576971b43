package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// pingLimit bounds the question whether the database answers.
const pingLimit = 2 * time.Second

// homeView says how the service is. How the other service is, the browser asks.
type homeView struct{ Ready bool }

// home answers GET /, also while the database is away.
func (h *Handlers) home(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), pingLimit)
	defer cancel()
	ready := h.Ping(ctx) == nil
	var v visitor
	if ready {
		var err error
		if v, err = h.visitor(c); err != nil {
			return err
		}
	}
	return h.show(c, http.StatusOK, page{name: "home", title: "Start", visitor: v, data: homeView{Ready: ready}})
}
