package web

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

type visitor struct {
	account.Actor
	LoggedIn bool
}

func (v visitor) landing() string {
	if v.User.CanAccessAdminPanel() && v.User.CompanyID == nil {
		return companiesPath
	}
	return overviewPath
}

func (h *Handlers) account(c echo.Context, v visitor) error {
	return c.Redirect(http.StatusSeeOther, v.landing())
}

// navigation leads an administrator to all companies, and others to the pages of their own.
func (v visitor) navigation() (links []site.Link) {
	admin := v.User.CanAccessAdminPanel()
	if !admin || v.User.CompanyID != nil {
		links = []site.Link{
			{Href: overviewPath, Text: "Przegląd"},
			{Href: statisticsPath, Text: "Statystyki"},
			{Href: integrationsPath, Text: "Połączenia"},
			{Href: ownAuditPath, Text: "Audyt"},
		}
	}
	if _, err := v.Manages(); err == nil {
		links = append(links, site.Link{Href: peoplePath, Text: "Osoby"})
	}
	if admin {
		links = append(links, site.Link{Href: companiesPath, Text: "Firmy"},
			site.Link{Href: usersPath, Text: "Użytkownicy"})
	}
	return append(links, site.Link{Href: "/kreator", Text: "Kreator PC"}, site.Link{Href: "/docs", Text: "API"})
}

func (v visitor) canEdit(companyID int64) bool {
	return v.LoggedIn && v.User.CanEditCompany(companyID)
}

func (h *Handlers) visitor(c echo.Context) (visitor, error) {
	actor, err := h.Guard.Actor(c)
	if fault.Is(err, account.CodeNotLoggedIn) {
		return visitor{Actor: actor}, nil
	}
	if err != nil {
		return visitor{Actor: actor}, err
	}
	return visitor{Actor: actor, LoggedIn: true}, nil
}

func (h *Handlers) asAnyone(next func(echo.Context, visitor) error) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := h.visitor(c)
		if err != nil {
			return err
		}
		return next(c, v)
	}
}

// asUser admits logged-in users to next and sends others to the login, after which a page follows; a
// form has to be sent again.
func (h *Handlers) asUser(next func(echo.Context, visitor) error) echo.HandlerFunc {
	return h.asAnyone(func(c echo.Context, v visitor) error {
		if v.LoggedIn {
			return next(c, v)
		}
		target := loginPath
		if r := c.Request(); r.Method != http.MethodPost {
			target += "?powrot=" + url.QueryEscape(r.URL.RequestURI())
		}
		return c.Redirect(http.StatusSeeOther, target)
	})
}

// asEditor admits those who may edit their company. A failure is shown at the address back.
func (h *Handlers) asEditor(back string, next func(c echo.Context, v visitor, companyID int64) error) echo.HandlerFunc {
	return h.asUser(func(c echo.Context, v visitor) error {
		companyID, err := v.Company()
		if err != nil {
			return h.refused(c, back, err)
		}
		if err = v.MayEdit(companyID); err != nil {
			return h.refused(c, back, err)
		}
		err = next(c, v, companyID)
		if err != nil {
			return h.refused(c, back, err)
		}
		return nil
	})
}

// withForm reads a form before next changes anything. A body over its limit is left to the error handler.
func withForm(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		err := c.Request().ParseForm()
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return err
		}
		if err != nil {
			return httpapi.CodeUnreadableForm.Wrap(err)
		}
		return next(c)
	}
}
