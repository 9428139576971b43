package web

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/internal/kit/site"
)

// panel shows the statistics of one account.
type panel struct {
	ID, Title   string
	Pair        provider.Pair // of the service whose card is above
	Action      string        // where the form that syncs goes
	Ready       bool          // the visitor may sync
	Account     string
	Link        string // of the account; empty: none
	SyncedAt    time.Time
	FailedAt    time.Time    // of a later sync; zero: none failed
	Main        []mainFigure // what matters most
	Figures     []figure     // the rest
	Charts      []lineChart
	Single      bool // one reading only, which makes no chart of followers
	Posts       []meta.Medium
	Period      string // of the figures; empty: the moment of the reading
	Queries     []searchQuery
	Keywords    []figure  // of Month
	Month       string    // e.g. "10.2026"
	Unavailable []string  // what the provider no longer supports
	Unread      string    // why some figures could not be read
	KeptFrom    time.Time // when the oldest of those were read; zero: there are none
}

// figure is a number with its name.
type figure struct {
	Name  string
	Value string
}

// mainFigure is one that is shown large.
type mainFigure struct {
	figure
	Change string     // against the time before; empty: the history is too short
	Spark  *lineChart // nil: no trend to show
}

// labels are the names of the provider's metrics.
var labels = map[string]string{
	"page_media_view":              "Wyświetlenia treści",
	"page_total_media_view_unique": "Odbiorcy treści",
	"page_post_engagements":        "Reakcje na wpisy",
	"page_views_total":             "Odsłony strony",
	"page_daily_follows_unique":    "Nowi obserwujący",
	"page_daily_unfollows_unique":  "Rezygnacje z obserwowania",
	"views":                        "Wyświetlenia",
	"accounts_engaged":             "Zaangażowane konta",
	"total_interactions":           "Interakcje",
	"likes":                        "Polubienia",
	"comments":                     "Komentarze",
	"shares":                       "Udostępnienia",
	"saves":                        "Zapisy",
	"replies":                      "Odpowiedzi",
	"reposts":                      "Ponowne udostępnienia",
	"profile_links_taps":           "Kliknięcia w linki profilu",
	"profile_views":                "Wejścia na profil",
	"website_clicks":               "Kliknięcia w adres strony",
	"reach":                        "Zasięg dzienny",
	"follower_count":               "Nowi obserwujący dziennie",
}

// statistics are the panels of a company's page and photo-network account, without
// those of which nothing is there to see or to sync. The flags report whether the visitor
// may sync.
func (h *Handlers) statistics(ctx context.Context, companyID int64, pageReady, photosReady bool) ([]panel, error) {
	page, pageFollowers, err := h.Social.PageStatistics(ctx, companyID)
	if err != nil {
		return nil, err
	}
	photos, photoFollowers, err := h.Social.PhotoStatistics(ctx, companyID)
	if err != nil {
		return nil, err
	}
	panels := []panel{
		{ID: "strona", Pair: provider.PagesPair, Title: "Strona w serwisie społecznościowym", Action: integrationsPath + "/statystyki/strona", Ready: pageReady},
		{ID: "zdjecia", Pair: provider.PhotosPair, Title: "Konto w serwisie ze zdjęciami", Action: integrationsPath + "/statystyki/zdjecia", Ready: photosReady},
	}
	panels[0].FailedAt, panels[1].FailedAt = page.Failure(), photos.Failure()
	if page.Data != nil {
		panels[0].showPage(h.Site, page.Data, pageFollowers)
	}
	if photos.Data != nil {
		panels[1].showPhotos(h.Site, photos.Data, photoFollowers)
	}
	return slices.DeleteFunc(panels, func(p panel) bool { return !p.Ready && p.SyncedAt.IsZero() }), nil
}

func (p *panel) showPage(s *site.Site, data *social.PageData, followers []history.Point) {
	p.Account, p.Link, p.SyncedAt = data.Name, data.Link, data.SyncedAt
	p.Period = "Wskaźniki obejmują ostatnią dobę, którą dostawca podał w całości."
	p.showFollowers(s, data.FollowersCount, followers)
	p.showMetrics(data.Metrics, "page_media_view", "page_total_media_view_unique")
	p.Figures = append(p.Figures, figure{"Polubienia strony", site.Count(data.FanCount)})
	p.showUnavailable(data.Unavailable)
	p.showReading(data.MetricsReading)
}

// newestPosts is how many posts of an account are shown.
const newestPosts = 5

func (p *panel) showPhotos(s *site.Site, data *social.PhotoData, followers []history.Point) {
	p.Account, p.SyncedAt = "@"+data.Profile.Username, data.SyncedAt
	p.Period = "Wskaźniki obejmują ostatnie 30 dni."
	p.showFollowers(s, data.Profile.FollowersCount, followers)
	p.showMetrics(data.Insights, "reach", "views")
	p.Figures = append(p.Figures, figure{"Publikacje", site.Count(data.Profile.MediaCount)},
		figure{"Zaangażowanie", site.Number(data.Engagement.Rate, 2) + "\u00a0%"})
	p.Posts = data.Media[:min(len(data.Media), newestPosts)]
	p.showUnavailable(data.Unavailable)
	p.showReading(data.MetricsReading)
}

func (p *panel) showReading(r social.MetricsReading) {
	if r.Reason != nil {
		p.Unread = *r.Reason
	}
	for _, at := range r.KeptFrom {
		if p.KeptFrom.IsZero() || at.Before(p.KeptFrom) {
			p.KeptFrom = at
		}
	}
}

// showMetrics adds the metrics that have a label: a number as a figure, numbers by
// the day as a chart. Those that are named matter most.
func (p *panel) showMetrics(metrics map[string]any, main ...string) {
	for _, name := range main {
		p.showMain(labels[name], p.ID+"-"+name, metrics[name])
	}
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		label, known := labels[name]
		if !known {
			continue
		}
		switch value := metrics[name].(type) {
		case float64:
			if !slices.Contains(main, name) {
				p.Figures = append(p.Figures, figure{label, site.Number(value, 0)})
			}
		case map[string]any:
			if points := byDay(value); len(points) > 1 {
				p.Charts = append(p.Charts, chartOf(p.ID+"-"+name, label, points))
			}
		}
	}
}

// showMain adds a metric that matters most; one by the day is its mean of a week.
func (p *panel) showMain(label, id string, value any) {
	switch value := value.(type) {
	case float64:
		p.Main = append(p.Main, mainFigure{figure: figure{label, site.Number(value, 0)}})
	case map[string]any:
		points := byDay(value)
		if mean, change := weekly(points); mean != "" {
			spark := sparkOf(id, label, points)
			p.Main = append(p.Main, mainFigure{figure{label + ", średnio w tygodniu", mean}, change, &spark})
		}
	}
}

func (p *panel) showUnavailable(names []string) {
	for _, name := range names {
		if label, ok := labels[name]; ok {
			name = label
		}
		p.Unavailable = append(p.Unavailable, name)
	}
}

func (p *panel) showFollowers(s *site.Site, count int, followers []history.Point) {
	points := pointsOf(followers)
	shown := mainFigure{figure: figure{"Obserwujący", site.Count(count)}, Change: sinceBefore(points)}
	if shown.Change != "" {
		spark := sparkOf(p.ID+"-obserwujacy", "Obserwujący", points)
		shown.Spark = &spark
	}
	if p.Single = len(points) < 2; !p.Single {
		p.Charts = append(p.Charts, chartOf(p.ID+"-obserwujacy", "Obserwujący", points))
	}
	p.Main = append(p.Main, shown)
}

// syncPage answers POST /konto/integracje/statystyki/strona.
func (h *Handlers) syncPage(c echo.Context, _ visitor, companyID int64) error {
	data, err := h.Social.SyncPage(c.Request().Context(), companyID)
	return h.synced(c, "page_synced", data.State, err)
}

// syncPhotos answers POST /konto/integracje/statystyki/zdjecia.
func (h *Handlers) syncPhotos(c echo.Context, _ visitor, companyID int64) error {
	data, err := h.Social.SyncPhotos(c.Request().Context(), companyID)
	return h.synced(c, "photos_synced", data.State, err)
}

func (h *Handlers) synced(c echo.Context, outcome, state string, err error) error {
	if state != social.MetricsComplete {
		outcome = "synced_in_part"
	}
	return h.finish(c, outcome, err)
}
