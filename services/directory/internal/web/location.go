package web

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/location"
	"backend.example/services/internal/kit/fault"
)

// chooseLocation lists the locations at GET /konto/integracje/lokalizacja.
func (h *Handlers) chooseLocation(c echo.Context, v visitor) error {
	if _, err := v.ownCompany(); err != nil {
		return h.refused(c, integrationsPath, err)
	}
	found, err := h.Locations.Discover(c.Request().Context(), v.Actor)
	if err != nil {
		return h.refused(c, integrationsPath, err)
	}
	view := chooseView{
		Title: "Wybierz lokalizację firmy", Action: locationPath, Button: "Wybierz tę lokalizację",
		Lead:  "To lokalizacje z profilu firmy. Audyt oceni dane wybranej lokalizacji.",
		Empty: "W profilu firmy nie ma żadnej lokalizacji.",
	}
	if !found.Complete {
		view.Cut = "Nie wszystkie lokalizacje udało się odczytać. Jeżeli brakuje właściwej, odśwież listę za kilka minut."
	}
	if len(found.Unread) > 0 {
		view.Cut += " Nie odczytano kont: " + strings.Join(found.Unread, ", ") + "."
	}
	for _, location := range found.Items {
		view.Choices = append(view.Choices, option{
			Value: location.Name, Name: location.Title, Detail: joined(location.Address, location.Category, location.StoreCode),
		})
	}
	return h.show(c, http.StatusOK, page{name: "choose", title: view.Title, visitor: v, data: view})
}

// selectLocation answers POST /konto/integracje/lokalizacja.
func (h *Handlers) selectLocation(c echo.Context, v visitor) error {
	chosen, _, err := readChoice(c, v)
	if err != nil {
		return h.refused(c, locationPath, err)
	}
	_, err = h.Locations.Select(c.Request().Context(), v.Actor, chosen)
	switch {
	case fault.Is(err, location.CodeNotFound):
		return h.refused(c, locationPath, err)
	case err != nil:
		return h.refused(c, integrationsPath, err)
	}
	return h.redirect(c, integrationsPath, "location_chosen")
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
