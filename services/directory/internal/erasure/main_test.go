package erasure_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	annaID = "1022000000100001" // at Meta
	bakery = "105600000010001"  // a page of Anna
)

// none is the code of no fault.
var none fault.Code

var commandLine = account.Actor{Name: "command line", RequestID: "req-9"}

// onEachDatabase runs a test with the service on each database.
func onEachDatabase(t *testing.T, test func(t *testing.T, a *apptest.App, db databasetest.Database)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		test(t, apptest.New(t, apptest.On(db.URL)),
			db)
	})
}

// signed returns a request of a person as Meta signs it.
func signed(personID string, at time.Time) string {
	payload := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil,
		`{"algorithm":"HMAC-SHA256","issued_at":%d,"user_id":%q}`, at.Unix(), personID))
	mac := hmac.New(sha256.New, []byte(apptest.ClientSecret))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + payload
}

// personal connects what Anna has at Meta, with a page that is published to and read, and a page of another person.
func personal(a *apptest.App) (other connection.Connection) {
	a.T.Helper()
	anna := a.Browser(a.Anna)
	anna.Connect(provider.PhotosPair, "anna")
	anna.Connect(provider.PagesPair, "anna")
	anna.Post("/api/oauth/provider_social/select-page", apptest.Body{"company_id": a.Company.ID, "page_id": bakery}).
		Want(200)
	return a.Save(connection.Connection{
		CompanyID: a.AddCompany("cukiernia").ID, Pair: provider.PagesPair, AccessToken: "other", ProviderUserID: "2",
	})
}

func find(a *apptest.App, c connection.Connection) connection.Connection {
	a.T.Helper()
	found, err := a.Store.Find(a.T.Context(), c.CompanyID, c.Pair)
	apptest.WantCode(a.T, err, none)
	return found
}

func execute(a *apptest.App, statement string) {
	a.T.Helper()
	if err := a.DB.Write(a.T.Context()).Exec(statement).Error; err != nil {
		a.T.Fatal(err)
	}
}

// wantErased checks how many erasures are in the log.
func wantErased(a *apptest.App, want int) {
	a.T.Helper()
	all, err := a.Erasures.Erased.All()
	if err != nil && !errors.Is(err, fs.ErrNotExist) || len(all) != want {
		a.T.Errorf("%d erasures in the log, %v, want %d", len(all), err, want)
	}
}

// withLog returns the service with another log; nil is none.
func withLog(a *apptest.App, log *erasure.Log) *erasure.Service {
	options := a.Erasures.Options
	options.Erased = log
	return erasure.New(options)
}

// wantAbsent checks that no file of an SQLite database holds a text.
func wantAbsent(t *testing.T, url, text string) {
	t.Helper()
	path := strings.TrimPrefix(url, "sqlite:")
	for _, file := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if strings.Contains(string(content), text) {
			t.Errorf("%s holds %q", file, text)
		}
	}
}
