package web

import (
	"slices"
	"strings"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/site"
)

type channel struct {
	Pair    provider.Pair
	ID      string // an anchor, and a part of addresses
	Benefit string // what a connection brings
	Choice  *choice
}

// choice leads to where a channel's page, location or property is chosen.
type choice struct {
	Href, Offer, Change, Other string
	Why                        string
	Former                     string // begins a text about figures of another one
	Optional                   bool   // something is read without it, too
}

var channels = []channel{
	{
		Pair: provider.ProfilePair, ID: "profil",
		Benefit: "Po połączeniu zobaczysz, ile osób ogląda wizytówkę, dzwoni i pyta o drogę, a audyt ją oceni.",
		Choice: &choice{
			Href: locationPath, Offer: "Wybierz lokalizację", Change: "Zmień lokalizację",
			Other:  "Wybierz inną lokalizację",
			Why:    "Wybierz lokalizację, aby odczytywać jej statystyki i oceniać ją w audycie.",
			Former: "Pokazujemy dane poprzednio wybranej lokalizacji",
		},
	},
	{
		Pair: provider.AnalyticsPair, ID: "wyszukiwarka",
		Benefit: "Po połączeniu zobaczysz, jak często strona firmy pojawia się w Google " +
			"i ile osób na nią wchodzi.",
		Choice: &choice{
			Href: propertyPath, Offer: "Wybierz witrynę", Change: "Zmień witrynę", Optional: true,
			Former: "Pokazujemy dane innej witryny niż wybrana",
		},
	},
	{
		Pair: provider.PagesPair, ID: "facebook",
		Benefit: "Po połączeniu zobaczysz, ile osób obserwuje stronę i widzi jej treści.",
		Choice: &choice{
			Href: pagePath, Offer: "Wybierz stronę", Change: "Zmień stronę", Other: "Wybierz inną stronę",
			Why:    "Wybierz stronę firmy, aby odczytywać jej statystyki.",
			Former: "Pokazujemy dane poprzednio wybranej strony",
		},
	},
	{
		Pair: provider.PhotosPair, ID: "instagram",
		Benefit: "Po połączeniu zobaczysz obserwujących, zasięg i najnowsze publikacje.",
	},
}

// channelOf returns the zero channel for a service without one.
func channelOf(p provider.Pair) channel {
	i := slices.IndexFunc(channels, func(c channel) bool { return c.Pair == p })
	if i < 0 {
		return channel{}
	}
	return channels[i]
}

// isChosen reports whether the channel waits for no choice.
func (c channel) isChosen(s connection.ServiceStatus) bool {
	return c.Choice == nil || c.Choice.Optional || s.Chosen
}

// offer is how people call a provider, and the button that connects all its services.
type offer struct {
	Title   string
	Site    string // in the genitive
	Button  string
	Benefit string // of all its services
}

var offers = map[provider.Name]offer{
	provider.Search: {
		Title: "Google", Site: "Google", Button: "Połącz Google",
		Benefit: "Po połączeniu zobaczysz, ile osób ogląda wizytówkę i wchodzi na stronę firmy, " +
			"a audyt oceni profil.",
	},
	provider.Social: {
		Title: "Facebook i Instagram", Site: "Facebooka", Button: "Połącz Facebooka i Instagram",
		Benefit: "Po połączeniu zobaczysz, ile osób obserwuje stronę i konto firmy i widzi ich treści.",
	},
}

const connectPath = integrationsPath + "/polacz"

type todo struct {
	Name   string
	Level  site.Level // empty for an offer
	Text   string
	Button string
	Action string          // where the button's form goes; if it is empty, the button leads to Href
	Repair []provider.Pair // asked for together by the form
	Href   string
	Choice *choice // that may mend it as well; may be nil
	Waits  string  // what the visitor reads while a slow form is answered
}

func todoOf(status map[string]connection.ServiceStatus, p *panel) *todo {
	s := status[p.Pair.String()]
	connect := todo{
		Name: p.Pair.Name(), Level: site.Bad, Text: string(s.Reason), Button: "Połącz ponownie",
		Action: connectPath + "/" + string(p.Pair.Provider), Repair: repairOf(p.Pair, status),
	}
	read := todo{
		Name: p.Pair.Name(), Level: site.Warning, Button: "Odśwież", Action: p.Action(), Waits: "Odczytujemy dane…",
	}
	switch {
	case s.NeedsReconnect:
		return &connect
	case !s.Connected:
		return &todo{
			Name: p.Pair.Name(), Text: p.Benefit, Button: "Połącz", Action: connectPath + "/" + p.Pair.String(),
		}
	case !p.isChosen(s):
		return &todo{
			Name: p.Pair.Name(), Level: site.Warning, Text: p.Choice.Why, Button: p.Choice.Offer, Href: p.Choice.Href,
		}
	case s.DataAccessEnds:
		connect.Level = site.Warning
		connect.Text = "Facebook przestanie udostępniać dane " + site.Date(*s.DataAccessExpiresAt) +
			". Połącz ponownie, aby to przedłużyć."
		return &connect
	case p.Former:
		read.Text = p.Choice.Former
		if p.Account != "" {
			read.Text += " (" + p.Account + ")"
		}
		read.Text += ". Danych nowego wyboru jeszcze nie odczytano."
		return &read
	case p.SyncedAt.IsZero() && p.Failure == "":
		read.Text, read.Button = "Połączono. Pierwsze dane właśnie odczytujemy.", "Odczytaj teraz"
		return &read
	case p.SyncedAt.IsZero():
		read.Text, read.Button = "Połączono, ale nie ma czego odczytać. "+p.Failure, "Sprawdź ponownie"
	case p.Stale:
		read.Text = "Dane są z " + site.Date(p.SyncedAt) + ". Nowszych nie udało się odczytać. " + p.Failure
		read.Text = strings.TrimSpace(read.Text)
	default:
		return nil
	}
	if s.State.Act == connection.ActAddProperty {
		read.Choice = channelOf(provider.AnalyticsPair).Choice
	}
	return &read
}

// urgentFirst lists what is broken, what is missing, and what could be connected. An account that is
// read through another connection has no line of its own.
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
		all = append(all, offersOf(name, panels)...)
	}
	return all
}

func offersOf(name provider.Name, panels []panel) (list []todo) {
	var pairs []provider.Pair
	for _, p := range panels {
		isOffer := p.Todo != nil && p.Todo.Level == ""
		if p.Pair.Provider == name && isOffer {
			pairs, list = append(pairs, p.Pair), append(list, *p.Todo)
		}
	}
	if len(pairs) < 2 {
		return list
	}
	o := offers[name]
	return []todo{{
		Name: o.Title, Text: o.Benefit, Button: o.Button, Action: connectPath + "/" + string(name), Repair: pairs,
	}}
}
