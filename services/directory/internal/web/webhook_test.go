package web_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

const (
	developerPath = "/konto/deweloper"
	hooksPath     = "/konto/deweloper/powiadomienia"
)

var secret = regexp.MustCompile(`whsec_[A-Za-z0-9+/&#;]{43}`)

func TestWebhookPages(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	w.get(developerPath).shows(200, "Powiadomimy Twój system (webhook)").lacks("Wyślij testowe")
	a := w.post(hooksPath, values("adres", " https://hook.example/a ")).shows(200, "https://hook.example/a", "nie pokażemy go ponownie")
	first := secret.FindString(a.Body.String())
	if first == "" || a.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("secret %q, headers %v", first, a.Header())
	}
	a = w.get(developerPath).shows(200, "https://hook.example/a", "Włączony", "Nic jeszcze nie wysłaliśmy.", "Wyślij testowe powiadomienie", "Tak, utwórz nowy klucz")
	if secret.MatchString(a.Body.String()) {
		t.Error("the secret is shown again")
	}
	w.post(hooksPath+"/1/proba", "").leadsTo(developerPath+"#adres-1", "webhook_taken#adres-1")
	w.Receiver.Status = 503
	w.post(hooksPath+"/1/proba", "").leadsTo(developerPath+"#adres-1", "webhook_not_taken#adres-1")
	w.get(developerPath).shows(200, "Testowe powiadomienie nie dotarło.", "Nie dostarczono: odbiorca odpowiedział błędem (503) 0 ms 1", `"type": "webhook.test"`)
	second := secret.FindString(w.post(hooksPath+"/1/klucz", "").shows(200).Body.String())
	if second == "" || second == first {
		t.Errorf("the new secret is %q", second)
	}
	w.post(hooksPath+"/1/usun", "").leadsTo(developerPath, "webhook_removed")
	w.get(developerPath).shows(200, "Adres powiadomień został usunięty.").lacks("hook.example")
}

func TestWebhookFormsAreRefused(t *testing.T) {
	w := newWorld(t).loggedIn(account.Manager)
	a := w.post(hooksPath, values("adres", "http://hook.example/<x>")).shows(422, "Podaj publiczny adres https")
	if !strings.Contains(a.Body.String(), `value="http://hook.example/&lt;x&gt;" required maxlength="1000" placeholder="https://" aria-invalid="true"`) {
		t.Error("the refused address is lost")
	}
	w.post(hooksPath, values("adres", "https://hook.example/")).shows(200)
	w.post(hooksPath, values("adres", "https://hook.example/")).shows(422, "Ten adres jest już na liście")
	other := w.AddCompany("inna")
	for _, company := range []*int64{&other.ID, nil} {
		if _, err := w.Webhooks.Add(t.Context(), trail.Entry{}, company, "https://hook.example/b"); err != nil {
			t.Fatal(err)
		}
	}
	for _, foreign := range []string{"2", "3", "9", "x", "-1"} {
		for _, form := range []string{"proba", "ponow", "klucz", "usun"} {
			w.post(hooksPath+"/"+foreign+"/"+form, "").leadsTo(developerPath, "no_webhook")
		}
	}
	w.loggedIn(account.Unaffiliated)
	for _, form := range []string{"", "/1/proba", "/1/klucz", "/1/usun"} {
		w.post(hooksPath+form, values("adres", "https://hook.example/c")).leadsTo(developerPath, "not_allowed")
	}
	w.get(developerPath).shows(200, "https://hook.example/").lacks("Wyślij testowe", "Dodaj adres")
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
	for i, d := range []webhook.Delivery{
		{Type: connection.EventBroken, State: webhook.Pending},
		{Type: connection.EventRecovered, State: webhook.Pending, Result: webhook.Unreachable},
		{Type: audit.EventCompleted, State: webhook.Parked, Result: webhook.Forbidden},
	} {
		d.EventID, d.WebhookID, d.At, d.NextAt, d.Data = "msg_"+strconv.Itoa(i), hook.ID, now.Add(-time.Hour), now, "{}"
		if err := w.Store.Write(t.Context()).Create(&d).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Store.Write(t.Context()).Model(&hook).UpdateColumn("disabled", webhook.Failing).Error; err != nil {
		t.Fatal(err)
	}
	w.get(developerPath).shows(200, "Wyłączony: odbiorca od dawna nie odpowiada", "Połączenie wymaga odnowienia", "Czeka – 0",
		"Połączenie znów działa", "Czeka: połączenie zostało przerwane", "Audyt zakończony", "Nie dostarczono: adres jest wewnętrzny", "Wyślij ponownie : Audyt zakończony")
	w.post(hooksPath+"/1/ponow", "zdarzenie=msg_2").leadsTo(developerPath+"#adres-1", "webhook_disabled#adres-1")
	if err := w.Store.Write(t.Context()).Model(&hook).UpdateColumn("disabled", "").Error; err != nil {
		t.Fatal(err)
	}
	w.post(hooksPath+"/1/ponow", "").leadsTo(developerPath+"#adres-1", "webhook_waiting#adres-1") // of no event
	w.post(hooksPath+"/1/ponow", "zdarzenie=msg_2").leadsTo(developerPath+"#adres-1", "webhook_resent#adres-1")
	w.post(hooksPath+"/1/ponow", "zdarzenie=msg_2").leadsTo(developerPath+"#adres-1", "webhook_waiting#adres-1")
	w.get(developerPath).shows(200, "To powiadomienie już czeka na wysłanie.").lacks("Wyślij ponownie", "autofocus")
}
