package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/site"
)

// companiesView is the list of the companies that the visitor may look at.
type companiesView struct {
	Admin  bool // may search all
	Search string
	Broken bool         // only companies with a lost credential are listed
	Urgent []companyRow // some of those, before the list
	Found  []companyRow
	More   string // address of the next page; empty: there is none
	Later  bool   // this is not the first page
}

// companyRow is a company with its score and the state of its connections.
type companyRow struct {
	company.Found
	Score       *grade // nil: no audit yet
	Connections grade
}

const (
	urgentShown = 5
	brokenShown = 25
)

// companies shows GET /konto/firmy?szukaj=&za=&od=: to administrators all companies, those
// with lost credentials first, to others their own. With stan=przerwane it shows
// administrators all with lost credentials.
func (h *Handlers) companies(c echo.Context, v visitor) error {
	view := companiesView{Admin: v.User.CanAccessAdminPanel(), Search: c.QueryParam("szukaj")}
	view.Broken = view.Admin && c.QueryParam("stan") == "przerwane"
	id, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	after := company.Position{Key: c.QueryParam("od"), ID: max(id, 0)}
	view.Later = after.ID != 0
	ctx := c.Request().Context()
	var urgent, found []company.Found
	var err error
	switch {
	case view.Broken:
		found, view.More, err = h.brokenCompanies(ctx, after.ID, brokenShown)
	default:
		var more bool
		found, more, err = h.findCompanies(ctx, v.User, view.Search, after)
		if more {
			last := found[len(found)-1]
			view.More = companiesPath + "?" + url.Values{
				"szukaj": {view.Search}, "za": {strconv.FormatInt(last.ID, 10)}, "od": {last.Key},
			}.Encode()
		}
		if err != nil {
			return err
		}
		isStart := view.Search == "" && !view.Later
		if view.Admin && isStart {
			urgent, _, err = h.brokenCompanies(ctx, 0, urgentShown)
		}
	}
	if err != nil {
		return err
	}
	rows, err := h.companyRows(ctx, slices.Concat(urgent, found))
	if err != nil {
		return err
	}
	view.Urgent, view.Found = rows[:len(urgent)], rows[len(urgent):]
	return h.show(c, http.StatusOK, page{name: "companies", title: "Firmy", visitor: v, data: view})
}

// brokenCompanies lists companies with a lost credential, and the address of further ones.
func (h *Handlers) brokenCompanies(
	ctx context.Context,
	after int64,
	n int,
) (found []company.Found, more string, err error) {
	ids, err := h.Connections.Broken(ctx, after, n+1)
	if err != nil || len(ids) == 0 {
		return nil, "", err
	}
	if len(ids) > n {
		ids = ids[:n]
		more = companiesPath + "?" + url.Values{"stan": {"przerwane"}, "za": {strconv.FormatInt(ids[n-1], 10)}}.Encode()
	}
	found, err = h.Companies.Numbered(ctx, ids)
	return found, more, err
}

// companyRows adds scores and connections with two statements.
func (h *Handlers) companyRows(ctx context.Context, found []company.Found) ([]companyRow, error) {
	rows, ids := make([]companyRow, len(found)), make([]int64, len(found))
	for i, f := range found {
		rows[i].Found, ids[i] = f, f.ID
	}
	if len(ids) == 0 {
		return rows, nil
	}
	audits, err := h.Audits.Newest(ctx, ids)
	if err != nil {
		return nil, err
	}
	connections, err := h.Connections.List(ctx, connection.Query{CompanyIDs: ids})
	if err != nil {
		return nil, err
	}
	for i := range rows {
		row := &rows[i]
		if a, ok := audits[row.ID]; ok {
			row.Score = &grade{site.Figure(a.Score) + "\u00a0pkt", gradeOf(a.Category).Level}
		}
		row.Connections = connectionsOf(row.ID, connections)
	}
	return rows, nil
}

// connectionsOf sums up the connections of one company.
func connectionsOf(companyID int64, all []connection.Listed) grade {
	active, problems := 0, []string(nil)
	for _, c := range all {
		if c.CompanyID != companyID || c.State == connection.StateEnded {
			continue
		}
		active++
		if c.State != connection.StateOK {
			problems = append(problems, c.Pair.Name())
		}
	}
	switch {
	case len(problems) > 0:
		return grade{"Do naprawy: " + strings.Join(problems, ", "), site.Bad}
	case active > 0:
		return grade{site.Plural(active, "połączenie działa", "połączenia działają", "połączeń działa"), site.Good}
	}
	return grade{Text: "Brak połączeń"}
}

// findCompanies lists all companies for administrators, and for others their own.
func (h *Handlers) findCompanies(
	ctx context.Context,
	user account.User,
	text string,
	after company.Position,
) (found []company.Found, more bool, err error) {
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

// companyFields are the fields of a company's form. A field with list has an entry on each
// line.
var companyFields = []struct {
	Name, Label string
	Long        bool
	text        func(*company.Change) **string
	list        func(*company.Change) **[]string
	value       func(company.Company) string
}{
	{Name: "nazwa", Label: "Nazwa",
		text: func(c *company.Change) **string { return &c.Name }, value: func(c company.Company) string {
			return c.Name
		}},
	{
		Name:  "adres",
		Label: "Adres",
		text:  func(c *company.Change) **string { return &c.Address },
		value: func(c company.Company) string { return c.Address },
	},
	{Name: "telefon", Label: "Telefon",
		text: func(c *company.Change) **string { return &c.Phone }, value: func(c company.Company) string {
			return c.Phone
		}},
	{
		Name:  "strona",
		Label: "Strona internetowa",
		text:  func(c *company.Change) **string { return &c.Website },
		value: func(c company.Company) string { return c.Website },
	},
	{Name: "godziny", Label: "Godziny otwarcia, każdy dzień w osobnym wierszu", Long: true,
		text: func(c *company.Change) **string { return &c.Hours }, value: func(c company.Company) string {
			return c.Hours
		}},
	{
		Name:  "opis",
		Label: "Opis",
		Long:  true,
		text:  func(c *company.Change) **string { return &c.Description },
		value: func(c company.Company) string { return c.Description },
	},
	{Name: "kategorie", Label: "Kategorie, każda w osobnym wierszu", Long: true,
		list:  func(c *company.Change) **[]string { return &c.Categories },
		value: func(c company.Company) string { return strings.Join(c.Categories, "\n") }},
	{Name: "uslugi", Label: "Usługi, każda w osobnym wierszu", Long: true,
		list:  func(c *company.Change) **[]string { return &c.Services },
		value: func(c company.Company) string { return strings.Join(c.Services, "\n") }},
	{
		Name:  "logo",
		Label: "Adres logo",
		text:  func(c *company.Change) **string { return &c.LogoURL },
		value: func(c company.Company) string { return c.LogoURL },
	},
	{
		Name:  "zdjecie",
		Label: "Adres zdjęcia w tle",
		text:  func(c *company.Change) **string { return &c.CoverPhotoURL },
		value: func(c company.Company) string { return c.CoverPhotoURL },
	},
	{
		Name:  "miejsce",
		Label: "Identyfikator w mapach Google",
		text:  func(c *company.Change) **string { return &c.PlaceID },
		value: func(c company.Company) string { return c.PlaceID },
	},
	{
		Name:  "stan",
		Label: "Stan",
		text:  func(c *company.Change) **string { return &c.Status },
		value: func(c company.Company) string { return c.Status },
	},
}

// beforeName is the prefix of the hidden fields that say what the form showed.
const beforeName = "przed-"

// companyView is a company in its form.
type companyView struct {
	Action, Name, Slug string
	New                bool
	Fields             []companyFieldView
	Status             companyFieldView
	Problem            string          // Polish; empty: none
	About              *companySummary // nil: a new company
}

// companySummary is what administrators see of a company besides its form.
type companySummary struct {
	companyRow
	Connections []connectionLine
	Trail       []trailLine // newest first
}

// connectionLine is the state of one connection, and what to do.
type connectionLine struct {
	Name, Reason string
	State        grade
}

// connectionStates describe the states of connections.
var connectionStates = map[connection.State]grade{
	connection.StateOK:         {"Połączono", site.Good},
	connection.StateReconnect:  {"Wymaga ponownego połączenia", site.Bad},
	connection.StatePermission: {"Brakuje zgody", site.Bad},
	connection.StateChoice:     {"Wymaga ponownego wyboru", site.Bad},
	connection.StateEnded:      {Text: "Odłączono"},
}

// summarize reads the rest of the page of a company.
func (h *Handlers) summarize(ctx context.Context, c company.Company) (*companySummary, error) {
	connections, err := h.Connections.List(ctx, connection.Query{CompanyID: c.ID})
	if err != nil {
		return nil, err
	}
	rows, err := h.companyRows(ctx, []company.Found{c.Found()})
	if err != nil {
		return nil, err
	}
	lines, _, err := h.trailLines(ctx, trail.Search{CompanyID: c.ID, Limit: trailShown})
	if err != nil {
		return nil, err
	}
	summary := companySummary{companyRow: rows[0], Trail: lines}
	for _, found := range connections {
		summary.Connections = append(
			summary.Connections,
			connectionLine{found.Pair.Name(), found.Reason, connectionStates[found.State]},
		)
	}
	return &summary, nil
}

type companyFieldView struct {
	Name, Label, Value, Before string
	Long                       bool
}

// viewCompany returns the form of a company, with the values of form if there is one.
func viewCompany(c company.Company, form url.Values) companyView {
	view := companyView{Action: newCompanyPath, Name: "Nowa firma", Slug: c.Slug, New: c.ID == 0}
	if !view.New {
		view.Action, view.Name = companyPath(c.ID), c.Name
	}
	for _, field := range companyFields {
		shown := companyFieldView{
			Name:   field.Name,
			Label:  field.Label,
			Long:   field.Long,
			Value:  field.value(c),
			Before: field.value(c),
		}
		if form != nil {
			shown.Value, shown.Before = formText(form, field.Name), formText(form, beforeName+field.Name)
		}
		if field.Name == "stan" {
			view.Status = shown
			continue
		}
		view.Fields = append(view.Fields, shown)
	}
	return view
}

// formText returns a field with the line breaks that it was shown with.
func formText(form url.Values, name string) string {
	return strings.ReplaceAll(form.Get(name), "\r\n", "\n")
}

// readCompany returns the fields that differ from what the form showed, so that two people
// who edit different fields do not undo each other.
func readCompany(form url.Values) (change company.Change) {
	for _, field := range companyFields {
		value := formText(form, field.Name)
		switch {
		case value == formText(form, beforeName+field.Name):
		case field.text != nil:
			*field.text(&change) = &value
		default:
			entries := []string{}
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); line != "" {
					entries = append(entries, line)
				}
			}
			*field.list(&change) = &entries
		}
	}
	return change
}

func companyPath(id int64) string { return companiesPath + "/" + strconv.FormatInt(id, 10) }

func byVisitor(v visitor, action string) trail.Entry {
	e := v.By()
	e.Action = action
	return e
}

func (h *Handlers) showCompany(c echo.Context, v visitor, view companyView) error {
	return h.showForm(c, page{name: "company", title: view.Name, visitor: v, data: view}, view.Problem)
}

// newCompany shows GET /konto/firmy/nowa.
func (h *Handlers) newCompany(c echo.Context, v visitor) error {
	return h.showCompany(c, v, viewCompany(company.Company{Status: company.StatusActive}, nil))
}

// addCompany answers POST /konto/firmy/nowa.
func (h *Handlers) addCompany(c echo.Context, v visitor) error {
	form := c.Request().PostForm
	slug := strings.TrimSpace(form.Get("identyfikator"))
	added, err := h.Companies.Add(c.Request().Context(), slug, readCompany(form), byVisitor(v, "company add"))
	return h.companySaved(c, v, viewCompany(company.Company{Slug: slug}, form), companyPath(added.ID), err)
}

// companySaved leads to the company, or shows the form again.
func (h *Handlers) companySaved(c echo.Context, v visitor, view companyView, address string, err error) error {
	if view.Problem = problemOf(err); view.Problem != "" {
		return h.showCompany(c, v, view)
	}
	if err != nil {
		return err
	}
	return h.redirect(c, address, "company_saved")
}

// onCompany admits administrators to the page of one company.
func (h *Handlers) onCompany(next func(echo.Context, visitor, company.Company) error) echo.HandlerFunc {
	return h.asAdmin(func(c echo.Context, v visitor) error {
		id, ok := httpapi.PathID(c)
		if !ok {
			return company.CodeNotFound.Fault()
		}
		found, err := h.Companies.ByID(c.Request().Context(), id)
		if err != nil {
			return err
		}
		return next(c, v, found)
	})
}

// company shows GET /konto/firmy/{id}.
func (h *Handlers) company(c echo.Context, v visitor, found company.Company) (err error) {
	view := viewCompany(found, nil)
	if view.About, err = h.summarize(c.Request().Context(), found); err != nil {
		return err
	}
	return h.showCompany(c, v, view)
}

// editCompany answers POST /konto/firmy/{id}.
func (h *Handlers) editCompany(c echo.Context, v visitor, before company.Company) error {
	form := c.Request().PostForm
	_, err := h.Companies.Edit(c.Request().Context(), before.ID, readCompany(form), byVisitor(v, "company edit"))
	return h.companySaved(c, v, viewCompany(before, form), companyPath(before.ID), err)
}
