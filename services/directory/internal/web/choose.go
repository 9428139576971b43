package web

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/fold"
)

// chooseView is a list of which one is to be chosen.
type chooseView struct {
	Title   string
	Lead    string
	Empty   string // what to do when there is nothing
	Action  string // where the form goes
	Button  string
	Audit   bool // the choice can be followed by an audit
	Choices []option
	Cut     string // why the list is not whole; empty: it is
	Search  string // what the names are searched for; empty: all are shown
	Total   int    // without the search
}

// option is one line of the list. What cannot be chosen says why in Refusal; Warning is
// about what can be chosen all the same.
type option struct {
	Value, Name, Detail, Warning, Refusal string
	Checked                               bool
}

// searchFrom is the number of choices from which there is a search.
const searchFrom = 10

// Searchable reports whether the list is long.
func (v chooseView) Searchable() bool { return v.Total >= searchFrom }

// arrange sorts the choices by name, those with a warning and then those that cannot be
// chosen last, and leaves those that the search finds. The only one that can be chosen is
// checked, or the only one that is named like the company.
func (v *chooseView) arrange(search, company string) {
	v.Search, v.Total = strings.TrimSpace(search), len(v.Choices)
	rank := func(o option) int {
		switch {
		case o.Refusal != "":
			return 2
		case o.Warning != "":
			return 1
		}
		return 0
	}
	slices.SortStableFunc(v.Choices, func(a, b option) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(sortKey(a.Name), sortKey(b.Name)),
			strings.Compare(a.Detail, b.Detail))
	})
	v.check(func(o option) bool { return rank(o) < 2 })
	v.check(func(o option) bool { return rank(o) < 2 && fold.Polish(o.Name) == fold.Polish(company) })
	v.Choices = slices.DeleteFunc(v.Choices, func(o option) bool {
		return !strings.Contains(fold.Polish(o.Name+" "+o.Detail), fold.Polish(v.Search))
	})
}

// check checks the choice that fits if there is one only.
func (v *chooseView) check(fits func(option) bool) {
	first := slices.IndexFunc(v.Choices, fits)
	if first >= 0 && !slices.ContainsFunc(v.Choices[first+1:], fits) {
		v.Choices[first].Checked = true
	}
}

var polishOrder = strings.NewReplacer("ą", "a~", "ć", "c~", "ę", "e~", "ł", "l~", "ń", "n~", "ó", "o~", "ś", "s~", "ź",
	"z~", "ż", "z~~")

// sortKey returns a text whose bytes are in the order of the Polish alphabet.
func sortKey(name string) string { return polishOrder.Replace(strings.ToLower(name)) }

// choosePage lists the user's pages at GET /konto/integracje/strona.
func (h *Handlers) choosePage(c echo.Context, v visitor, companyID int64) error {
	found, err := h.Social.Discover(c.Request().Context(), companyID)
	if err != nil {
		return err
	}
	view := chooseView{
		Title: "Wybierz stronę firmy", Action: pagePath, Button: "Wybierz tę stronę",
		Lead:  "Tymi stronami zarządza połączone konto. Statystyki wybranej strony odświeżamy codziennie.",
		Empty: "Połączone konto nie zarządza żadną stroną. Połącz konto ponownie i zaznacz stronę firmy.",
	}
	if !found.Complete {
		view.Cut = "Nie wszystkie strony udało się odczytać. Jeżeli brakuje właściwej, odśwież listę za kilka minut."
	}
	for _, page := range found.Items {
		view.Choices = append(view.Choices, option{
			Value: page.ID, Name: page.Name, Detail: page.Category, Refusal: social.Refusal(page),
		})
	}
	return h.showChoice(c, v, companyID, view)
}

func (h *Handlers) showChoice(c echo.Context, v visitor, companyID int64, view chooseView) error {
	company, err := h.Companies.ByID(c.Request().Context(), companyID)
	if err != nil {
		return err
	}
	view.arrange(c.QueryParam("szukaj"), company.Name)
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
	return h.finishAt(c, rowPath(provider.PagesPair), outcome, err)
}

// readChoice reads which line of the list was chosen.
func readChoice(c echo.Context) (string, error) {
	chosen := c.Request().PostForm.Get("wybor")
	if chosen == "" {
		return "", CodeNothingChosen.Fault()
	}
	return chosen, nil
}
