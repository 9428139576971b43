package web

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// chooseLocation lists the locations at GET /konto/integracje/lokalizacja.
func (h *Handlers) chooseLocation(c echo.Context, v visitor, companyID int64) error {
	found, err := h.Locations.Discover(c.Request().Context(), v.Actor)
	if err != nil {
		return err
	}
	view := chooseView{
		Title: "Wybierz lokalizację firmy", Action: locationPath, Button: "Wybierz tę lokalizację",
		Audit: true,
		Lead:  "To lokalizacje z Profilu Firmy w Google. Audyt oceni dane wybranej lokalizacji.",
		Empty: "W Profilu Firmy w Google nie ma żadnej lokalizacji.",
	}
	if !found.Complete {
		view.Cut = "Nie wszystkie lokalizacje udało się odczytać. Jeżeli brakuje właściwej, odśwież listę za kilka " +
			"minut."
	}
	if len(found.Unread) > 0 {
		view.Cut += " Nie odczytano kont: " + strings.Join(found.Unread, ", ") + "."
	}
	for _, location := range found.Items {
		view.Choices = append(view.Choices, option{
			Value: location.Name, Name: location.Title,
			Detail:  joined(location.Address, location.Category, location.StoreCode),
			Warning: closedTexts[location.Closed],
		})
	}
	return h.showChoice(c, v, companyID, view)
}

// closedTexts say why customers do not find a location as an open one.
var closedTexts = map[google.Closed]string{
	google.ClosedForGood: "Zamknięta na stałe: w Google nie jest pokazywana jako czynna.",
	google.ClosedForNow:  "Tymczasowo zamknięta, tak oznaczono ją w Google.",
	google.ClosedSuspended: "Google ją zawiesiło albo nie potwierdziło jeszcze, że należy do Ciebie. " +
		"Jej dane mogą się nie zmieniać.",
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
	return h.finishAt(c, rowPath(provider.ProfilePair), "location_chosen", err)
}

// auditLocation answers POST /konto/integracje/lokalizacja/audyt: it chooses a location and
// audits it.
func (h *Handlers) auditLocation(c echo.Context, v visitor, companyID int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	if _, err = h.Locations.Select(c.Request().Context(), v.Actor, chosen); err != nil {
		return err
	}
	return h.auditNow(c, v, audit.Request{
		Company: audit.CompanyRef{ID: &companyID}, Save: true, FetchExternal: true, ForceRefresh: true,
	})
}

// joined puts the texts that are not empty on one line.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), " · ")
}
