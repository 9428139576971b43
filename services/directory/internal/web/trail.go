package web

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/site"
)

type trailLine struct {
	At                   time.Time
	Action, Object, User string
	Detail               string // what it was and what it is, as in "MEMBER → ADMIN"
}

const (
	trailShown = 20 // that of a company
	trailPage  = 50
)

// trailActions are the actions with a text. Others are shown as they are.
var trailActions = map[string]string{ // #nosec G101 -- texts
	"connect":            "Połączono konto",
	"disconnect":         "Odłączono konto",
	"select_page":        "Wybrano stronę",
	"select_location":    "Wybrano lokalizację",
	"select_property":    "Wybrano witrynę",
	"refresh":            "Odnowiono dostęp",
	"reconnect_required": "Utracono dostęp",
	"revoke":             "Wycofano zgodę",
	"erase":              "Usunięto dane",
	"lose_page":          "Utracono wybraną stronę",
	"deauthorize":        "Osoba wycofała zgodę",
	"unmark":             "Cofnięto oznaczenie",
	"audit":              "Uruchomiono audyt",
	"user add":           "Zaproszono osobę",
	"user rename":        "Zmieniono imię i nazwisko",
	"user email":         "Zmieniono adres e-mail",
	"user set-role":      "Zmieniono rolę",
	"user move":          "Zmieniono firmę osoby",
	"user enable":        "Włączono konto",
	"user disable":       "Wyłączono konto",
	"user delete":        "Usunięto konto",
	"user reset-link":    "Utworzono link do hasła",
	"user set-password":  "Ustawiono hasło",
	"password change":    "Zmieniono hasło",
	"password reset":     "Ustawiono hasło linkiem",
	"password mail":      "Wysłano link do hasła",
	"invitation mail":    "Wysłano zaproszenie",
	"address mail":       "Wysłano link do zmiany adresu",
	"session end":        "Wylogowano przeglądarki",
	"company add":        "Dodano firmę",
	"company edit":       "Zmieniono dane firmy",
	"company archive":    "Ukryto firmę",
	"webhook add":        "Dodano adres powiadomień",
	"webhook remove":     "Usunięto adres powiadomień",
	"webhook rotate":     "Zmieniono klucz powiadomień",
	"webhook test":       "Wysłano testowe powiadomienie",
	"webhook replay":     "Wysłano powiadomienia ponownie",
}

func (h *Handlers) trailLines(ctx context.Context, s trail.Search) (lines []trailLine, more bool, err error) {
	s.Limit++
	entries, err := trail.Find(ctx, h.DB, s)
	if err != nil {
		return nil, false, err
	}
	if more = len(entries) == s.Limit; more {
		entries = entries[:len(entries)-1]
	}
	var ids []int64
	for _, e := range entries {
		ids = append(ids, e.AboutUserID)
		if e.UserID != nil {
			ids = append(ids, *e.UserID)
		}
	}
	names, err := h.Users.Names(ctx, ids)
	if err != nil {
		return nil, false, err
	}
	person := func(id int64) string { return cmp.Or(names[id], "użytkownik "+strconv.FormatInt(id, 10)) }
	for _, e := range entries {
		line := trailLine{
			At:     e.At,
			Action: cmp.Or(trailActions[e.Action], e.Action),
			Object: e.Pair.Name(),
			Detail: e.Detail,
			User:   "serwis",
		}
		if e.AboutUserID != 0 {
			line.Object = person(e.AboutUserID)
		}
		if e.UserID != nil {
			line.User = person(*e.UserID)
		}
		line.User = cmp.Or(e.Actor, line.User)
		lines = append(lines, line)
	}
	return lines, more, nil
}

type trailView struct {
	Name, Back  string
	From, Until string // days, as 2026-11-21; empty: not limited
	Lines       []trailLine
	More        string // address of earlier entries; empty: there are none
}

func (h *Handlers) trailPage(c echo.Context, v visitor, of company.Company) error {
	back := companyPath(of.ID)
	view := trailView{Name: of.Name, Back: back}
	search := trail.Search{CompanyID: of.ID, Limit: trailPage}
	if from, err := site.ParseDay(c.QueryParam("od")); err == nil {
		search.Since, view.From = from, c.QueryParam("od")
	}
	if until, err := site.ParseDay(c.QueryParam("do")); err == nil {
		search.Until, view.Until = until.AddDate(0, 0, 1), c.QueryParam("do")
	}
	skipped, _ := strconv.Atoi(c.QueryParam("pomin")) // what is no number is the beginning
	search.Offset = max(skipped, 0)
	lines, more, err := h.trailLines(c.Request().Context(), search)
	if err != nil {
		return err
	}
	view.Lines = lines
	if more {
		view.More = back + "/zdarzenia?" + url.Values{
			"od": {view.From}, "do": {view.Until}, "pomin": {strconv.Itoa(search.Offset + trailPage)},
		}.Encode()
	}
	return h.show(c, v, "trail", "Zdarzenia: "+of.Name, view)
}
