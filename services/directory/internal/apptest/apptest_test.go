package apptest_test

import (
	"net/http"
	"testing"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/provider"
)

// TestConnect is the example of the package.
func TestConnect(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.PagesPair, "anna")
	anna.Connect(provider.ProfilePair, "anna")
	pages := anna.Post("/api/oauth/provider_social/discover-pages", apptest.Body{"company_id": a.Company.ID}).
		Want(http.StatusOK)
	if list, _ := pages.JSON()["pages"].([]any); len(list) == 0 {
		t.Errorf("Anna's pages are not listed: %s", pages.Body)
	}
	a.WantTrail("connect", "connect")
}

func TestLogin(t *testing.T) {
	a := apptest.New(t)
	visitor := a.Visitor()
	visitor.Post("/api/auth/login", apptest.Body{"email": a.Anna.Email, "password": apptest.Password}).
		Want(http.StatusOK)
	visitor.Get("/api/auth/me").Want(http.StatusOK)
}
