package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
)

// pingLimit bounds the question whether the database answers.
const pingLimit = 2 * time.Second

// homeView says how the service is, and what a search for a company found. How the other
// service is, the browser asks.
type homeView struct {
	Ready    bool
	Searched bool
	Text     string // the search
	Found    []company.Found
	More     bool // further companies have such a name
}

// home answers GET /, also while the database is away.
func (h *Handlers) home(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), pingLimit)
	defer cancel()
	return h.showHome(c, http.StatusOK, homeView{Ready: h.DB.Ping(ctx) == nil})
}

func (h *Handlers) showHome(c echo.Context, status int, view homeView) error {
	var v visitor
	if view.Ready {
		var err error
		if v, err = h.visitor(c); err != nil {
			return err
		}
	}
	return h.show(c, status, page{
		name: "home", title: "Start", description: homeDescription, canonical: "/", visitor: v, data: view,
	})
}

// homeDescription is what search engines and previews show of the entry page.
const homeDescription = "Sprawdź wizytówkę firmy w Google, zobacz statystyki z Google, Facebooka i Instagrama " +
	"w jednym miejscu i złóż komputer z aktualnymi cenami."
