package web_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
)

// TestDeletion: the code shows the state of the request, without a login.
func TestDeletion(t *testing.T) {
	w := newWorld(t)
	d := erasure.Deletion{Code: "c0de", RequestedAt: directorytest.Start, DeletedAt: directorytest.Start.Add(time.Minute)}
	if err := w.Erasures.SaveDeletion(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	w.get("/konto/usuniecie-danych/c0de").shows(200, "Dane zostały usunięte 21 listopada 2026, 13:01 .", "zapisanych do 21 listopada 2026, 13:00", "c0de")
}

// TestIntegrationsTellWhoEndedAConnection: the reason stands there although there is no
// connection any more.
func TestIntegrationsTellWhoEndedAConnection(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.connectPage()
	w.Change(directorytest.PagesPair, func(c *connection.Connection) {
		c.Active, c.ReconnectReason = false, "Dostęp aplikacji został usunięty."
	})
	w.get("/konto/integracje").shows(200, "Wymaga ponownego połączenia", "Dostęp aplikacji został usunięty.", "Połącz ponownie : Strona").lacks("Odłącz")
}
