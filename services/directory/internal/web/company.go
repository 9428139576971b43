package web

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/site"
)

type companiesView struct {
	Admin  bool // may search all
	Search string
	Broken bool         // only companies with a lost credential are listed
	Urgent []companyRow // some of those, before the list
	Found  []companyRow
	More   string // address of the next page, if any
	Later  bool   // this is not the first page
}

type companyRow struct {
	company.Found
	Score       *grade // nil without an audit
	Connections grade
}

// How many companies with a lost credential are shown before all companies, and on a page.
const (
	urgentShown = 5
	brokenShown = 25
)

// companies shows GET /konto/firmy?szukaj=&za=&od=: to administrators all companies or, with
// stan=przerwane, those with lost credentials; to others their own.
func (h *Handlers) companies(c echo.Context, v visitor) (err error) {
	view := companiesView{Admin: v.User.CanAccessAdminPanel(), Search: c.QueryParam("szukaj")}
	view.Broken = view.Admin && c.QueryParam("stan") == "przerwane"
	id, _ := strconv.ParseInt(c.QueryParam("za"), 10, 64) // what is no number is the beginning
	after := company.Position{Key: c.QueryParam("od"), ID: max(id, 0)}
	view.Later = after.ID != 0
	ctx := c.Request().Context()
	var urgent, found []company.Found
	switch {
	case view.Broken:
		found, view.More, err = h.brokenCompanies(ctx, after.ID, brokenShown)
	case view.Admin:
		found, view.More, err = h.searchCompanies(ctx, view.Search, after)
	case v.User.CompanyID != nil:
		found, err = h.Companies.Numbered(ctx, []int64{*v.User.CompanyID})
	}
	if err != nil {
		return err
	}
	isStart := view.Search == "" && !view.Later
	if view.Admin && isStart && !view.Broken {
		if urgent, _, err = h.brokenCompanies(ctx, 0, urgentShown); err != nil {
			return err
		}
	}
	rows, err := h.companyRows(ctx, slices.Concat(urgent, found))
	if err != nil {
		return err
	}
	view.Urgent, view.Found = rows[:len(urgent)], rows[len(urgent):]
	return h.show(c, v, "companies", "Firmy", view)
}

func (h *Handlers) searchCompanies(
	ctx context.Context, text string, after company.Position,
) (found []company.Found, next string, err error) {
	found, more, err := h.Companies.Search(ctx, text, after)
	if more {
		last := found[len(found)-1]
		next = companiesPath + "?" + url.Values{
			"szukaj": {text}, "za": {fmt.Sprint(last.ID)}, "od": {last.Key},
		}.Encode()
	}
	return found, next, err
}

// brokenCompanies lists n companies with a lost credential, and the address of further ones.
func (h *Handlers) brokenCompanies(
	ctx context.Context, after int64, n int,
) (found []company.Found, next string, err error) {
	ids, err := h.Connections.Broken(ctx, after, n+1)
	if err != nil || len(ids) == 0 {
		return nil, "", err
	}
	if len(ids) > n {
		ids = ids[:n]
		next = companiesPath + "?" + url.Values{"stan": {"przerwane"}, "za": {fmt.Sprint(ids[n-1])}}.Encode()
	}
	found, err = h.Companies.Numbered(ctx, ids)
	return found, next, err
}

func (h *Handlers) companyRows(ctx context.Context, found []company.Found) ([]companyRow, error) {
	ids := make([]int64, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	if len(ids) == 0 {
		return nil, nil
	}
	audits, err := h.Audits.Newest(ctx, ids)
	if err != nil {
		return nil, err
	}
	connections, err := h.Connections.List(ctx, connection.Query{CompanyIDs: ids})
	if err != nil {
		return nil, err
	}
	rows := make([]companyRow, len(found))
	for i, f := range found {
		rows[i] = companyRow{Found: f, Connections: connectionsOf(f.ID, connections)}
		if a, ok := audits[f.ID]; ok {
			rows[i].Score = &grade{site.Figure(a.Score) + "\u00a0pkt", gradeOf(a.Category).Level}
		}
	}
	return rows, nil
}

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

type companyView struct {
	Action, Name, Slug string
	New                bool
	Fields             []companyField
	Status             companyField
	Problem            string          // Polish; may be empty
	About              *companySummary // nil for a new company
}

// companyField is a field of the form. Before is what it showed.
type companyField struct {
	Name, Label, Value, Before string
	Long                       bool
	text                       **string   // the field of the change that it sets
	list                       **[]string // the same for a list, of which each line is an entry
}

func companyFields(c company.Company, change *company.Change) []companyField {
	categories, services := strings.Join(c.Categories, "\n"), strings.Join(c.Services, "\n")
	return []companyField{
		{Name: "nazwa", Label: "Nazwa", Value: c.Name, text: &change.Name},
		{Name: "adres", Label: "Adres", Value: c.Address, text: &change.Address},
		{Name: "telefon", Label: "Telefon", Value: c.Phone, text: &change.Phone},
		{Name: "strona", Label: "Strona internetowa", Value: c.Website, text: &change.Website},
		{Name: "godziny", Label: "Godziny otwarcia, każdy dzień w osobnym wierszu", Long: true, Value: c.Hours,
			text: &change.Hours},
		{Name: "opis", Label: "Opis", Long: true, Value: c.Description, text: &change.Description},
		{Name: "kategorie", Label: "Kategorie, każda w osobnym wierszu", Long: true, Value: categories,
			list: &change.Categories},
		{Name: "uslugi", Label: "Usługi, każda w osobnym wierszu", Long: true, Value: services,
			list: &change.Services},
		{Name: "logo", Label: "Adres logo", Value: c.LogoURL, text: &change.LogoURL},
		{Name: "zdjecie", Label: "Adres zdjęcia w tle", Value: c.CoverPhotoURL, text: &change.CoverPhotoURL},
		{Name: "miejsce", Label: "Identyfikator w mapach Google", Value: c.PlaceID, text: &change.PlaceID},
		{Name: "stan", Label: "Stan", Value: c.Status, text: &change.Status},
	}
}

// apply changes the field unless the form was sent as it was shown.
func (f companyField) apply() {
	switch {
	case f.Value == f.Before:
	case f.text != nil:
		*f.text = &f.Value
	default:
		entries := []string{}
		for line := range strings.Lines(f.Value) {
			if line = strings.TrimSpace(line); line != "" {
				entries = append(entries, line)
			}
		}
		*f.list = &entries
	}
}

// companyForm returns the form of c as it was sent, or as it is if sent is nil, and what it changes:
// only what differs from what the form showed, so that two people do not undo each other.
func companyForm(c company.Company, sent url.Values) (view companyView, change company.Change) {
	view = companyView{Action: newCompanyPath, Name: "Nowa firma", Slug: c.Slug, New: c.ID == 0}
	if !view.New {
		view.Action, view.Name = companyPath(c.ID), c.Name
	}
	text := func(name string) string { return strings.ReplaceAll(sent.Get(name), "\r\n", "\n") }
	for _, field := range companyFields(c, &change) {
		field.Before = field.Value
		if sent != nil {
			field.Value, field.Before = text(field.Name), text("przed-"+field.Name)
			field.apply()
		}
		if field.Name == "stan" {
			view.Status = field
			continue
		}
		view.Fields = append(view.Fields, field)
	}
	return view, change
}

type companySummary struct {
	companyRow
	Connections []stateLine
	Trail       []trailLine // newest first
}

var connectionStates = map[connection.State]grade{
	connection.StateOK:         {"Połączono", site.Good},
	connection.StateReconnect:  {"Wymaga ponownego połączenia", site.Bad},
	connection.StatePermission: {"Brakuje zgody", site.Bad},
	connection.StateChoice:     {"Wymaga ponownego wyboru", site.Bad},
	connection.StateEnded:      {Text: "Odłączono"},
}

func (h *Handlers) summarize(ctx context.Context, c company.Company) (*companySummary, error) {
	connections, err := h.Connections.List(ctx, connection.Query{CompanyIDs: []int64{c.ID}})
	if err != nil {
		return nil, err
	}
	rows, err := h.companyRows(ctx, []company.Found{c.Found()})
	if err != nil {
		return nil, err
	}
	summary := companySummary{companyRow: rows[0]}
	for _, found := range connections {
		line := stateLine{found.Pair.Name(), found.Reason, connectionStates[found.State]}
		summary.Connections = append(summary.Connections, line)
	}
	summary.Trail, _, err = h.trailLines(ctx, trail.Search{CompanyID: c.ID, Limit: trailShown})
	return &summary, err
}

func companyPath(id int64) string { return fmt.Sprint(companiesPath, "/", id) }

func byVisitor(v visitor, action string) trail.Entry {
	e := v.By()
	e.Action = action
	return e
}

func (h *Handlers) showCompany(c echo.Context, v visitor, view companyView) error {
	return h.showForm(c, v, "company", view.Name, view, view.Problem)
}

func (h *Handlers) newCompany(c echo.Context, v visitor) error {
	view, _ := companyForm(company.Company{Status: company.StatusActive}, nil)
	return h.showCompany(c, v, view)
}

func (h *Handlers) addCompany(c echo.Context, v visitor) error {
	form := c.Request().PostForm
	slug := strings.TrimSpace(form.Get("identyfikator"))
	view, change := companyForm(company.Company{Slug: slug}, form)
	added, err := h.Companies.Add(c.Request().Context(), slug, change, byVisitor(v, "company add"))
	return h.companySaved(c, v, view, added.ID, err)
}

func (h *Handlers) companySaved(c echo.Context, v visitor, view companyView, id int64, err error) error {
	if view.Problem = problemOf(err); view.Problem != "" {
		return h.showCompany(c, v, view)
	}
	if err != nil {
		return err
	}
	return h.redirect(c, companyPath(id), "company_saved")
}

func (h *Handlers) onCompany(next func(echo.Context, visitor, company.Company) error) echo.HandlerFunc {
	return onRow(h, company.CodeNotFound, h.Companies.ByID, next)
}

func (h *Handlers) company(c echo.Context, v visitor, found company.Company) (err error) {
	view, _ := companyForm(found, nil)
	if view.About, err = h.summarize(c.Request().Context(), found); err != nil {
		return err
	}
	return h.showCompany(c, v, view)
}

func (h *Handlers) editCompany(c echo.Context, v visitor, before company.Company) error {
	view, change := companyForm(before, c.Request().PostForm)
	_, err := h.Companies.Edit(c.Request().Context(), before.ID, change, byVisitor(v, "company edit"))
	return h.companySaved(c, v, view, before.ID, err)
}
