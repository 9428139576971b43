package connection_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/provider"
)

// stateOf returns the state of a service as the API shows it: progress, what was read,
// and the act.
func stateOf(b *apptest.Browser, p provider.Pair) string {
	services := b.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	state := services[p.String()].(apptest.Body)["state"].(apptest.Body)
	return fmt.Sprint(state["progress"], " ", state["of"], " ", state["act"])
}

// TestServiceState: the status says of each service whether it has been read, and what
// mends it if it cannot be.
func TestServiceState(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	company := apptest.Body{"company_id": a.Company.ID}
	var got []string
	note := func(p provider.Pair) { got = append(got, stateOf(anna, p)) }
	sync := func(what string) { anna.Post("/api/oauth/"+what, company) }

	note(provider.AnalyticsPair)
	anna.Connect(provider.AnalyticsPair, "anna")
	note(provider.AnalyticsPair)
	a.Google.SetReply("GET /webmasters/v3/sites", fake.Reply{Body: `{}`})
	sync("provider_search/sync-analytics")
	note(provider.AnalyticsPair)
	a.Google.Reset()
	anna.Connect(provider.AnalyticsPair, "anna")
	sync("provider_search/sync-analytics")
	note(provider.AnalyticsPair)

	anna.Connect(provider.PagesPair, "anna")
	note(provider.PagesPair)
	page := apptest.Body{"company_id": a.Company.ID, "page_id": "105600000010001"}
	anna.Post("/api/oauth/provider_social/select-page", page).Want(http.StatusOK)
	note(provider.PagesPair)
	a.Meta.SetReply("GET /v25.0/105600000010001", fake.Reply{
		Status: 400, Body: `{"error":{"message":"(#10) The user is not an Instagram Business","code":10}}`,
	})
	sync("provider_social/sync-instagram")
	note(provider.PhotosPair)

	want := []string{
		"not_connected <nil> connect", "reading <nil> <nil>", "failed <nil> add_property",
		"read https://piekarnia-kowalski.example/ <nil>",
		"failed <nil> choose_page", "read Piekarnia Kowalski <nil>", "failed <nil> mend_account",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
