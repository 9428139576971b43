package web_test

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"backend.example/services/directory/internal/apptest"
)

// TestWebhookPages checks the life of an address: its secret is shown once, a test says
// whether it arrived, and addresses of others are out of reach.
func TestWebhookPages(t *testing.T) {
	const path = "/konto/deweloper/powiadomienia"
	secret := regexp.MustCompile(`whsec_[\w+/=]+`)
	status := http.StatusOK
	receiver := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }),
	)
	t.Cleanup(receiver.Close)
	a, anna := pages(t)
	shows(t, anna.Submit(path, form("adres", "to nie adres")).Want(http.StatusUnprocessableEntity), "to nie adres")
	added := anna.Submit(path, form("adres", receiver.URL)).Want(http.StatusOK)
	shows(t, added, "nie pokażemy go ponownie")
	if first := secret.FindString(added.Body.String()); first == "" {
		t.Error("the secret is not shown")
	}
	if page := anna.Get("/konto/deweloper").Want(http.StatusOK); secret.MatchString(page.Body.String()) {
		t.Error("the secret is shown again")
	}
	leadsTo(t, anna.Submit(path+"/1/proba", nil), "/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie zostało dostarczone.")
	status = http.StatusServiceUnavailable
	leadsTo(t, anna.Submit(path+"/1/proba", nil), "/konto/deweloper#adres-1")
	shows(t, anna.Get("/konto/deweloper"), "Testowe powiadomienie nie dotarło.")
	other := a.AddCompany("inna")
	if _, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &other.ID,
		"https://inna.example/"); err != nil {
		t.Fatal(err)
	}
	leadsTo(t, anna.Submit(path+"/2/usun", nil), "/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Nie ma takiego adresu")
	leadsTo(t, anna.Submit(path+"/1/usun", nil), "/konto/deweloper")
	shows(t, anna.Get("/konto/deweloper"), "Adres powiadomień został usunięty.")
}
