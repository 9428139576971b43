package web

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
)

// companiesView is the list of the companies that the visitor may look at.
type companiesView struct {
	Admin  bool // may search all
	Search string
	Found  []company.Found
	More   string // address of the next page; empty: there is none
	Later  bool   // this is not the first page
}

// companies shows GET /konto/firmy?szukaj=&za=&od=: to administrators all companies, to
// others their own.
func (h *Handlers) companies(c echo.Context, v visitor) error {
	view := companiesView{Admin: v.User.CanAccessAdminPanel(), Search: c.QueryParam("szukaj")}
	id, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	after := company.Position{Key: c.QueryParam("od"), ID: max(id, 0)}
	found, more, err := h.findCompanies(c.Request().Context(), v.User, view.Search, after)
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

// findCompanies lists all companies for administrators, and for others their own.
func (h *Handlers) findCompanies(ctx context.Context, user account.User, text string, after company.Position) (found []company.Found, more bool, err error) {
	switch {
	case user.CanAccessAdminPanel():
		return h.Companies.Search(ctx, text, after)
	case user.CompanyID == nil:
		return nil, false, nil
	}
	own, err := h.Companies.ByID(ctx, *user.CompanyID)
	if err != nil {
		return nil, false, err
	}
	return []company.Found{own.Found()}, false, nil
}
