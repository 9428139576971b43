package web_test

import (
	"regexp"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

const hooksPath = "/konto/integracje/powiadomienia"

var secret = regexp.MustCompile(`whsec_[A-Za-z0-9+/&#;]{43}`)

func TestWebhookPages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.get("/konto/integracje").shows(200, "Powiadomienia", "Nowy adres (https)").lacks("Wyślij próbę")
	a := w.post(hooksPath, values("adres", " https://hook.example/a ")).shows(200, "https://hook.example/a", "nie pokażemy go ponownie")
	first := secret.FindString(a.Body.String())
	if first == "" || a.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("secret %q, headers %v", first, a.Header())
	}
	a = w.get("/konto/integracje").shows(200, "https://hook.example/a", "Włączony", "Nic jeszcze nie wysłano.", "Wyślij próbę")
	if secret.MatchString(a.Body.String()) {
		t.Error("the secret is shown again")
	}
	w.post(hooksPath+"/1/proba", "").leadsTo("/konto/integracje", "webhook_taken")
	w.Receiver.Status = 503
	w.post(hooksPath+"/1/proba", "").leadsTo("/konto/integracje", "webhook_not_taken")
	w.get("/konto/integracje").shows(200, "Próba nie została dostarczona.", "Próba Nie dostarczono: odbiorca odmówił (503)", "Próba Dostarczono")
	second := secret.FindString(w.post(hooksPath+"/1/klucz", "").shows(200).Body.String())
	if second == "" || second == first {
		t.Errorf("the new secret is %q", second)
	}
	w.post(hooksPath+"/1/usun", "").leadsTo("/konto/integracje", "webhook_removed")
	w.get("/konto/integracje").shows(200, "Adres powiadomień został usunięty.").lacks("hook.example")
}

func TestWebhookFormsAreRefused(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.post(hooksPath, values("adres", "http://hook.example/")).leadsTo("/konto/integracje", "invalid_webhook")
	w.post(hooksPath, values("adres", "https://hook.example/")).shows(200)
	w.post(hooksPath, values("adres", "https://hook.example/")).leadsTo("/konto/integracje", "too_many_webhooks")
	other := w.AddCompany("inna")
	for _, company := range []*int64{&other.ID, nil} {
		if _, err := w.Webhooks.Add(t.Context(), trail.Entry{}, company, "https://hook.example/b"); err != nil {
			t.Fatal(err)
		}
	}
	for _, foreign := range []string{"2", "3", "9", "x", "-1"} {
		for _, form := range []string{"proba", "klucz", "usun"} {
			w.post(hooksPath+"/"+foreign+"/"+form, "").leadsTo("/konto/integracje", "no_webhook")
		}
	}
	w.loggedIn(account.Unaffiliated)
	for _, form := range []string{"", "/1/proba", "/1/klucz", "/1/usun"} {
		w.post(hooksPath+form, values("adres", "https://hook.example/c")).leadsTo("/konto/integracje", "not_allowed")
	}
	w.get("/konto/integracje").shows(200, "https://hook.example/").lacks("Wyślij próbę", "Nowy adres")
	if hooks, err := w.Webhooks.List(t.Context(), nil); err != nil || len(hooks) != 3 || len(w.Receiver.Received()) != 0 {
		t.Errorf("%d webhooks, %v", len(hooks), err)
	}
}

// TestDeliveriesAreShown has each state of an address and of a delivery.
func TestDeliveriesAreShown(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	hook, err := w.Webhooks.Add(t.Context(), trail.Entry{}, &w.Company.ID, "https://hook.example/a")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []webhook.Delivery{
		{Type: connection.EventBroken, State: webhook.Pending},
		{Type: connection.EventRecovered, State: webhook.Pending, Result: webhook.Unreachable},
		{Type: audit.EventCompleted, State: webhook.Parked, Result: webhook.Forbidden},
	} {
		d.WebhookID, d.At, d.NextAt, d.Data = hook.ID, now.Add(-time.Hour), now, "{}"
		if err := w.Store.Write(t.Context()).Create(&d).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Store.Write(t.Context()).Model(&hook).UpdateColumn("disabled", webhook.Failing).Error; err != nil {
		t.Fatal(err)
	}
	w.get("/konto/integracje").shows(200, "Wyłączony: odbiorca od dawna nie odpowiada", "Połączenie wymaga odnowienia Czeka",
		"Połączenie znów działa Czeka: brak odpowiedzi", "Audyt zakończony Nie dostarczono: adres jest wewnętrzny")
}
