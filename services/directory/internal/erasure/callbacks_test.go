package erasure_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// personal connects the services of a person at the provider, with a page that is
// published to, and one of another person.
func personal(s *directorytest.Service) (other company.Company) {
	s.T.Helper()
	s.Social.AccountID, s.Social.Name = "osoba-1", "Anna Kowalska"
	reconnect(s, photosPair)
	reconnect(s, pagesPair)
	if err := s.ChoosePage("104118"); err != nil {
		s.T.Fatal(err)
	}
	other = s.AddCompany("cukiernia")
	s.Connect(connection.Connection{CompanyID: other.ID, Pair: pagesPair, AccessToken: "of another",
		ProviderUserID: "osoba-2"})
	return other
}

// reconnect connects p as anna.
func reconnect(s *directorytest.Service, p provider.Pair) {
	s.T.Helper()
	_, pending, err := s.Connections.Connect(anna(s), p)
	if err != nil {
		s.T.Fatal(err)
	}
	callback := connection.Callback{Provider: p.Provider, Code: "the-code", State: pending.State}
	if _, oauthError := s.Connections.Finish(s.T.Context(), anna(s), pending, callback); oauthError != "" {
		s.T.Fatal(oauthError)
	}
}

func statusOf(s *directorytest.Service, p provider.Pair) connection.ServiceStatus {
	s.T.Helper()
	services, err := s.Connections.Status(s.T.Context(), anna(s))
	if err != nil {
		s.T.Fatal(err)
	}
	return services[p.String()]
}

func askedAt(s *directorytest.Service, after time.Duration) string {
	return directorytest.SignedRequest("osoba-1", s.Now.Add(after))
}

// TestDeauthorize checks, on one of two replicas, that what lives on the person's grant ends
// with a reason, that another person's does not, and that what is granted later stays when
// the request is repeated.
func TestDeauthorize(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Now = s.Now.Add(time.Second / 2) // of the second in which the request is made
		other := personal(s)
		// the same number at another provider
		s.Connect(
			connection.Connection{CompanyID: other.ID, Pair: analyticsPair, AccessToken: "a",
				ProviderUserID: "osoba-1"},
		)
		replica := directorytest.Beside(s, db.URL)
		signed := askedAt(s, 0)
		if err := replica.Erasures.Deauthorize(t.Context(), "req-9", provider.Social, signed); err != nil {
			t.Fatal(err)
		}
		for _, p := range []provider.Pair{pagesPair, photosPair} {
			c := s.Stored(p)
			if c.Active || c.AccessToken+c.UserAccessToken != "" || c.ProviderUserID != "osoba-1" {
				t.Errorf("stored = %+v", c)
			}
			if status := statusOf(s, p); status.Connected || !status.NeedsReconnect ||
				!strings.Contains(status.Reason, "Facebook cofnął nam dostęp.") {
				t.Errorf("status = %+v", status)
			}
		}
		s.WantPublishing("")
		for _, p := range []provider.Pair{pagesPair, analyticsPair} {
			if !s.StoredOf(other.ID, p).Active {
				t.Errorf("another person's connection %s ended", p)
			}
		}
		last := s.Trail()[len(s.Trail())-1]
		if last.Action != "deauthorize" || last.UserID != nil {
			t.Fatalf("trail = %+v", last)
		}
		if last.Actor != "provider_social" || last.RequestID != "req-9" {
			t.Errorf("trail = %+v", last)
		}
		lines := len(s.Trail())
		s.Now = s.Now.Add(time.Hour)
		reconnect(s, pagesPair)
		if err := s.Erasures.Deauthorize(t.Context(), "", provider.Social, signed); err != nil ||
			!s.Stored(pagesPair).Active || len(s.Trail()) != lines+1 {
			t.Errorf("again: %v, %+v", err, s.Stored(pagesPair))
		}
	})
}

// TestDeleteData checks that the person is in no row, also of connections that ended
// before, that a repeated request is the same deletion, and that later grants stay.
func TestDeleteData(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Now = s.Now.Add(time.Second / 2) // of the second in which the request is made
		personal(s)
		if err := s.Connections.Disconnect(t.Context(), anna(s), photosPair); err != nil {
			t.Fatal(err)
		}
		signed := askedAt(s, 0)
		s.Now = s.Now.Add(time.Minute)
		first, address, err := s.Erasures.DeleteData(t.Context(), "req-9", provider.Social, signed)
		if err != nil || address != directorytest.PublicURL+erasure.DeletionPath+first.Code || len(first.Code) != 32 {
			t.Fatalf("DeleteData = %+v, %q, %v", first, address, err)
		}
		carryOut(s)
		for _, p := range []provider.Pair{pagesPair, photosPair} {
			if c := s.Stored(p); c.Active || c.AccessToken+c.UserAccessToken+c.ProviderUserID+c.AccountID+
				c.AccountName != "" && p == photosPair {
				t.Errorf("stored = %+v", c)
			}
		}
		pool := db.Raw(t)
		for _, marker := range []string{"osoba-1", "Anna Kowalska"} {
			var rows int
			query := "SELECT count(*) FROM oauth_tokens WHERE provider_user_id || account_id || account_name || " +
				"reconnect_reason || CAST(metadata_json AS TEXT) LIKE '%" + marker + "%'"
			if err := pool.QueryRowContext(t.Context(), query).Scan(&rows); err != nil || rows > 0 {
				t.Errorf("%q stands in %d rows, %v", marker, rows, err)
			}
			if strings.Contains(s.Log.String(), marker) {
				t.Errorf("%q is in the log", marker)
			}
		}
		lines := s.Trail()
		var got []trail.Entry
		for _, e := range lines {
			if e.Action == "erase" {
				e.At = e.At.UTC()
				got = append(got, e)
			}
		}
		line := trail.Entry{At: s.Now, CompanyID: s.Company.ID, Actor: "provider_social", AboutUserID: s.Anna.ID,
			Action: "erase", Pair: photosPair, RequestID: "req-9"}
		lineOfPages := line
		lineOfPages.Pair = pagesPair
		if !reflect.DeepEqual(got, []trail.Entry{line, lineOfPages}) &&
			!reflect.DeepEqual(got, []trail.Entry{lineOfPages, line}) {
			t.Errorf("trail %+v, want %+v of both services", got, line)
		}
		if erased(s) != 1 || len(s.Social.Revoked) > 0 {
			t.Errorf("%d in the log, revoked %+v", erased(s), s.Social.Revoked)
		}
		s.Now = s.Now.Add(time.Hour)
		reconnect(s, pagesPair)
		again, _, err := s.Erasures.DeleteData(t.Context(), "", provider.Social, signed)
		carryOut(s)
		kept, keptErr := s.Erasures.Deletion(t.Context(), again.Code)
		want := erasure.Deletion{Code: first.Code, RequestedAt: directorytest.Start, DeletedAt: s.Now.Add(-time.Hour)}
		if err != nil || keptErr != nil {
			t.Fatalf("again: %+v, %v; kept %+v, %v; want %+v", again, err, kept, keptErr, want)
		}
		if again != want || kept != want {
			t.Errorf("again: %+v, %v; kept %+v, %v; want %+v", again, err, kept, keptErr, want)
		}
		if c := s.Stored(pagesPair); !c.Active || c.ProviderUserID != "osoba-1" {
			t.Errorf("what was granted later: %+v", c)
		}
	})
}

// TestDeleteDataOfAPersonWithoutARow checks that such a request is logged, because a restored
// backup has the person's connections.
func TestDeleteDataOfAPersonWithoutARow(t *testing.T) {
	s := directorytest.New(t)
	_, _, err := s.Erasures.DeleteData(t.Context(), "req-9", provider.Social, askedAt(s, time.Hour))
	if carryOut(s); err != nil || erased(s) != 1 {
		t.Errorf("%v, %d in the log", err, erased(s))
	}
	personal(s) // as in the backup
	if _, err := s.Erasures.Replay(t.Context(), commandLine); err != nil || s.Stored(pagesPair).Active {
		t.Errorf("%v, stored %+v", err, s.Stored(pagesPair))
	}
}

// TestDeleteDataDoesNotWaitForThePurge checks that a request is confirmed while the bytes
// cannot be removed, and that another process removes them later.
func TestDeleteDataDoesNotWaitForThePurge(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		personal(s)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if db.Name == "sqlite" {
			own := db
			own.DB = s.Store.DB
			own.Exec(t, "PRAGMA busy_timeout = 10")
		}
		other := holdUp(t, db)
		if _, _, err := s.Erasures.DeleteData(ctx, "req-9", provider.Social, askedAt(s, time.Second)); err != nil {
			t.Fatal(err)
		}
		carryOut(s)
		short, cancelShort := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancelShort()
		if purged, err := s.Erasures.Purge(short); purged || err == nil {
			t.Errorf("purged %t, %v while another process reads", purged, err)
		}
		if err := other.Rollback(); err != nil {
			t.Fatal(err)
		}
		restarted := directorytest.Beside(s, db.URL)
		for _, want := range []bool{true, false} {
			if purged, err := restarted.Erasures.Purge(t.Context()); purged != want || err != nil {
				t.Errorf("purged %t, %v, want %t", purged, err, want)
			}
		}
		if db.Name == "sqlite" {
			wantAbsent(t, db.URL, "Anna Kowalska")
		}
	})
}

// carryOut does what was requested.
func carryOut(s *directorytest.Service) {
	s.T.Helper()
	if err := s.Erasures.CarryOut(context.Background()); err != nil {
		s.T.Fatal(err)
	}
}

// TestDeleteDataIsConfirmedFirst checks that a request is stored and confirmed while neither
// connections nor the log can be written, and carried out by another process later.
func TestDeleteDataIsConfirmedFirst(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		personal(s)
		options := s.Erasures.Options
		options.Erased = erasure.NewLog(t.TempDir(), options.Log) // a folder
		release := func() {}
		if db.Name == "postgres" {
			tx, err := db.Raw(t).BeginTx(t.Context(), nil)
			if err == nil {
				_, err = tx.Exec("LOCK TABLE oauth_tokens IN ACCESS EXCLUSIVE MODE")
			}
			if err != nil {
				t.Fatal(err)
			}
			release = func() { _ = tx.Rollback() }
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		service := erasure.New(options)
		d, address, err := service.DeleteData(ctx, "req-9", provider.Social, askedAt(s, time.Second))
		if err != nil || address != directorytest.PublicURL+erasure.DeletionPath+d.Code {
			t.Fatalf("%q, %v", address, err)
		}
		if err := service.CarryOut(ctx); err == nil {
			t.Error("carried out without a line in the log")
		}
		release()
		if pending, err := service.Deletion(ctx, d.Code); err != nil || pending != d || !s.Stored(pagesPair).Active {
			t.Errorf("%+v, %v, stored %+v", pending, err, s.Stored(pagesPair))
		}
		restarted := directorytest.Beside(s, db.URL)
		carryOut(restarted)
		if done, err := restarted.Erasures.Deletion(ctx, d.Code); err != nil || done.DeletedAt.IsZero() ||
			s.Stored(pagesPair).ProviderUserID != "" {
			t.Errorf("%+v, %v, stored %+v", done, err, s.Stored(pagesPair))
		}
		if left := db.Query(t, "SELECT * FROM pending_deletions"); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
}

// holdUp begins a transaction of another process that a purge waits for.
func holdUp(t *testing.T, db databasetest.Database) *sql.Tx {
	t.Helper()
	tx, err := db.Raw(t).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	statement := "SELECT count(*) FROM companies"
	if db.Name == "postgres" {
		statement = "LOCK TABLE companies IN SHARE UPDATE EXCLUSIVE MODE"
	}
	if _, err := tx.Exec(statement); err != nil {
		t.Fatal(err)
	}
	return tx
}

// TestDeleteDataWithoutALog checks that the request is stored and confirmed, and waits until a
// log can record it.
func TestDeleteDataWithoutALog(t *testing.T) {
	s := directorytest.New(t)
	personal(s)
	options := s.Erasures.Options
	options.Erased = nil
	service := erasure.New(options)
	_, _, err := service.DeleteData(t.Context(), "req-9", provider.Social, askedAt(s, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if err := service.CarryOut(t.Context()); !fault.Is(err, erasure.CodeNoErasureLog) {
		t.Fatalf("carried out without a log: %v", err)
	}
	if c := s.Stored(pagesPair); !c.Active {
		t.Error("the connection ended without a log")
	}
	if err := s.Erasures.CarryOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.Stored(pagesPair); c.Active {
		t.Error("the connection did not end with a log")
	}
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

// TestDeleteDataDeletesWhatWasRead checks that nothing read through the person's grant
// stays, and that readings of others do.
func TestDeleteDataDeletesWhatWasRead(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Social.Page.Name, s.Social.Photos.Profile.Biography = "Piekarnia Anny", "Biografia Anny"
		other := personal(s)
		if err := s.SyncPhotos(); err != nil {
			t.Fatal(err)
		}
		for _, service := range []provider.Service{provider.SocialPages, provider.SearchAnalytics} {
			reading := statistics.Reading[struct{}]{CompanyID: other.ID, Service: service, Data: &struct{}{},
				SyncedAt: s.Now}
			if err := statistics.Save(t.Context(), s.Store.DB, reading); err != nil {
				t.Fatal(err)
			}
		}
		signed := askedAt(s, time.Second)
		s.Now = s.Now.Add(time.Minute)
		if _, _, err := s.Erasures.DeleteData(t.Context(), "req-9", provider.Social, signed); err != nil {
			t.Fatal(err)
		}
		carryOut(s)
		for table, want := range map[string]int{
			"social_statistics": 2, "social_statistics_history": 2, "social_media_configs": 0,
			"audit_trail WHERE action = 'select_page' AND detail <> ''":                                 0,
			"audit_trail WHERE action = 'erase' AND actor = 'provider_social' AND request_id = 'req-9'": 2,
		} {
			if rows := db.Query(t, "SELECT company_id FROM "+table); len(rows) != want {
				t.Errorf("%s: %v, want %d rows", table, rows, want)
			}
		}
	})
}

// TestDeleteDataForgetsRevocations checks that a pending revocation of what the person
// granted before the request goes with the person, and that of a later grant stays.
func TestDeleteDataForgetsRevocations(t *testing.T) {
	s := directorytest.New(t)
	other := personal(s)
	s.Social.Fail["Revoke"] = provider.Temporary(errors.New("503"))
	disconnect := func(actor account.Actor, p provider.Pair, want int64) {
		t.Helper()
		if err := s.Connections.Disconnect(t.Context(), actor, p); err != nil {
			t.Fatal(err)
		}
		if n, _, err := s.Store.Connections.PendingRevocations(t.Context(), provider.Social); n != want || err != nil {
			t.Errorf("%d pending, %v, want %d", n, err, want)
		}
	}
	disconnect(anna(s), pagesPair, 1)
	disconnect(directorytest.ActorOf(s.Anna, other.ID), pagesPair, 2)
	signed := askedAt(s, 0)
	s.Now = s.Now.Add(time.Hour)
	reconnect(s, pagesPair)
	disconnect(anna(s), pagesPair, 3)
	if _, _, err := s.Erasures.DeleteData(t.Context(), "", provider.Social, signed); err != nil {
		t.Fatal(err)
	}
	carryOut(s)
	if n, _, err := s.Store.Connections.PendingRevocations(t.Context(), provider.Social); n != 2 || err != nil {
		t.Errorf("%d pending, %v, want that of the other person and the later one", n, err)
	}
}

// TestFailedDeletionIsRepeated checks that a request stays until every part of it succeeds.
func TestFailedDeletionIsRepeated(t *testing.T) {
	for name, spoil := range map[string]func(*directorytest.Service) (restore func()){
		"requests not readable":    func(s *directorytest.Service) func() { return s.Hide("pending_deletions") },
		"connections not readable": func(s *directorytest.Service) func() { return s.Hide("oauth_tokens") },
		"readings stay": func(s *directorytest.Service) func() {
			return s.FailDeletes("social_media_configs")
		},
		"the person stays": func(s *directorytest.Service) func() {
			return s.FailUpdates("oauth_tokens", "provider_user_id")
		},
		"revocations not readable": func(s *directorytest.Service) func() { return s.Hide("revocations") },
		"not stored as done":       func(s *directorytest.Service) func() { return s.FailInserts("data_deletions") },
		"not removed":              func(s *directorytest.Service) func() { return s.FailDeletes("pending_deletions") },
		"no purge requested":       func(s *directorytest.Service) func() { return s.FailInserts("purges") },
	} {
		s := directorytest.New(t)
		personal(s)
		d, _, err := s.Erasures.DeleteData(t.Context(), "req-9", provider.Social, askedAt(s, time.Second))
		if err != nil {
			t.Fatal(err)
		}
		restore := spoil(s)
		err = s.Erasures.CarryOut(t.Context())
		restore()
		if pending, readErr := s.Erasures.Deletion(t.Context(), d.Code); err == nil || readErr != nil ||
			!pending.DeletedAt.IsZero() {
			t.Errorf("%s: %v, deletion %+v, %v", name, err, pending, readErr)
		}
		carryOut(s)
		if done, err := s.Erasures.Deletion(t.Context(), d.Code); err != nil || done.DeletedAt.IsZero() ||
			s.Stored(pagesPair).ProviderUserID != "" {
			t.Errorf("%s, then repeated: %+v, %v", name, done, err)
		}
		if purged, err := s.Erasures.Purge(t.Context()); !purged || err != nil {
			t.Errorf("%s, then repeated: purged %t, %v", name, purged, err)
		}
	}
}

// TestDeletionNotReadable checks that a failure of the database is not taken for an unknown
// code.
func TestDeletionNotReadable(t *testing.T) {
	for _, table := range []string{"pending_deletions", "data_deletions"} {
		s := directorytest.New(t)
		_, err := s.Erasures.Deletion(t.Context(), "0123")
		directorytest.WantFault(t, err, fault.NotFound, erasure.CodeNoDeletion.Name)
		s.Hide(table)
		_, err = s.Erasures.Deletion(t.Context(), "0123")
		directorytest.WantFault(t, err, fault.Internal, "internal")
	}
}
