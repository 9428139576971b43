package storetest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestNoPlainSecretInTheDatabase(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		fill(t, db.Store)
		dump := fmt.Append(nil, db.Dump(t))
		if path, isFile := strings.CutPrefix(db.URL, "sqlite:"); isFile {
			dump = append(dump, files(t, path)...)
		}
		if !bytes.Contains(dump, []byte(marker)) {
			t.Fatal("the search would not find a thing")
		}
		for _, secret := range secrets {
			if bytes.Contains(dump, []byte(secret)) {
				t.Errorf("%s is in the database", secret)
			}
		}
	})
}

// files reads the SQLite file with its log.
func files(t *testing.T, path string) (content []byte) {
	t.Helper()
	for _, name := range must(filepath.Glob(path + "*"))(t) {
		if info := must(os.Stat(name))(t); !info.IsDir() {
			content = append(content, must(os.ReadFile(name))(t)...)
		}
	}
	if !bytes.Contains(content, []byte(marker)) {
		t.Fatal("the search in the files would not find a thing")
	}
	return content
}

// TestMovedSecrets moves ciphertexts to where they do not belong.
func TestMovedSecrets(t *testing.T) {
	other := "(SELECT %s FROM oauth_tokens WHERE account_name = '" + marker + "')"
	statements := map[string]string{
		"row":           "UPDATE oauth_tokens SET access_token = " + fmt.Sprintf(other, "access_token"),
		"column":        "UPDATE oauth_tokens SET access_token = refresh_token",
		"to metadata":   `UPDATE oauth_tokens SET metadata_json = '{"user_access_token":"' || access_token || '"}'`,
		"from a config": "UPDATE oauth_tokens SET access_token = (SELECT access_token FROM social_media_configs)",
		"a letter": "UPDATE oauth_tokens SET access_token = replace(access_token, substr(access_token, 20, 1), " +
			"CASE substr(access_token, 20, 1) WHEN '+' THEN '/' ELSE '+' END)",
		"plain text": "UPDATE oauth_tokens SET refresh_token = 'plain'",
	}
	if !slices.Contains(secrets, "plain-access") {
		t.Fatal("fill has changed")
	}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx, pool := db.Store, t.Context(), db.Raw(t)
		fill(t, s)
		c := storetest.AddConnection(t, s, "victim", pages)
		for name, statement := range statements {
			if db.Name == "postgres" {
				statement = strings.Replace(statement, "|| '\"}'", "|| '\"}')::json", 1)
				statement = strings.Replace(statement, "'{\"user", "('{\"user", 1)
			}
			execute(t, pool, statement+fmt.Sprintf(" WHERE id = %d", c.ID))
			wantUnread(t, name, must(s.Find(ctx, c.CompanyID, pages))(t))
			ok(t, s.Save(ctx, new(c), nil, storetest.Entry(c, "connect"))) // mends it
		}
		execute(t, pool, "UPDATE social_media_configs SET access_token = (SELECT access_token FROM oauth_tokens WHERE account_name = '"+marker+"')")
		_, err := social.ReadConfig(ctx, s.DB, 1)
		wantUnreadable(t, "configuration", err)
		ok(t, s.Sessions().Insert(ctx, account.Session{IDHash: hash("other"), Values: []byte("values")}))
		execute(t, pool, "UPDATE sessions SET data = (SELECT data FROM sessions WHERE user_id IS NULL)")
		wantFault(t, errorOf(s.Sessions().Find(ctx, hash(sessionID))), fault.NotFound, "no_session")
	})
}

// wantUnread holds c to one without secrets that says why.
func wantUnread(t *testing.T, name string, c connection.Connection) {
	t.Helper()
	if !c.Active || c.AccessToken+c.RefreshToken+c.UserAccessToken != "" || c.ReconnectReason != connection.ReasonUnreadable {
		t.Errorf("%s: %+v", name, c)
	}
}

// TestLostKey: a connection whose key is lost says so and can be ended or made anew;
// nothing else writes over its secrets, which the key may yet open, and the company's
// other connection works.
func TestLostKey(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		fresh, ctx := openWith(t, db.URL, database.GenerateKey()), t.Context()
		ended, renewed := storetest.AddConnection(t, db.Store, "a", pages), storetest.AddConnection(t, db.Store, "b", pages)
		beside := connection.Connection{CompanyID: ended.CompanyID, UserID: ended.UserID, Pair: profile, AccessToken: "beside"}
		ok(t, fresh.Save(ctx, &beside, nil, storetest.Entry(beside, "connect")))

		both := must(fresh.List(ctx, ended.CompanyID))(t)
		if len(both) != 2 || both[0].AccessToken != "beside" {
			t.Fatalf("connections: %+v", both)
		}
		wantUnread(t, "of the lost key", both[1])
		_, err := fresh.Change(ctx, ended.CompanyID, pages, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.AccountName = "renamed"
			return nil, nil
		})
		wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
		requireEqual(t, "when the key is back", ended, must(db.Store.Find(ctx, ended.CompanyID, pages))(t))

		change(t, fresh, ended, func(c *connection.Connection) { c.Active = false })
		if after := must(db.Store.Find(ctx, ended.CompanyID, pages))(t); after.Active || after.AccessToken+after.UserAccessToken != "" {
			t.Errorf("ended: %+v", after)
		}
		again := connection.Connection{CompanyID: renewed.CompanyID, UserID: renewed.UserID, Pair: pages, AccessToken: "new"}
		ok(t, fresh.Save(ctx, &again, nil, storetest.Entry(again, "connect")))
		if again.AccessToken != "new" || again.RefreshToken != "" || again.ReconnectReason != "" {
			t.Errorf("connected again: %+v", again)
		}
	})
}

func wantUnreadable(t *testing.T, name string, err error) {
	t.Helper()
	if f := fault.From(err); err == nil || f.Kind != fault.Internal || f.Code != "secret_unreadable" {
		t.Errorf("%s: error %v", name, err)
	}
}

func openWith(t *testing.T, url, keys string) *storetest.Store {
	t.Helper()
	s := must(database.Open(t.Context(), url, must(database.ParseKeys(keys))(t)))(t)
	t.Cleanup(func() { ok(t, s.Close()) })
	return storetest.New(s)
}
