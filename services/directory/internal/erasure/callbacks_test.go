package erasure_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
)

// personal connects the services of a person at the provider, with a page that is
// published to, and one of another person.
func personal(s *directorytest.Service) (other company.Company) {
	s.T.Helper()
	s.Social.AccountID, s.Social.Name = "osoba-1", "Anna Kowalska"
	reconnect(s, photosPair)
	reconnect(s, pagesPair)
	if _, _, err := s.Pages.Select(s.T.Context(), anna(s), s.Company.ID, "104118"); err != nil {
		s.T.Fatal(err)
	}
	other = s.AddCompany("cukiernia")
	s.Connect(connection.Connection{CompanyID: other.ID, Pair: pagesPair, AccessToken: "of another", ProviderUserID: "osoba-2"})
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
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Now = s.Now.Add(time.Second / 2) // of the second in which the request is made
		other := personal(s)
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
			if status := statusOf(s, p); status.Connected || !status.NeedsReconnect || !strings.Contains(status.Reason, "usunięty w ustawieniach") {
				t.Errorf("status = %+v", status)
			}
		}
		s.WantPublishing("")
		if c := s.StoredOf(other.ID, pagesPair); !c.Active {
			t.Error("another person's connection ended")
		}
		last := s.Trail()[len(s.Trail())-1]
		if last.Action != "deauthorize" || last.UserID != nil || last.Actor != "provider_social" || last.RequestID != "req-9" {
			t.Errorf("trail = %+v", last)
		}
		lines := len(s.Trail())
		s.Now = s.Now.Add(time.Hour)
		reconnect(s, pagesPair)
		if err := s.Erasures.Deauthorize(t.Context(), "", provider.Social, signed); err != nil || !s.Stored(pagesPair).Active || len(s.Trail()) != lines+1 {
			t.Errorf("again: %v, %+v", err, s.Stored(pagesPair))
		}
	})
}

// TestDeleteData checks that the person is in no row, also of connections that ended
// before, that a repeated request is the same deletion, and that later grants stay.
func TestDeleteData(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		s := directorytest.On(t, db.URL)
		personal(s)
		if err := s.Connections.Disconnect(t.Context(), anna(s), photosPair); err != nil {
			t.Fatal(err)
		}
		signed := askedAt(s, time.Second)
		s.Now = s.Now.Add(time.Minute)
		first, address, err := s.Erasures.DeleteData(t.Context(), "req-9", provider.Social, signed)
		if err != nil || address != directorytest.PublicURL+erasure.DeletionPath+first.Code || len(first.Code) != 32 {
			t.Fatalf("DeleteData = %+v, %q, %v", first, address, err)
		}
		for _, p := range []provider.Pair{pagesPair, photosPair} {
			if c := s.Stored(p); c.Active || c.AccessToken+c.UserAccessToken+c.ProviderUserID+c.AccountID+c.AccountName != "" && p == photosPair {
				t.Errorf("stored = %+v", c)
			}
		}
		s.WantPublishing("")
		pool := db.Raw(t)
		for _, marker := range []string{"osoba-1", "Anna Kowalska"} {
			var rows int
			query := "SELECT count(*) FROM oauth_tokens WHERE provider_user_id || account_id || account_name || reconnect_reason || CAST(metadata_json AS TEXT) LIKE '%" + marker + "%'"
			if err := pool.QueryRowContext(t.Context(), query).Scan(&rows); err != nil || rows > 0 {
				t.Errorf("%q stands in %d rows, %v", marker, rows, err)
			}
			if strings.Contains(s.Log.String(), marker) {
				t.Errorf("%q is in the log", marker)
			}
		}
		if erased(s) != 1 || len(s.Social.Revoked) > 0 {
			t.Errorf("%d in the log, revoked %+v", erased(s), s.Social.Revoked)
		}
		s.Now = s.Now.Add(time.Hour)
		reconnect(s, pagesPair)
		again, _, err := s.Erasures.DeleteData(t.Context(), "", provider.Social, signed)
		kept, keptErr := s.Erasures.Deletion(t.Context(), again.Code)
		if err != nil || keptErr != nil || again.Code != first.Code || !kept.DeletedAt.Equal(first.DeletedAt) || !kept.RequestedAt.Equal(first.RequestedAt) {
			t.Errorf("again: %+v, %v; kept %+v, %v; first %+v", again, err, kept, keptErr, first)
		}
		if c := s.Stored(pagesPair); !c.Active || c.ProviderUserID != "osoba-1" {
			t.Errorf("what was granted later: %+v", c)
		}
	})
}

// TestDeleteDataWithoutALog checks that the request is carried out although no log can
// record it.
func TestDeleteDataWithoutALog(t *testing.T) {
	s := directorytest.New(t)
	personal(s)
	options := s.Erasures.Options
	options.Erased = nil
	_, _, err := erasure.New(options).DeleteData(t.Context(), "req-9", provider.Social, askedAt(s, time.Second))
	if c := s.Stored(pagesPair); err != nil || c.Active || c.ProviderUserID != "" || !strings.Contains(s.Log.String(), "without a log of erasures") {
		t.Errorf("%v, stored %+v, log %s", err, c, s.Log.String())
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
