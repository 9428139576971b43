package web

import (
	"slices"
	"strings"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/site"
)

// todo is something that needs attention, with the button that mends it.
type todo struct {
	Name   string
	Level  site.Level // empty: an offer
	Text   string
	Button string
	Action string          // where the button's form goes; empty: Href
	Repair []provider.Pair // asked for together by the form
	Href   string
	Choice *choice // that may mend it as well; may be nil
	Waits  string  // what the visitor reads while the form is answered; empty: it is answered at once
}

// benefits say what a connection brings.
var benefits = map[provider.Pair]string{
	provider.ProfilePair: "Po połączeniu zobaczysz, ile osób ogląda wizytówkę, dzwoni i pyta o drogę, a audyt ją " +
		"oceni.",
	provider.AnalyticsPair: "Po połączeniu zobaczysz, jak często strona firmy pojawia się w Google " +
		"i ile osób na nią wchodzi.",
	provider.PagesPair:  "Po połączeniu zobaczysz, ile osób obserwuje stronę i widzi jej treści.",
	provider.PhotosPair: "Po połączeniu zobaczysz obserwujących, zasięg i najnowsze publikacje.",
}

// providerBenefits say what all services of a provider bring.
var providerBenefits = map[provider.Name]string{
	provider.Search: "Po połączeniu zobaczysz, ile osób ogląda wizytówkę i wchodzi na stronę firmy, " +
		"a audyt oceni profil.",
	provider.Social: "Po połączeniu zobaczysz, ile osób obserwuje stronę i konto firmy i widzi ich treści.",
}

// unchosen say why a page or location has to be chosen.
var unchosen = map[provider.Pair]string{
	provider.ProfilePair: "Wybierz lokalizację, aby odczytywać jej statystyki i oceniać ją w audycie.",
	provider.PagesPair:   "Wybierz stronę firmy, aby odczytywać jej statystyki.",
}

// formerTexts begin what is said of figures of another page or location than the chosen one.
var formerTexts = map[provider.Pair]string{
	provider.ProfilePair: "Pokazujemy dane poprzednio wybranej lokalizacji",
	provider.PagesPair:   "Pokazujemy dane poprzednio wybranej strony",

	provider.AnalyticsPair: "Pokazujemy dane innej witryny niż wybrana",
}

// formerName names the account of the figures, if its name is known.
func (p *panel) formerName() string {
	if p.Account == "" {
		return ""
	}
	return " (" + p.Account + ")"
}

// unread reports whether nothing of the connected account was read yet.
func (p *panel) unread() bool {
	return p.Connected && p.Todo != nil && p.Todo.Action == p.Action() && (p.Former || p.SyncedAt.IsZero())
}

// todoOf is what to do about a channel; nil: nothing.
func todoOf(status map[string]connection.ServiceStatus, p *panel) *todo {
	pair, s := p.Pair, status[p.Pair.String()]
	connect := todo{
		Name: pair.Name(), Level: site.Bad, Text: s.Reason, Button: "Połącz ponownie",
		Action: connectPath + "/" + string(pair.Provider), Repair: repairOf(pair, status),
	}
	way, chooses := choices[pair]
	switch {
	case s.NeedsReconnect:
	case !s.Connected:
		return &todo{Name: pair.Name(), Text: benefits[pair], Button: "Połącz", Action: connectPath + "/" +
			pair.String()}
	case chooses && !s.Chosen:
		return &todo{Name: pair.Name(), Level: site.Warning, Text: unchosen[pair], Button: way.Offer, Href: way.Href}
	case s.DataAccessEnds:
		connect.Level = site.Warning
		connect.Text = "Facebook przestanie udostępniać dane " + site.Date(*s.DataAccessExpiresAt) +
			". Połącz ponownie, aby to przedłużyć."
	case p.Former:
		return &todo{
			Name: pair.Name(), Level: site.Warning, Button: "Odśwież", Action: p.Action(), Waits: "Odczytujemy dane…",
			Text: formerTexts[pair] + p.formerName() + ". Danych nowego wyboru jeszcze nie odczytano.",
		}
	case p.SyncedAt.IsZero() && p.Failure != "":
		return &todo{
			Name: pair.Name(), Level: site.Warning, Text: "Połączono, ale nie ma czego odczytać. " + p.Failure,
			Button: "Sprawdź ponownie", Action: p.Action(), Waits: "Odczytujemy dane…", Choice: choiceFor(s),
		}
	case p.SyncedAt.IsZero():
		return &todo{
			Name: pair.Name(), Level: site.Warning, Text: "Połączono. Pierwsze dane właśnie odczytujemy.",
			Button: "Odczytaj teraz", Action: p.Action(), Waits: "Odczytujemy dane…",
		}
	case p.Stale:
		return &todo{
			Name: pair.Name(), Level: site.Warning,
			Text: strings.TrimSpace("Dane są z " + site.Date(p.SyncedAt) + ". Nowszych nie udało się odczytać. " +
				p.Failure),
			Button: "Odśwież", Action: p.Action(), Waits: "Odczytujemy dane…", Choice: choiceFor(s),
		}
	default:
		return nil
	}
	return &connect
}

// choiceFor returns the choice of another property if none could be read.
func choiceFor(s connection.ServiceStatus) *choice {
	if s.State.Act != connection.ActAddProperty {
		return nil
	}
	return &propertyChoice
}

const connectPath = integrationsPath + "/polacz"

// urgentFirst lists what there is to do: what is broken, what is missing, and what could be
// connected. An account that is read through another connection has no line of its own.
func urgentFirst(panels []panel) (all []todo) {
	for _, level := range []site.Level{site.Bad, site.Warning} {
		for _, p := range panels {
			if p.Todo == nil || p.Todo.Level != level {
				continue
			}
			if p.Todo.Repair == nil || slices.Contains(p.Todo.Repair, p.Pair) {
				all = append(all, *p.Todo)
			}
		}
	}
	for _, name := range provider.Names() {
		if offer := offerOf(name, panels); offer != nil {
			all = append(all, *offer)
		}
	}
	return all
}

// offerOf offers to connect all services of a provider that are not connected with one
// consent; nil if there are none.
func offerOf(name provider.Name, panels []panel) *todo {
	var only *todo
	var pairs []provider.Pair
	for _, p := range panels {
		isOffer := p.Todo != nil && p.Todo.Level == ""
		if p.Pair.Provider == name && isOffer {
			pairs = append(pairs, p.Pair)
			only = p.Todo
		}
	}
	if len(pairs) < 2 {
		return only
	}
	return &todo{
		Name: offers[name].Title, Text: providerBenefits[name], Button: offers[name].Button,
		Action: connectPath + "/" + string(name), Repair: pairs,
	}
}
