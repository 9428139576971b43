package web

import (
	"cmp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/fold"
)

type chooseView struct {
	Title   string
	Lead    string
	Empty   string // what to do when there is nothing
	Action  string // where the form goes
	Button  string
	Audit   bool // the choice can be followed by an audit
	Choices []option
	Cut     string // why the list is not whole; empty if it is
	Search  string // what the names are searched for, if anything
	Total   int    // without the search
}

// option is one line of the list. One with a Refusal cannot be chosen.
type option struct {
	Value, Name, Detail, Warning, Refusal string
	Checked                               bool
}

// Searchable reports whether the list is so long that it can be searched.
func (v chooseView) Searchable() bool { return v.Total >= 10 }

func (o option) rank() int {
	switch {
	case o.Refusal != "":
		return 2
	case o.Warning != "":
		return 1
	}
	return 0
}

// showChoice sorts the choices by rank and name, and leaves those that the search finds. The
// only one that can be chosen is checked, or the only one that is named like the company.
func (h *Handlers) showChoice(c echo.Context, v visitor, companyID int64, view chooseView) error {
	company, err := h.Companies.ByID(c.Request().Context(), companyID)
	if err != nil {
		return err
	}
	view.Search, view.Total = strings.TrimSpace(c.QueryParam("szukaj")), len(view.Choices)
	slices.SortStableFunc(view.Choices, func(a, b option) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), strings.Compare(sortKey(a.Name), sortKey(b.Name)),
			strings.Compare(a.Detail, b.Detail))
	})
	view.checkOnly(func(o option) bool { return o.Refusal == "" })
	name := fold.Polish(company.Name)
	view.checkOnly(func(o option) bool { return o.Refusal == "" && fold.Polish(o.Name) == name })
	view.Choices = slices.DeleteFunc(view.Choices, func(o option) bool {
		return !strings.Contains(fold.Polish(o.Name+" "+o.Detail), fold.Polish(view.Search))
	})
	return h.show(c, v, "choose", view.Title, view)
}

func (v *chooseView) checkOnly(fits func(option) bool) {
	first := slices.IndexFunc(v.Choices, fits)
	if first >= 0 && !slices.ContainsFunc(v.Choices[first+1:], fits) {
		v.Choices[first].Checked = true
	}
}

var polishOrder = strings.NewReplacer("ą", "a~", "ć", "c~", "ę", "e~", "ł", "l~", "ń", "n~", "ó", "o~", "ś", "s~", "ź",
	"z~", "ż", "z~~")

// sortKey returns a text whose bytes are in the order of the Polish alphabet.
func sortKey(name string) string { return polishOrder.Replace(strings.ToLower(name)) }

func readChoice(c echo.Context) (string, error) {
	chosen := c.Request().PostForm.Get("wybor")
	if chosen == "" {
		return "", CodeNothingChosen.Fault()
	}
	return chosen, nil
}

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

var closedTexts = map[google.Closed]string{
	google.ClosedForGood: "Zamknięta na stałe: w Google nie jest pokazywana jako czynna.",
	google.ClosedForNow:  "Tymczasowo zamknięta, tak oznaczono ją w Google.",
	google.ClosedSuspended: "Google ją zawiesiło albo nie potwierdziło jeszcze, że należy do Ciebie. " +
		"Jej dane mogą się nie zmieniać.",
}

func (h *Handlers) chooseLocation(c echo.Context, v visitor, companyID int64) error {
	found, err := h.Locations.Discover(c.Request().Context(), v.Actor)
	if err != nil {
		return err
	}
	view := chooseView{
		Title: "Wybierz lokalizację firmy", Action: locationPath, Button: "Wybierz tę lokalizację", Audit: true,
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
		details := []string{location.Address, location.Category, location.StoreCode}
		details = slices.DeleteFunc(details, func(text string) bool { return text == "" })
		view.Choices = append(view.Choices, option{
			Value: location.Name, Name: location.Title, Detail: strings.Join(details, " · "),
			Warning: closedTexts[location.Closed],
		})
	}
	return h.showChoice(c, v, companyID, view)
}

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

func (h *Handlers) auditLocation(c echo.Context, v visitor, companyID int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	if _, err = h.Locations.Select(c.Request().Context(), v.Actor, chosen); err != nil {
		return err
	}
	return h.auditNow(c, v, audit.CompanyRef{ID: &companyID})
}

// byWebsite is the choice that leaves it to the address of the company.
const byWebsite = "-"

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

func (h *Handlers) selectProperty(c echo.Context, v visitor, companyID int64) error {
	chosen, err := readChoice(c)
	if err != nil {
		return err
	}
	if chosen == byWebsite {
		chosen = ""
	}
	ctx, row := c.Request().Context(), rowPath(provider.AnalyticsPair)
	err = h.Statistics.SelectProperty(ctx, v.Actor, chosen)
	if fault.Is(err, statistics.CodePropertyNotFound) {
		return err
	}
	if err != nil {
		return h.refused(c, row, err)
	}
	outcome, err := h.sync(ctx, companyID, provider.AnalyticsPair)
	return h.finishAt(c, row, outcome, err)
}
