package web_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
)

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
