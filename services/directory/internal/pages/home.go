package pages

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
func (p *Pages) home(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), pingLimit)
	defer cancel()
	ready := p.Ping(ctx) == nil
	var v visitor
	if ready {
		var err error
		if v, err = p.visitor(c); err != nil {
			return err
		}
	}
	return p.show(c, http.StatusOK, page{name: "home", title: "Start", visitor: v, data: homeView{Ready: ready}})
}
