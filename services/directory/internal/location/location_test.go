package location_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// The locations of Anna, and the only one of Marek.
const (
	bakery   = "locations/1002519486895516595"
	branch   = "locations/6223914851933285135"
	workshop = "locations/2113560294302494656"
)

// connected returns a service whose company has connected search_profile as a person.
func connected(t *testing.T, person string, with ...string) (*apptest.App, *apptest.Browser) {
	t.Helper()
	a := apptest.New(t, with...)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, person)
	return a, anna
}

func selectLocation(b *apptest.Browser, name string) *apptest.Response {
	return b.Post("/api/oauth/provider_search/select-location", apptest.Body{"location_name": name})
}

// during does something once while a request whose path contains part is under way.
func during(a *apptest.App, part string, do func()) {
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, part) {
			a.Intercept(nil)
			do()
		}
	})
}

func disconnect(b *apptest.Browser) {
	b.Post("/api/oauth/disconnect/provider_search/search_profile", nil).Want(http.StatusOK)
}

// readChosen reads the chosen location.
func readChosen(ctx context.Context, a *apptest.App) (google.Business, error) {
	c, err := a.Locations.Chosen(ctx, a.Company.ID)
	if err != nil {
		return google.Business{}, err
	}
	return a.Locations.Read(ctx, c)
}

func TestSelectLocation(t *testing.T) {
	a, anna := connected(t, "anna")
	selectLocation(anna, bakery).Want(http.StatusOK)
	first := a.Connection(provider.ProfilePair)
	got := provider.Choice{ID: first.AccountID, Name: first.AccountName, Address: first.AccountAddress,
		PlaceID: first.PlaceID}
	want := provider.Choice{ID: bakery, Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków",
		PlaceID: "ChIJdemo-piekarnia-kowalski"}
	testkit.Equal(t, "choice", first.Chosen, connection.ChosenLocation)
	testkit.Equal(t, "location", got, want)
	b, err := readChosen(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "name of the location that was read", b.Name, want.Name)
	selectLocation(anna, branch).Want(http.StatusOK)
	a.WantTrail("connect", "select_location", "select_location")
	a.Clock.Pass(time.Hour) // a renewal on the way finds the connection as it is now
	_, err = a.Locations.Read(t.Context(), first)
	if !fault.Is(err, connection.CodeConnectionChanged) {
		t.Errorf("reading the former choice: err = %v, want %s", err, connection.CodeConnectionChanged)
	}
}

// Choosing one of many locations does not read their whole list.
func TestAgencySelectsALocation(t *testing.T) {
	a, anna := connected(t, "piotr")
	list, err := a.Locations.Discover(t.Context(), apptest.Actor(a.Anna))
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Items) <= 100 {
		t.Fatalf("%d locations, want more than one page of 100", len(list.Items))
	}
	before := len(a.Google.Requests())
	last := list.Items[len(list.Items)-1]
	selectLocation(anna, last.Name).Want(http.StatusOK)
	if n := len(a.Google.Requests()) - before; n > 5 {
		t.Errorf("%d requests to choose one of %d locations, want 5 at most", n, len(list.Items))
	}
}

func TestSelectLocationRefused(t *testing.T) {
	stranger := func(a *apptest.App) *apptest.Browser { return a.Browser(a.AddUser("ewa", account.Manager, nil)) }
	for name, test := range map[string]struct {
		name   string // of the location
		before func(*apptest.App, *apptest.Browser)
		by     func(*apptest.App) *apptest.Browser // nil: Anna
		status int
		text   string
	}{
		"of another person": {workshop, nil, nil, http.StatusNotFound, location.CodeNotFound.Text},
		"no name":           {"accounts/1", nil, nil, http.StatusNotFound, location.CodeNotFound.Text},
		"API not admitted": {bakery, func(a *apptest.App, _ *apptest.Browser) {
			a.Google.SetReply("GET /v1/"+bakery, fake.Reply{Status: 403,
				Body: `{"error":{"status":"PERMISSION_DENIED","errors":[{"reason":"accessNotConfigured"}]}}`})
		}, nil, http.StatusServiceUnavailable, location.CodeUnavailable.Text},
		"user without a company": {bakery, nil, stranger, http.StatusForbidden, account.CodeNoCompany.Text},
		"not connected": {bakery, func(_ *apptest.App, b *apptest.Browser) { disconnect(b) }, nil,
			http.StatusNotFound, connection.CodeNoConnection.Text},
		"ended meanwhile": {bakery, func(a *apptest.App, b *apptest.Browser) {
			during(a, bakery, func() { disconnect(b) })
		}, nil, http.StatusNotFound, connection.CodeNoConnection.Text},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, anna := connected(t, "anna")
			if test.before != nil {
				test.before(a, anna)
			}
			browser := anna
			if test.by != nil {
				browser = test.by(a)
			}
			selectLocation(browser, test.name).WantError(test.status, test.text)
			testkit.Equal(t, "choice", a.Connection(provider.ProfilePair).Chosen, connection.ChosenNothing)
		})
	}
}

func TestSelectLocationWhileAnotherReconnects(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a, anna := connected(t, "anna", apptest.On(db.URL))
		ewa := a.Browser(a.AddUser("ewa", account.Manager, &a.Company))
		during(a, bakery, func() { ewa.Connect(provider.ProfilePair, "marek") })
		selectLocation(anna, bakery).WantError(http.StatusNotFound, location.CodeNotFound.Text)
		c := a.Connection(provider.ProfilePair)
		testkit.Equal(t, "owner of the connection", c.OwnerName, "Marek Nowak")
		testkit.Equal(t, "choice", c.Chosen, connection.ChosenNothing)
	})
}

func TestOnlyLocationIsChosen(t *testing.T) {
	choose := func(name string) func(*connection.Connection) {
		return func(c *connection.Connection) { c.Choose(connection.ChosenLocation, provider.Choice{ID: name}) }
	}
	for name, test := range map[string]struct {
		person string
		before func(*apptest.App, *apptest.Browser)
		want   string // the chosen location
	}{
		"only one": {"marek", nil, workshop},
		"two":      {"anna", nil, ""},
		"none":     {"tomasz", nil, ""},
		"cut list": {"marek", func(a *apptest.App, _ *apptest.Browser) {
			a.Google.SetReply("GET /v1/accounts",
				fake.Reply{Body: `{"accounts":[{"name":"accounts/830947452929933746648",` +
					`"accountName":"a"},{"name":"accounts/1","accountName":"b"}]}`})
		}, ""},
		"another is chosen": {"marek", func(a *apptest.App, _ *apptest.Browser) {
			a.Change(provider.ProfilePair, choose(bakery))
		}, bakery},
		"choice was lost": {"marek", func(a *apptest.App, _ *apptest.Browser) {
			a.Change(provider.ProfilePair, func(c *connection.Connection) { c.LostChoice = "Cukiernia" })
		}, ""},
		"chosen meanwhile": {"marek", func(a *apptest.App, _ *apptest.Browser) {
			during(a, "/locations", func() { a.Change(provider.ProfilePair, choose(bakery)) })
		}, bakery},
		"connected again meanwhile": {"marek", func(a *apptest.App, b *apptest.Browser) {
			during(a, "/locations", func() { b.Connect(provider.ProfilePair, "anna") })
		}, ""},
		"disconnected meanwhile": {"marek", func(a *apptest.App, b *apptest.Browser) {
			a.Google.SetReply("POST /revoke", fake.Reply{Status: 503}) // the list is read with a token that lives
			during(a, "/locations", func() { disconnect(b) })
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, anna := connected(t, test.person)
			if test.before != nil {
				test.before(a, anna)
			}
			anna.Post("/api/oauth/provider_search/discover-locations", nil).Want(http.StatusOK)
			got := ""
			if c := a.Connection(provider.ProfilePair); c.Chosen == connection.ChosenLocation {
				got = c.AccountID
			}
			testkit.Equal(t, "chosen location", got, test.want)
		})
	}
}

func TestOnlyLocationOfAnotherUser(t *testing.T) {
	a, _ := connected(t, "marek")
	ola := a.Browser(a.AddUser("ola", account.Unaffiliated, &a.Company))
	ola.Post("/api/oauth/provider_search/discover-locations", nil).Want(http.StatusOK)
	testkit.Equal(t, "choice", a.Connection(provider.ProfilePair).Chosen, connection.ChosenNothing)
}

func TestKeep(t *testing.T) {
	a, anna := connected(t, "anna")
	selectLocation(anna, bakery).Want(http.StatusOK)
	first := a.Connection(provider.ProfilePair)
	read := provider.Choice{Name: "Cukiernia", Address: "Kraków", PlaceID: "place-2"}
	// keep stores what was read, and checks which name the connection has then.
	keep := func(when, wantName string) {
		t.Helper()
		if err := a.Locations.Keep(t.Context(), first, read); err != nil {
			t.Fatal(err)
		}
		testkit.Equal(t, when+": name", a.Connection(provider.ProfilePair).AccountName, wantName)
	}
	keep("same location", "Cukiernia")
	c := a.Connection(provider.ProfilePair)
	testkit.Equal(t, "address", c.AccountAddress, "Kraków")
	testkit.Equal(t, "place", c.PlaceID, "place-2")
	selectLocation(anna, branch).Want(http.StatusOK)
	keep("another was chosen", "Piekarnia Kowalski – Podgórze")
	selectLocation(anna, bakery).Want(http.StatusOK)
	disconnect(anna)
	keep("disconnected", "Piekarnia Kowalski")
}

// A refusal marks the connection until the location can be read again.
func TestDeniedLocation(t *testing.T) {
	a, anna := connected(t, "anna")
	selectLocation(anna, bakery).Want(http.StatusOK)
	before := a.Connection(provider.ProfilePair)
	a.Google.SetReply("GET /v1/"+bakery, fake.Reply{Status: 403, Body: `{"error":{"status":"PERMISSION_DENIED"}}`})
	if _, err := readChosen(t.Context(), a); !fault.Is(err, provider.CodePermission) {
		t.Errorf("err = %v, want %s", err, provider.CodePermission)
	}
	want := []provider.Service{provider.SearchProfile}
	testkit.Equal(t, "denied", a.Connection(provider.ProfilePair).Denied, want)
	a.Google.SetReply("GET /v1/"+bakery, fake.Reply{Body: `{"name":"` + bakery + `","title":"Piekarnia",` +
		`"metadata":{"hasVoiceOfMerchant":true}}`})
	if _, err := readChosen(t.Context(), a); err != nil {
		t.Error(err)
	}
	c := a.Connection(provider.ProfilePair)
	testkit.Equal(t, "number of denied services", len(c.Denied), 0)
	testkit.Equal(t, "token", c.AccessToken, before.AccessToken)
}

func TestFailuresAreReported(t *testing.T) {
	a, anna := connected(t, "anna")
	selectLocation(anna, bakery).Want(http.StatusOK)
	ctx, actor := t.Context(), apptest.Actor(a.Anna)
	var c connection.Connection
	a.FailEach([]databasetest.Call{
		{Name: "select", Run: func() error { return databasetest.ErrorOf(a.Locations.Select(ctx, actor, branch)) }},
		{Name: "read", Run: func() error { return databasetest.ErrorOf(readChosen(ctx, a)) }},
		{Name: "keep", Before: func() { c = a.Connection(provider.ProfilePair) }, Run: func() error {
			return a.Locations.Keep(ctx, c, provider.Choice{Name: "Cukiernia", Address: "Kraków"})
		}},
	}...)
}
