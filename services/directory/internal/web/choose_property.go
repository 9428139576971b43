package web

import (
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
)

// byWebsite is the choice that leaves it to the address of the company.
const byWebsite = "-"

// chooseProperty lists the properties of Search Console at GET /konto/integracje/witryna.
func (h *Handlers) chooseProperty(c echo.Context, v visitor, companyID int64) error {
	properties, err := h.Statistics.Properties(c.Request().Context(), v.Actor)
	if err != nil {
		return h.refused(c, rowPath(provider.AnalyticsPair), err)
	}
	view := chooseView{
		Title: "Wybierz witrynę", Action: propertyPath, Button: "Wybierz tę witrynę",
		Lead:  "To witryny z Search Console, które widzi połączone konto. Statystyki wybranej odświeżamy codziennie.",
		Empty: "Połączone konto nie ma w Search Console żadnej zweryfikowanej witryny. Dodaj tam stronę firmy.",
	}
	for _, p := range properties {
		name, isDomain := strings.CutPrefix(p.Name, "sc-domain:")
		shown := option{Value: p.Name, Name: name, Checked: p.Chosen}
		if isDomain {
			shown.Detail = "cała domena"
		}
		if !p.Fits {
			shown.Warning = "To nie jest adres strony firmy w katalogu."
		}
		view.Choices = append(view.Choices, shown)
	}
	if len(properties) > 0 {
		view.Choices = append(view.Choices, option{
			Value: byWebsite, Name: "Dobierz sam", Detail: "według adresu strony firmy w katalogu",
		})
	}
	return h.showChoice(c, v, companyID, view)
}

// selectProperty answers POST /konto/integracje/witryna: it chooses and reads a property.
func (h *Handlers) selectProperty(c echo.Context, v visitor, companyID int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	if chosen == byWebsite {
		chosen = ""
	}
	ctx := c.Request().Context()
	err = h.Statistics.SelectProperty(ctx, v.Actor, chosen)
	if fault.Is(err, statistics.CodePropertyNotFound) {
		return err
	}
	outcome := ""
	if err == nil {
		outcome, err = h.sync(ctx, companyID, provider.AnalyticsPair)
	}
	return h.finishAt(c, rowPath(provider.AnalyticsPair), outcome, err)
}
