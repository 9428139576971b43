package erasure_test

import (
	"context"
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

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
)

// TestDeauthorize checks that the connections that the person granted end with a reason, that those of another
// person stay, and that a repeated request does not end what was granted after it.
func TestDeauthorize(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, _ databasetest.Database) {
		other := personal(a)
		namesake := a.Save(connection.Connection{ // the same number at another provider
			CompanyID: other.CompanyID, Pair: provider.AnalyticsPair, AccessToken: "a", ProviderUserID: annaID,
		})
		request := signed(annaID, a.Clock.Now())
		apptest.WantCode(t, a.Erasures.Deauthorize(t.Context(), "req-9", provider.Social, request), none)
		for _, p := range []provider.Pair{provider.PagesPair, provider.PhotosPair} {
			c := a.Connection(p)
			if c.Active {
				t.Errorf("%s is still active", p)
			}
			if c.AccessToken+c.UserAccessToken != "" {
				t.Errorf("%s still has the tokens %q and %q", p, c.AccessToken, c.UserAccessToken)
			}
			if !strings.Contains(c.ReconnectReason, "cofnął") {
				t.Errorf("%s: the reason %q does not say that access was withdrawn", p, c.ReconnectReason)
			}
		}
		if !find(a, other).Active {
			t.Error("the connection of another person ended")
		}
		if !find(a, namesake).Active {
			t.Error("the connection of the same number at another provider ended")
		}
		a.Clock.Pass(time.Hour)
		a.Browser(a.Anna).Connect(provider.PagesPair, "anna")
		apptest.WantCode(t, a.Erasures.Deauthorize(t.Context(), "", provider.Social, request), none)
		if !a.Connection(provider.PagesPair).Active {
			t.Error("a repeated request ended what was granted after it")
		}
		a.WantTrail("connect", "connect", "select_page", "deauthorize", "deauthorize", "connect")
	})
}

// TestDeleteData checks that nothing of the person stays, neither in connections that ended before nor in what was
// read through them, and that a repeated request is the same deletion and keeps what was granted after it.
func TestDeleteData(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, db databasetest.Database) {
		other := personal(a)
		reading := statistics.Reading[struct{}]{CompanyID: other.CompanyID, Service: provider.SocialPages,
			Data: &struct{}{}, SyncedAt: a.Clock.Now()}
		apptest.WantCode(t, statistics.Save(t.Context(), a.DB, reading), none)
		err := a.Connections.Disconnect(t.Context(), apptest.Actor(a.Anna), provider.PhotosPair)
		apptest.WantCode(t, err, none)
		request, asked := signed(annaID, a.Clock.Now()), a.Clock.Now()
		a.Clock.Pass(time.Minute)
		first, address, err := a.Erasures.DeleteData(t.Context(), "req-9", provider.Social, request)
		apptest.WantCode(t, err, none)
		if len(first.Code) != 32 {
			t.Errorf("code = %q, want 32 characters", first.Code)
		}
		if want := apptest.PublicURL + erasure.DeletionPath + first.Code; address != want {
			t.Errorf("address = %s, want %s", address, want)
		}
		done := a.Clock.Now()
		apptest.WantCode(t, a.Erasures.CarryOut(t.Context()), none)
		for _, marker := range []string{annaID, "Anna Kowalska", "Piekarnia Kowalski"} {
			query := "SELECT id FROM oauth_tokens WHERE provider_user_id || account_id || account_name || " +
				"CAST(metadata_json AS TEXT) LIKE '%" + marker + "%'"
			if rows := db.Query(t, query); len(rows) > 0 {
				t.Errorf("%q is still in the connections %q", marker, rows)
			}
		}
		for table, want := range map[string]int{
			"social_statistics": 1, "social_statistics_history": 1, "social_media_configs": 0,
			"audit_trail WHERE action = 'select_page' AND detail <> ''": 0,
			"audit_trail WHERE action = 'erase' AND actor = 'provider_social' AND request_id = 'req-9' AND " +
				fmt.Sprint("about_user_id = ", a.Anna.ID): 2,
		} {
			if rows := db.Query(t, "SELECT company_id FROM "+table); len(rows) != want {
				t.Errorf("%s: %v, want %d rows", table, rows, want)
			}
		}
		wantErased(a, 1)
		a.Clock.Pass(time.Hour)
		a.Browser(a.Anna).Connect(provider.PagesPair, "anna")
		again, _, err := a.Erasures.DeleteData(t.Context(), "", provider.Social, request)
		apptest.WantCode(t, err, none)
		apptest.WantCode(t, a.Erasures.CarryOut(t.Context()), none)
		want := erasure.Deletion{Code: first.Code, RequestedAt: asked, DeletedAt: &done}
		if diff := cmp.Diff(want, again); diff != "" {
			t.Errorf("repeated request (-want +got):\n%s", diff)
		}
		if c := a.Connection(provider.PagesPair); !c.Active || c.ProviderUserID != annaID {
			t.Errorf("granted later: active = %t, person = %q, want them kept", c.Active, c.ProviderUserID)
		}
	})
}

func TestDeleteDataOfAPersonWithoutARow(t *testing.T) {
	a := apptest.New(t)
	_, _, err := a.Erasures.DeleteData(t.Context(), "", provider.Social, signed(annaID, a.Clock.Now().Add(time.Hour)))
	apptest.WantCode(t, err, none)
	apptest.WantCode(t, a.Erasures.CarryOut(t.Context()), none)
	wantErased(a, 1)
	personal(a) // as in the backup
	_, err = a.Erasures.Replay(t.Context(), commandLine)
	apptest.WantCode(t, err, none)
	if a.Connection(provider.PagesPair).Active {
		t.Error("the connection from the backup is still active after a replay")
	}
}

func TestDeleteDataIsConfirmedFirst(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, db databasetest.Database) {
		personal(a)
		release := func() {}
		if db.Name == "postgres" {
			tx, err := db.Raw(t).BeginTx(t.Context(), nil)
			apptest.WantCode(t, err, none)
			_, err = tx.Exec("LOCK TABLE oauth_tokens IN ACCESS EXCLUSIVE MODE")
			apptest.WantCode(t, err, none)
			release = func() { _ = tx.Rollback() }
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		request := signed(annaID, a.Clock.Now().Add(time.Second))
		d, _, err := withLog(a, nil).DeleteData(ctx, "req-9", provider.Social, request)
		apptest.WantCode(t, err, none)
		apptest.WantCode(t, withLog(a, nil).CarryOut(ctx), erasure.CodeNoErasureLog)
		if err := withLog(a, newLog(t.TempDir())).CarryOut(ctx); err == nil { // a folder
			t.Error("carried out without a line in the log")
		}
		release()
		pending, err := a.Erasures.Deletion(ctx, d.Code)
		apptest.WantCode(t, err, none)
		if pending.DeletedAt != nil {
			t.Errorf("the deletion is shown as done at %s before it was carried out", pending.DeletedAt)
		}
		if !a.Connection(provider.PagesPair).Active {
			t.Error("the connection ended although the log could not be written")
		}
		a.Work()
		done, err := a.Erasures.Deletion(ctx, d.Code)
		apptest.WantCode(t, err, none)
		if done.DeletedAt == nil {
			t.Error("the deletion is not shown as done after its job")
		}
		if a.Connection(provider.PagesPair).Active {
			t.Error("the connection is still active after the job of the deletion")
		}
		_, err = a.Erasures.Deletion(ctx, "0123")
		apptest.WantCode(t, err, erasure.CodeNoDeletion)
	})
}

func TestDeleteDataDoesNotWaitForThePurge(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, db databasetest.Database) {
		personal(a)
		statement := "LOCK TABLE companies IN SHARE UPDATE EXCLUSIVE MODE"
		if db.Name == "sqlite" {
			execute(a, "PRAGMA busy_timeout = 10")
			statement = "SELECT count(*) FROM companies"
		}
		other, err := db.Raw(t).BeginTx(t.Context(), nil)
		apptest.WantCode(t, err, none)
		_, err = other.Exec(statement)
		apptest.WantCode(t, err, none)
		_, _, err = a.Erasures.DeleteData(t.Context(), "", provider.Social, signed(annaID, a.Clock.Now()))
		apptest.WantCode(t, err, none)
		apptest.WantCode(t, a.Erasures.CarryOut(t.Context()), none)
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		if purged, err := a.Erasures.Purge(short); purged || err == nil {
			t.Errorf("while another process reads: purged = %t, err = %v, want an error", purged, err)
		}
		apptest.WantCode(t, other.Rollback(), none)
		for _, want := range []bool{true, false} {
			purged, err := a.Erasures.Purge(t.Context())
			apptest.WantCode(t, err, none)
			if purged != want {
				t.Errorf("afterwards: purged = %t, want %t", purged, want)
			}
		}
		if db.Name == "sqlite" {
			wantAbsent(t, db.URL, "Anna Kowalska")
		}
	})
}

func TestDeleteDataForgetsRevocations(t *testing.T) {
	a := apptest.New(t)
	other := personal(a)
	end := func(companyID int64) {
		t.Helper()
		actor := apptest.Actor(a.Anna)
		actor.User.CompanyID, actor.User.Role = &companyID, account.Admin
		apptest.WantCode(t, a.Connections.Disconnect(t.Context(), actor, provider.PagesPair), none)
	}
	end(a.Company.ID)
	end(other.CompanyID)
	request := signed(annaID, a.Clock.Now())
	a.Clock.Pass(time.Hour)
	a.Browser(a.Anna).Connect(provider.PagesPair, "anna")
	end(a.Company.ID)
	_, _, err := a.Erasures.DeleteData(t.Context(), "", provider.Social, request)
	apptest.WantCode(t, err, none)
	apptest.WantCode(t, a.Erasures.CarryOut(t.Context()), none)
	n, _, err := a.Store.PendingRevocations(t.Context(), provider.Social)
	apptest.WantCode(t, err, none)
	if n != 2 { // of the other person, and of what was granted after the request
		t.Errorf("%d revocations are pending, want 2", n)
	}
}

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
		test(t, apptest.New(t, apptest.On(db.URL)), db)
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.T.Errorf("the log cannot be read: %v", err)
	}
	if len(all) != want {
		a.T.Errorf("%d erasures in the log, want %d", len(all), want)
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
			t.Errorf("%s still holds %q", file, text)
		}
	}
}
