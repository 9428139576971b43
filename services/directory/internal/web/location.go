package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/location"
	"backend.example/services/internal/kit/fault"
)

// chooseLocation lists the locations at GET /konto/integracje/lokalizacja.
func (h *Handlers) chooseLocation(c echo.Context, v visitor, _ int64) error {
	found, err := h.Locations.Discover(c.Request().Context(), v.Actor)
	if err != nil {
		return err
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
func (h *Handlers) selectLocation(c echo.Context, v visitor, _ int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	_, err = h.Locations.Select(c.Request().Context(), v.Actor, chosen)
	if fault.Is(err, location.CodeNotFound) {
		return err
	}
	return h.finish(c, "location_chosen", err)
}

// joined puts the texts that are not empty on one line.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " · ")
}
