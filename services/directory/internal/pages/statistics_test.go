package pages_test

import (
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
)

func TestStatistics(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	w.chosenPage()
	a := w.get("/konto/integracje").shows(200,
		"Obserwujący 5136", "Polubienia strony 4931", "Odsłony strony 110", "Dostawca nie podaje już: Wyświetlenia treści, gone_metric.",
		"@piekarnia", "Obserwujący 12 345", "Publikacje 81", "Zaangażowanie 1,98 %", "Polubienia 2150",
		"Zasięg dzienny", "19 listopada 2026: 700; 20 listopada 2026: 950", "Wpis A", "Wpis B", "ukryte", "Wpis E",
		"Odśwież statystyki : Konto w serwisie ze zdjęciami").lacks("Wpis F", "unheard_of", "pojawi się po drugim odczycie")
	if n := strings.Count(a.Body.String(), `class="chart over-time"`); n != 3 {
		t.Errorf("%d charts, want followers of both and the reach", n)
	}
	w.past = w.past[:1]
	w.get("/konto/integracje").shows(200, "Wykres obserwujących pojawi się po drugim odczycie.")
	w.page, w.photos = nil, nil
	w.get("/konto/integracje").shows(200, "Statystyk jeszcze nie pobrano.")
}

// TestStatisticsAfterTheConnection: what was read stays, but nothing new comes.
func TestStatisticsAfterTheConnection(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	w.chosenPage()
	w.status["provider_social/social_pages"] = directory.ServiceStatus{}
	w.get("/konto/integracje").shows(200, "Obserwujący 5136").lacks("Odśwież statystyki")
}

// TestAxis: the ends are round, and hold every value with room around it.
func TestAxis(t *testing.T) {
	w := newWorld(t).as(directory.Member)
	for _, tt := range []struct {
		from, to int
		ticks    []string
	}{
		{0, 0, []string{">10<", ">5<", ">0<"}},
		{5000, 5136, []string{">5300<", ">5050<", ">4800<"}},
		{100, 900, []string{">1100<", ">550<", ">0<"}},
	} {
		w.chosenPage()
		w.past[0].Count, w.past[1].Count = tt.from, tt.to
		body := w.get("/konto/integracje").Body.String()
		for _, tick := range tt.ticks {
			if !strings.Contains(body, `class="chart-axis"`) || !strings.Contains(body, tick) {
				t.Errorf("%d to %d: no %s", tt.from, tt.to, tick)
			}
		}
	}
}
