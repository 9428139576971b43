package web_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
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

func TestStatistics(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.get("/konto/integracje").shows(200, "Statystyk jeszcze nie pobrano.")
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
	w.get("/konto/integracje").shows(200, "Wykres obserwujących pojawi się po drugim odczycie.")
	w.Now = w.Now.Add(48 * time.Hour)
	w.keepPage(readPage())
	w.keepPhotos(readPhotos())
	a := w.get("/konto/integracje").shows(200,
		"Obserwujący 5136", "Polubienia strony 4931", "Odsłony strony 110", "Dostawca nie podaje już: Wyświetlenia treści, gone_metric.",
		"@piekarnia", "Obserwujący 12 345", "Publikacje 81", "Zaangażowanie 1,98 %", "Polubienia 2150", "Obserwujący 12 345 bez zmian od 21 listopada 2026", "Wskaźniki obejmują ostatnie 30 dni.",
		"Zasięg dzienny", "19 listopada 2026: 700; 20 listopada 2026: 950", "Wpis A", "Wpis B", "ukryte", "Wpis E",
		"Odśwież statystyki : Konto w serwisie ze zdjęciami").lacks("Wpis F", "unheard_of", "pojawi się po drugim odczycie")
	if n := strings.Count(a.Body.String(), `class="chart over-time"`); n != 3 {
		t.Errorf("%d charts, want followers of both and the reach", n)
	}
}

// TestPhotosAlone: they are read without a page, and their card says how.
func TestPhotosAlone(t *testing.T) {
	const path = "/konto/integracje/statystyki/zdjecia"
	w := newWorld(t).loggedIn(account.Member)
	w.Connect(connection.Connection{Pair: directorytest.PhotosPair, AccessToken: w.Social.Token.AccessToken, Scopes: []string{directorytest.Scope}})
	w.get("/konto/integracje").shows(200, "przez jedyną stronę, którą zarządza połączona osoba", "Odśwież statystyki : Konto w serwisie ze zdjęciami",
		"Tak, odłącz : Konto w serwisie ze zdjęciami").lacks("Odśwież statystyki : Strona")
	w.post(path, "").leadsTo("/konto/integracje", "no_page")
	w.Social.Pages = w.Social.Pages[:1]
	w.post(path, "").leadsTo("/konto/integracje", "photos_synced")
	w.get("/konto/integracje").shows(200, "@piekarnia").lacks("Statystyk jeszcze nie pobrano.")
}

// TestPhotosOfThePage are read through it, and have no connection to end.
func TestPhotosOfThePage(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.get("/konto/integracje").shows(200, "Konto odczytujemy przez wybraną stronę firmy.", "Odśwież statystyki : Konto w serwisie ze zdjęciami").
		lacks("odłącz : Konto w serwisie ze zdjęciami")
}

// TestMissedMetrics: the visitor reads that they are old, and why.
func TestMissedMetrics(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.connectPage()
	w.Social.Page.Missed = meta.Missed{Metrics: []string{"page_views_total"}, Err: provider.Temporary(nil)}
	const address = "/konto/integracje/statystyki/strona"
	w.post(address, "").leadsTo("/konto/integracje", "synced_in_part")
	w.get("/konto/integracje").shows(200, "ale nie wszystkie wskaźniki udało się odczytać",
		"Nie wszystkie wskaźniki udało się odczytać. Dostawca jest chwilowo niedostępny.").lacks("z wcześniejszego odczytu")
	save(w, provider.SocialPages, "104118", 0, social.PageData{PageData: readPage(), SyncedAt: w.Now, MetricsReading: social.MetricsReading{
		State: social.MetricsPartial, Reason: new("Powód."), KeptFrom: map[string]time.Time{"a": now, "b": now.Add(-48 * time.Hour)},
	}})
	w.get("/konto/integracje").shows(200, "Powód. Brakujące pokazujemy z wcześniejszego odczytu, najstarszy z 19 listopada 2026")
	w.Social.Page.Missed = meta.Missed{}
	w.post(address, "").leadsTo("/konto/integracje", "page_synced")
	w.get("/konto/integracje").lacks("Nie wszystkie wskaźniki")
}

// TestStatisticsAfterTheConnection: what was read stays, but nothing new comes.
func TestStatisticsAfterTheConnection(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	w.keepPage(readPage())
	w.get("/konto/integracje").shows(200, "Obserwujący 5136").lacks("Odśwież statystyki")
}

// TestAxis: the ends are round, and hold every value with room around it.
func TestAxis(t *testing.T) {
	for _, tt := range []struct {
		from, to int
		ticks    []string
	}{
		{0, 0, []string{">10<", ">5<", ">0<"}},
		{5000, 5136, []string{">5300<", ">5050<", ">4800<"}},
		{100, 900, []string{">1100<", ">550<", ">0<"}},
	} {
		w := newWorld(t).loggedIn(account.Member)
		for _, count := range []int{tt.from, tt.to} {
			w.keepPage(meta.PageData{FollowersCount: count})
			w.Now = w.Now.Add(24 * time.Hour)
		}
		body := w.get("/konto/integracje").Body.String()
		for _, tick := range tt.ticks {
			if !strings.Contains(body, `class="chart-axis"`) || !strings.Contains(body, tick) {
				t.Errorf("%d to %d: no %s", tt.from, tt.to, tick)
			}
		}
	}
}

// TestChanges: a figure is shown with what it was four weeks before, or a week; where the
// history is too short, with nothing.
func TestChanges(t *testing.T) {
	w := newWorld(t).loggedIn(account.Member)
	for _, count := range []int{5000, 5100, 5090} {
		w.keepPage(meta.PageData{FollowersCount: count})
		w.get("/konto/integracje").shows(200, "Obserwujący "+strconv.Itoa(count))
		w.Now = w.Now.Add(20 * 24 * time.Hour)
	}
	a := w.get("/konto/integracje").shows(200, "5090 +90 od 21 listopada 2026", "Przerywana kreska: przerwa w danych.")
	if n := strings.Count(a.Body.String(), "chart-break"); n != 2 {
		t.Errorf("%d breaks, want one for each pause", n)
	}
	days := map[string]any{}
	for day := range 14 {
		days[now.AddDate(0, 0, day-14).Format(time.DateOnly)] = float64(100 + 10*(day/7))
	}
	w.keepPhotos(meta.PhotoData{Insights: map[string]any{"reach": days, "views": 70.0}})
	w.get("/konto/integracje").shows(200, "Zasięg dzienny, średnio w tygodniu 110 +10 wobec tygodnia wcześniej", "Wyświetlenia 70")
	delete(days, now.AddDate(0, 0, -3).Format(time.DateOnly))
	w.keepPhotos(meta.PhotoData{Insights: map[string]any{"reach": days}})
	w.get("/konto/integracje").lacks("średnio w tygodniu")
}

func TestPerformance(t *testing.T) {
	const path, offer = "/konto/integracje/statystyki/profil", "Odśwież statystyki : Statystyki Profilu Firmy w Google"
	w := newWorld(t).loggedIn(account.Member)
	c := connection.Connection{Pair: directorytest.ProfilePair, AccessToken: w.Search.Token.AccessToken, RefreshToken: "r"}
	w.Connect(c)
	w.get("/konto/integracje").lacks("Statystyki Profilu Firmy")
	w.post(path, "").leadsTo("/konto/integracje", "no_location")
	c.Chosen, c.AccountID = connection.ChosenLocation, "locations/1"
	w.Connect(c)
	w.get("/konto/integracje").shows(200, offer, "Statystyk jeszcze nie pobrano.")
	w.post(path, "").leadsTo("/konto/integracje", "performance_synced")
	w.get("/konto/integracje").shows(200, "Wyświetlenia 100", "Kliknięcia w numer telefonu 2", "Prośby o trasę 4", "Kliknięcia w adres strony 5", "Rezerwacje 3",
		"Liczby obejmują dni od 2026-11-16 do 2026-11-17.", "17 listopada 2026: 60", "(10.2026)", "piekarnia 85", "chleb mniej niż 15")
	w.Search.Fail["ReadPerformance"] = provider.Gone(nil)
	w.post(path, "").leadsTo("/konto/integracje", "no_figures")
	w.get("/konto/integracje").shows(200, "Google nie udostępnia statystyk wybranej lokalizacji.")
	w.Search.Fail, w.Search.Performed = nil, google.Performance{}
	w.post(path, "").leadsTo("/konto/integracje", "performance_synced")
	w.get("/konto/integracje").shows(200, "Wyświetlenia 0")
}

func TestAnalytics(t *testing.T) {
	const path = "/konto/integracje/statystyki/wyszukiwarka"
	w := newWorld(t).loggedIn(account.Member)
	w.get("/konto/integracje").lacks("Odśwież statystyki : Statystyki wyszukiwarki")
	w.post(path, "").leadsTo("/konto/integracje", "no_connection")
	w.Connect(connection.Connection{Pair: directorytest.AnalyticsPair, AccessToken: w.Search.Token.AccessToken, RefreshToken: "r"})
	w.get("/konto/integracje").shows(200, "Odśwież statystyki : Statystyki wyszukiwarki", "Statystyk jeszcze nie pobrano.")
	for range 2 {
		w.post(path, "").leadsTo("/konto/integracje", "analytics_synced")
		w.Now = w.Now.Add(24 * time.Hour)
	}
	a := w.get("/konto/integracje").shows(200, "piekarnia.example", "Kliknięcia 4 Kliknięcia w czasie", "Wyświetlenia 400", "Współczynnik kliknięć 1,0 %",
		"Średnia pozycja 7,0", "chleb na zakwasie", "2,5", "Dane od 2026-10-22 do 2026-11-18", "18 listopada 2026: 300")
	if n := strings.Count(a.Body.String(), `class="chart over-time"`); n != 3 {
		t.Errorf("%d charts, want clicks and impressions by the day, and clicks by the reading", n)
	}
	w.Search.Sites = []string{"https://inna.example/"}
	w.post(path, "").leadsTo("/konto/integracje", "no_site")
	w.get("/konto/integracje").shows(200, "nie ma zweryfikowanej witryny")
}
