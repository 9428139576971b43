package web_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
)

// keepPage and keepPhotos store a reading of now.
func (w *world) keepPage(data meta.PageData) {
	w.t.Helper()
	save(w, provider.SocialPages, "104118", data.FollowersCount, social.PageData{PageData: data, SyncedAt: w.Now})
}

func (w *world) keepPhotos(data meta.PhotoData) {
	w.t.Helper()
	save(w, provider.SocialPhotos, "17841", data.Profile.FollowersCount, social.PhotoData{PhotoData: data, SyncedAt: w.Now})
}

func save[T any](w *world, service provider.Service, account string, count int, data T) {
	w.t.Helper()
	r := history.Reading[T]{CompanyID: w.Company.ID, Service: service, AccountID: account, Count: count, Data: &data, SyncedAt: w.Now}
	if err := history.Save(w.t.Context(), w.Store.DB, r); err != nil {
		w.t.Fatal(err)
	}
}

// readPage is a reading of a page with one known metric and one that is not.
func readPage() meta.PageData {
	return meta.PageData{
		Name: "Piekarnia", FollowersCount: 5136, FanCount: 4931, Link: "https://social.example/p",
		Metrics: map[string]any{"page_views_total": 110.0, "unheard_of": 3.0}, Unavailable: []string{"page_media_view", "gone_metric"},
	}
}

// readPhotos is a reading with seven posts, the likes of one of which are hidden.
func readPhotos() meta.PhotoData {
	data := meta.PhotoData{
		Profile: meta.PhotoProfile{Username: "piekarnia", FollowersCount: 12345, MediaCount: 81}, Engagement: meta.Engagement{Rate: 1.984},
		Insights: map[string]any{"reach": map[string]any{"2026-11-20": 950.0, "2026-11-19": 700.0, "soon": 1.0}, "likes": 2150.0},
	}
	likes := 0
	for i := range 7 {
		data.Media = append(data.Media, meta.Medium{Caption: "Wpis " + string(rune('A'+i)), Timestamp: now, LikeCount: &likes, CommentsCount: 4})
	}
	data.Media[1].LikeCount = nil
	return data
}

const statisticsOf = "/konto/statystyki?okres=28"

func TestStatistics(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.get("/konto/statystyki").shows(200, "Pierwsze dane odczytamy najdalej za dobę", "Po połączeniu zobaczysz, jak często", "Połącz : Google Search Console")
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
	w.get("/konto/statystyki").shows(200, "Obserwujący 5136 Zmianę i wykres pokażemy po jutrzejszym odczycie.").lacks(`id="facebook-obserwujacy-title"`)
	w.Now = w.Now.Add(48 * time.Hour)
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
	a := w.get("/konto/statystyki").shows(200,
		"Obserwujący 5136 tyle samo co 21 listopada 2026", "Polubienia strony 4931", "Odsłony strony 110", "Już niedostępne: Wyświetlenia treści, gone_metric.",
		"@piekarnia", "Obserwujący 12 345", "Publikacje 81", "Zaangażowanie 1,98%", "Polubienia 2150", "Ostatnie 30 dni",
		"Zasięg 825 średnio dziennie", "20 listopada: 950", "23 listopada 2026 12 345 brak", "20 listopada 2026 brak 950", "Wpis A", "Wpis B", "ukryte", "Wpis E",
		"Odśwież : Konto na Instagramie").lacks("Wpis F", "unheard_of", "po jutrzejszym odczycie")
	if n := strings.Count(a.Body.String(), `class="chart over-time"`); n != 3 {
		t.Errorf("%d charts, want followers of both and the reach", n)
	}
	w.Now = w.Now.Add(73 * time.Hour)
	w.get("/konto/statystyki").shows(200, "Nieaktualne Stan z 23 listopada 2026, 13:00 .", "Dane są z 23 listopada 2026. Nowszych nie udało się odczytać. Odśwież : Strona")
}

// TestReadingsOfADayAreOnePoint: a chart shows the last one.
func TestReadingsOfADayAreOnePoint(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	for i, after := range []time.Duration{0, 24 * time.Hour, time.Minute} {
		w.Now = w.Now.Add(after)
		w.keepPage(meta.PageData{FollowersCount: 100 + i})
	}
	a := w.get("/konto/statystyki").shows(200, "22 listopada: 102", "o 2 więcej niż 21 listopada 2026").lacks(": 101")
	if n := strings.Count(a.Body.String(), "<rect "); n != 2 {
		t.Errorf("%d columns, want one for each day", n)
	}
}

// TestPhotosAlone: they are read without a page.
func TestPhotosAlone(t *testing.T) {
	const path = "/konto/statystyki/instagram"
	w := newWorld(t).loggedIn(account.Member)
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: w.Social.Token.AccessToken, Scopes: []string{directorytest.Scope}})
	w.get("/konto/integracje").shows(200, "przez jedyną stronę na Facebooku, którą zarządza połączona osoba", "Tak, odłącz : Konto na Instagramie")
	w.get("/konto/statystyki").shows(200, "Odśwież : Konto na Instagramie").lacks("Odśwież : Strona")
	w.post(path, "").leadsTo(statisticsOf+"#instagram", "no_page#instagram")
	w.Social.Pages = w.Social.Pages[:1]
	w.post(path, "okres=90").leadsTo("/konto/statystyki?okres=90#instagram", "photos_synced#instagram")
	a := w.get(statisticsOf).shows(200, "@piekarnia", "Statystyki konta na Instagramie zostały odświeżone. – Statystyki").lacks("autofocus")
	if parts := strings.Split(a.Body.String(), `id="instagram"`); !strings.Contains(parts[1], "zostały odświeżone.") {
		t.Error("the result is not shown at the channel")
	}
}

// TestPhotosOfThePage are read through it, and have no connection to end.
func TestPhotosOfThePage(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.get("/konto/statystyki").shows(200, "Odśwież : Konto na Instagramie")
	w.get("/konto/integracje").shows(200, "Czytamy je przez wybraną stronę na Facebooku.").lacks("odłącz : Konto na Instagramie")
}

// TestMissedMetrics: the visitor reads that they are old, and why.
func TestMissedMetrics(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.Social.Page.Missed = meta.Missed{Metrics: []string{"page_views_total"}, Err: provider.Temporary(nil)}
	const address = "/konto/statystyki/facebook"
	w.post(address, "").leadsTo(statisticsOf+"#facebook", "synced_in_part#facebook")
	w.get("/konto/statystyki").shows(200, "ale nie wszystkie wskaźniki udało się odczytać",
		"Nie wszystkie wskaźniki udało się odczytać. Facebook lub Google chwilowo nie odpowiada.").lacks("z wcześniejszego odczytu")
	save(w, provider.SocialPages, "104118", 0, social.PageData{PageData: readPage(), SyncedAt: w.Now, MetricsReading: social.MetricsReading{
		State: social.MetricsPartial, Reason: new("Powód."), KeptFrom: map[string]time.Time{"a": now, "b": now.Add(-48 * time.Hour)},
	}})
	w.get("/konto/statystyki").shows(200, "Powód. Brakujące pokazujemy z wcześniejszego odczytu, najstarszy z 19 listopada 2026")
	w.Social.Page.Missed = meta.Missed{}
	w.post(address, "").leadsTo(statisticsOf+"#facebook", "page_synced#facebook")
	w.get("/konto/statystyki").lacks("Nie wszystkie wskaźniki")
}

// TestStatisticsAfterTheConnection: what was read stays, but nothing new comes.
func TestStatisticsAfterTheConnection(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.keepPage(readPage())
	w.get("/konto/statystyki").shows(200, "Obserwujący 5136", "Połącz : Strona na Facebooku").lacks("Odśwież")
	w.Anna.CompanyID = nil
	w.get("/konto/statystyki").shows(200, "nie jest przypisane do żadnej firmy")
}

// TestAxis: it begins at zero, and its top and middle are round.
func TestAxis(t *testing.T) {
	for _, tt := range []struct {
		from, to int
		ticks    []string
	}{
		{0, 0, []string{">10<", ">5<", ">0<"}},
		{5000, 5136, []string{">6000<", ">3000<", ">0<"}},
		{2, 3, []string{">4<", ">2<", ">0<"}},
	} {
		w := newWorld(t).loggedIn(account.Member)
		for _, count := range []int{tt.from, tt.to} {
			w.keepPage(meta.PageData{FollowersCount: count})
			w.Now = w.Now.Add(24 * time.Hour)
		}
		body := w.get("/konto/statystyki").Body.String()
		for _, tick := range tt.ticks {
			if !strings.Contains(body, `class="chart-axis"`) || !strings.Contains(body, tick) {
				t.Errorf("%d to %d: no %s", tt.from, tt.to, tick)
			}
		}
	}
}

// TestChanges: a figure is compared with the time before; where the history is too short,
// with the oldest day, the last week or nothing.
func TestChanges(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	for _, count := range []int{5000, 5100, 5090} {
		w.keepPage(meta.PageData{FollowersCount: count})
		w.Now = w.Now.Add(20 * 24 * time.Hour)
	}
	a := w.get("/konto/statystyki").shows(200, "5090 o 90 więcej niż 28 dni wcześniej")
	if n := strings.Count(a.Body.String(), "chart-break"); n != 1 {
		t.Errorf("%d breaks, want one for the pause within the days", n)
	}
	w.get("/konto/statystyki?okres=7").shows(200, "5090 o 10 mniej niż 7 dni wcześniej")
	w.get("/konto/statystyki?okres=90").shows(200, "5090 o 90 więcej niż 21 listopada 2026")
	w.get("/konto/statystyki?okres=8").shows(200, "niż 28 dni wcześniej")
	days := map[string]any{}
	for day := range 14 {
		days[now.AddDate(0, 0, day-14).Format(time.DateOnly)] = float64(100 + 6*(day/7))
	}
	w.keepPhotos(meta.PhotoData{Insights: map[string]any{"reach": days, "views": 70.0}})
	w.get("/konto/statystyki").shows(200, "Zasięg 103 średnio dziennie średnio o 6 dziennie więcej niż tydzień wcześniej", "Wyświetlenia 70")
	w.get("/konto/statystyki?okres=7").shows(200, "Zasięg 106 średnio dziennie średnio o 6 dziennie więcej niż tydzień wcześniej")
	delete(days, now.AddDate(0, 0, -3).Format(time.DateOnly))
	w.keepPhotos(meta.PhotoData{Insights: map[string]any{"reach": days}})
	w.get("/konto/statystyki").shows(200, "brak danych z dni pomiędzy").lacks("niż tydzień wcześniej")
	w.Now = w.Now.AddDate(0, 0, 28-20) // after the newest reading
	w.keepPage(meta.PageData{FollowersCount: 5095})
	w.get("/konto/statystyki").shows(200, "5095 o 5 więcej niż 28 dni wcześniej")
	if err := w.Store.Write(t.Context()).Exec("DELETE FROM social_statistics_history").Error; err != nil {
		t.Fatal(err)
	}
	w.get("/konto/statystyki").shows(200, "Obserwujący").lacks("5095") // which is not kept any longer
}

func TestAnalytics(t *testing.T) {
	const path = "/konto/statystyki/wyszukiwarka"
	w := newWorld(t).loggedIn(account.Member)
	w.post("/konto/statystyki/inny", "").shows(404)
	w.post(path, "").leadsTo(statisticsOf+"#wyszukiwarka", "no_connection#wyszukiwarka")
	w.Connect(connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: w.Search.Token.AccessToken, RefreshToken: "r", Scopes: []string{directorytest.Scope}})
	w.get("/konto/statystyki").shows(200, "Odśwież : Google Search Console", "Pierwsze dane odczytamy najdalej za dobę, a „Odśwież” zrobi to od razu.")
	w.post(path, "").leadsTo(statisticsOf+"#wyszukiwarka", "analytics_synced#wyszukiwarka")
	a := w.get("/konto/statystyki").shows(200, "piekarnia.example", "Kliknięcia 4 o 3 więcej niż w poprzednich 28 dniach", "Wyświetlenia 400", "Współczynnik kliknięć 1,0%",
		"Średnia pozycja 7,0", "chleb na zakwasie", "2,5", "od 22 października do 18 listopada 2026", "18 listopada: 300", "16 listopada 2026 0 0")
	if n := strings.Count(a.Body.String(), `class="chart over-time"`); n != 2 {
		t.Errorf("%d charts, want clicks and impressions", n)
	}
	w.get("/konto/statystyki?okres=90").shows(200, "Kliknięcia 5 o 5 więcej niż w poprzednich 90 dniach", "od 21 sierpnia do 18 listopada 2026")
	w.get("/konto/statystyki?okres=7").shows(200, "Kliknięcia 4 o 4 więcej niż tydzień wcześniej", "od 12 do 18 listopada 2026")
	w.Now = w.Now.Add(time.Hour)
	w.Search.Fail["ReadSearch"] = provider.Temporary(nil)
	w.post(path, "")
	w.get(statisticsOf).shows(200, "Próba 21 listopada 2026, 14:00 się nie udała")
	delete(w.Search.Fail, "ReadSearch")
	w.Search.Sites = []string{"https://inna.example/"}
	w.post(path, "").leadsTo(statisticsOf+"#wyszukiwarka", "no_site#wyszukiwarka")
	w.get(statisticsOf).shows(200, "nie ma zweryfikowanej witryny")
}

func TestPerformance(t *testing.T) {
	const path = "/konto/statystyki/profil"
	w := newWorld(t).loggedIn(account.Member)
	w.connectProfile()
	w.post(path, "").leadsTo(statisticsOf+"#profil", "no_location#profil")
	w.Change(directorytest.ProfilePair, func(c *connection.Connection) { c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1" })
	w.post(path, "").leadsTo(statisticsOf+"#profil", "performance_synced#profil")
	w.get("/konto/statystyki").shows(200, "Wyświetlenia w wyszukiwarce i Mapach 100", "Działania klientów 15", "od 16 do 17 listopada 2026", "17 listopada: 60",
		"Telefony 2", "Rezerwacje 3", "Najczęstsze hasła z października 2026", "piekarnia 85", "chleb mniej niż 15")
	w.get("/konto/przeglad").shows(200, "Wyświetlenia profilu w Google 100", "Telefony, trasy i inne działania 15")
	w.Search.Fail["ReadPerformance"] = provider.Gone(nil)
	w.post(path, "").leadsTo(statisticsOf+"#profil", "no_figures#profil")
	w.get(statisticsOf).shows(200, "Google nie udostępnia statystyk wybranej lokalizacji.")
	w.Now = now.AddDate(0, 0, 62)
	w.get(statisticsOf).shows(200, "Profil Firmy w Google 17 listopada 2026 Nieaktualne")
	w.Now = now.AddDate(0, 0, 63)
	w.get(statisticsOf).shows(200, "Profil Firmy w Google Nieaktualne")
}
