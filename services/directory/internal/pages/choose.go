package pages

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// Locations lets a company choose its business-profile location.
type Locations interface {
	Discover(ctx context.Context, actor directory.Actor) ([]directory.Location, error)
	Select(ctx context.Context, actor directory.Actor, name string) (directory.Location, error)
}

// chooseView is a list of which one is to be chosen.
type chooseView struct {
	Notice  *notice
	Title   string
	Lead    string
	Empty   string // what to do when there is nothing
	Action  string // where the form goes
	Button  string
	Choices []option
}

// option is one line of the list. What cannot be chosen says why.
type option struct{ Value, Name, Detail, Refusal string }

// choosePage lists the user's pages at GET /konto/integracje/strona.
func (p *Pages) choosePage(c echo.Context, v visitor) error {
	companyID, err := v.ownCompany()
	if err != nil {
		return p.refused(c, integrationsPath, err)
	}
	found, err := p.Social.Discover(c.Request().Context(), companyID)
	if err != nil {
		return p.refused(c, integrationsPath, err)
	}
	view := chooseView{
		Notice: noticeOf(c), Title: "Wybierz stronę firmy", Action: pagePath, Button: "Wybierz tę stronę",
		Lead:  "To strony, którymi zarządza połączone konto. Statystyki wybranej strony będą odświeżane codziennie.",
		Empty: "Połączone konto nie zarządza żadną stroną. Połącz usługę ponownie i zaznacz stronę firmy.",
	}
	for _, page := range found {
		line := option{Value: page.ID, Name: page.Name, Detail: page.Category}
		if page.AccessToken == "" {
			line.Refusal = "Konto nie może działać w imieniu tej strony."
		}
		view.Choices = append(view.Choices, line)
	}
	return p.show(c, http.StatusOK, page{name: "choose", title: view.Title, visitor: v, data: view})
}

// selectPage answers POST /konto/integracje/strona.
func (p *Pages) selectPage(c echo.Context, v visitor) error {
	chosen, companyID, err := readChoice(c, v)
	if err != nil {
		return p.refused(c, pagePath, err)
	}
	_, synced, err := p.Social.Select(c.Request().Context(), v.Actor, companyID, chosen)
	switch {
	case fault.Is(err, "page_not_found"), fault.Is(err, "page_without_credential"):
		return p.refused(c, pagePath, err)
	case err != nil:
		return p.refused(c, integrationsPath, err)
	case synced == nil:
		return redirect(c, integrationsPath, "page_unsynced")
	}
	return redirect(c, integrationsPath, "page_chosen")
}

// chooseLocation lists the locations at GET /konto/integracje/lokalizacja.
func (p *Pages) chooseLocation(c echo.Context, v visitor) error {
	if _, err := v.ownCompany(); err != nil {
		return p.refused(c, integrationsPath, err)
	}
	found, err := p.Locations.Discover(c.Request().Context(), v.Actor)
	if err != nil {
		return p.refused(c, integrationsPath, err)
	}
	view := chooseView{
		Notice: noticeOf(c), Title: "Wybierz lokalizację firmy", Action: locationPath, Button: "Wybierz tę lokalizację",
		Lead:  "To lokalizacje z profilu firmy. Audyt oceni dane wybranej lokalizacji.",
		Empty: "W profilu firmy nie ma żadnej lokalizacji.",
	}
	for _, location := range found {
		view.Choices = append(view.Choices, option{
			Value: location.Name, Name: location.Title, Detail: joined(location.Address, location.Category, location.StoreCode),
		})
	}
	return p.show(c, http.StatusOK, page{name: "choose", title: view.Title, visitor: v, data: view})
}

// selectLocation answers POST /konto/integracje/lokalizacja.
func (p *Pages) selectLocation(c echo.Context, v visitor) error {
	chosen, _, err := readChoice(c, v)
	if err != nil {
		return p.refused(c, locationPath, err)
	}
	_, err = p.Locations.Select(c.Request().Context(), v.Actor, chosen)
	switch {
	case fault.Is(err, "location_not_found"):
		return p.refused(c, locationPath, err)
	case err != nil:
		return p.refused(c, integrationsPath, err)
	}
	return redirect(c, integrationsPath, "location_chosen")
}

// ownCompany is the visitor's company, or the fault no_company or not_allowed.
func (v visitor) ownCompany() (int64, error) {
	id := v.User.CompanyID
	if id == nil {
		return 0, fault.New(fault.Forbidden, "no_company", outcomes["no_company"].Text)
	}
	if !v.MayEdit(*id) {
		return 0, fault.New(fault.Forbidden, "not_allowed", outcomes["not_allowed"].Text)
	}
	return *id, nil
}

// readChoice reads what was chosen for the visitor's company.
func readChoice(c echo.Context, v visitor) (chosen string, companyID int64, err error) {
	companyID, err = v.ownCompany()
	if err != nil {
		return "", 0, err
	}
	form, err := readForm(c)
	if err == nil && form.Get("wybor") == "" {
		err = fault.New(fault.Invalid, "nothing_chosen", outcomes["nothing_chosen"].Text)
	}
	return form.Get("wybor"), companyID, err
}

// joined puts the texts that are not empty on one line.
func joined(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, " · ")
}
