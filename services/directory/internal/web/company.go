package web

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// companiesView is the list of the companies that the visitor may look at.
type companiesView struct {
	Admin  bool // may search all
	Search string
	Found  []directory.CompanyFound
	More   string // address of the next page; empty: there is none
	Later  bool   // this is not the first page
}

// companies shows GET /konto/firmy?szukaj=&za=&od=: to administrators all companies, to
// others their own.
func (h *Handlers) companies(c echo.Context, v visitor) error {
	view := companiesView{Admin: v.User.CanAccessAdminPanel(), Search: c.QueryParam("szukaj")}
	id, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	after := directory.CompanyPosition{Key: c.QueryParam("od"), ID: max(id, 0)}
	found, more, err := h.Companies.Search(c.Request().Context(), v.Actor, view.Search, after)
	if err != nil {
		return err
	}
	view.Found, view.Later = found, after.ID != 0
	if more {
		last := found[len(found)-1]
		view.More = companiesPath + "?" + url.Values{
			"szukaj": {view.Search}, "za": {strconv.FormatInt(last.ID, 10)}, "od": {last.Key},
		}.Encode()
	}
	return h.show(c, http.StatusOK, page{name: "companies", title: "Firmy", visitor: v, data: view})
}
