package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
)

// chooseView is a list of which one is to be chosen.
type chooseView struct {
	Title   string
	Lead    string
	Empty   string // what to do when there is nothing
	Action  string // where the form goes
	Button  string
	Choices []option
	Cut     string // why the list is not whole; empty: it is
}

// option is one line of the list. What cannot be chosen says why.
type option struct{ Value, Name, Detail, Refusal string }

// choosePage lists the user's pages at GET /konto/integracje/strona.
func (h *Handlers) choosePage(c echo.Context, v visitor, companyID int64) error {
	found, err := h.Social.Discover(c.Request().Context(), companyID)
	if err != nil {
		return err
	}
	view := chooseView{
		Title: "Wybierz stronę firmy", Action: pagePath, Button: "Wybierz tę stronę",
		Lead:  "To strony, którymi zarządza połączone konto. Statystyki wybranej strony będą odświeżane codziennie.",
		Empty: "Połączone konto nie zarządza żadną stroną. Połącz usługę ponownie i zaznacz stronę firmy.",
	}
	if !found.Complete {
		view.Cut = "Nie wszystkie strony udało się odczytać. Jeżeli brakuje właściwej, odśwież listę za kilka minut."
	}
	for _, page := range found.Items {
		view.Choices = append(view.Choices, option{Value: page.ID, Name: page.Name, Detail: page.Category, Refusal: social.Refusal(page)})
	}
	return h.show(c, http.StatusOK, page{name: "choose", title: view.Title, visitor: v, data: view})
}

// selectPage answers POST /konto/integracje/strona.
func (h *Handlers) selectPage(c echo.Context, v visitor, companyID int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	_, synced, err := h.Social.Select(c.Request().Context(), v.Actor, companyID, chosen)
	outcome := "page_chosen"
	switch {
	case fault.Is(err, social.CodePageNotFound), fault.Is(err, social.CodePageWithoutCredential):
		return err
	case synced == nil:
		outcome = "page_unsynced"
	}
	return h.finish(c, outcome, err)
}

// readChoice reads which line of the list was chosen.
func readChoice(c echo.Context) (string, error) {
	form, err := readForm(c)
	if err == nil && form.Get("wybor") == "" {
		err = CodeNothingChosen.Fault()
	}
	return form.Get("wybor"), err
}
