package directory_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

// personal connects the services of a person at the provider, with a page that is
// published to, and one of somebody else.
func personal(s *directorytest.Service) (other directory.Company) {
	s.T.Helper()
	s.Social.AccountID, s.Social.Name = "osoba-1", "Anna Kowalska"
	reconnect(s, photosPair)
	reconnect(s, pagesPair)
	if _, _, err := s.Pages.Select(s.T.Context(), anna(s), s.Company.ID, "104118"); err != nil {
		s.T.Fatal(err)
	}
	other = s.AddCompany("cukiernia")
	s.Connect(directory.Connection{CompanyID: other.ID, Pair: pagesPair, AccessToken: "of another", ProviderUserID: "osoba-2"})
	return other
}

func askedAt(s *directorytest.Service, after time.Duration) string {
	return directorytest.SignedRequest("osoba-1", s.Now.Add(after))
}

// TestDeauthorize, on one of two replicas: what lives on the person's grant ends and
// says why; somebody else's does not, and what is granted later stays when the request
// comes again.
func TestDeauthorize(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Now = s.Now.Add(time.Second / 2) // of the second in which the request is made
		other := personal(s)
		replica := directorytest.Beside(s, db.URL)
		signed := askedAt(s, 0)
		if err := replica.Erasures.Deauthorize(t.Context(), "req-9", directory.ProviderSocial, signed); err != nil {
			t.Fatal(err)
		}
		for _, p := range []directory.Pair{pagesPair, photosPair} {
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
		if err := s.Erasures.Deauthorize(t.Context(), "", directory.ProviderSocial, signed); err != nil || !s.Stored(pagesPair).Active || len(s.Trail()) != lines+1 {
			t.Errorf("again: %v, %+v", err, s.Stored(pagesPair))
		}
	})
}

// TestDeleteData takes the person out of every row, also of connections that ended
// before, is the same deletion when it is asked again, and leaves later grants alone.
func TestDeleteData(t *testing.T) {
	storetest.Each(t, func(t *testing.T, db storetest.Database) {
		s := directorytest.On(t, db.URL)
		personal(s)
		if err := s.OAuth.Disconnect(t.Context(), anna(s), photosPair); err != nil {
			t.Fatal(err)
		}
		signed := askedAt(s, time.Second)
		s.Now = s.Now.Add(time.Minute)
		first, address, err := s.Erasures.DeleteData(t.Context(), "req-9", directory.ProviderSocial, signed)
		if err != nil || address != directorytest.PublicURL+directory.DeletionPath+first.Code || len(first.Code) != 32 {
			t.Fatalf("DeleteData = %+v, %q, %v", first, address, err)
		}
		for _, p := range []directory.Pair{pagesPair, photosPair} {
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
		if len(s.Erased.Erasures) != 1 || len(s.Social.Revoked) > 0 {
			t.Errorf("noted %+v, revoked %+v", s.Erased.Erasures, s.Social.Revoked)
		}
		s.Now = s.Now.Add(time.Hour)
		reconnect(s, pagesPair)
		again, _, err := s.Erasures.DeleteData(t.Context(), "", directory.ProviderSocial, signed)
		kept, keptErr := s.Store.Deletion(t.Context(), again.Code)
		if err != nil || keptErr != nil || again.Code != first.Code || !kept.DeletedAt.Equal(first.DeletedAt) || !kept.RequestedAt.Equal(first.RequestedAt) {
			t.Errorf("again: %+v, %v; kept %+v, %v; first %+v", again, err, kept, keptErr, first)
		}
		if c := s.Stored(pagesPair); !c.Active || c.ProviderUserID != "osoba-1" {
			t.Errorf("what was granted later: %+v", c)
		}
	})
}

// TestPersonRequestRefused: a request that is not signed, or comes too often, changes
// nothing; one of somebody unknown is carried out.
func TestPersonRequestRefused(t *testing.T) {
	s := directorytest.New(t)
	personal(s)
	both := map[string]func(signed string) error{
		"deauthorize": func(signed string) error {
			return s.Erasures.Deauthorize(t.Context(), "", directory.ProviderSocial, signed)
		},
		"delete": func(signed string) error {
			_, _, err := s.Erasures.DeleteData(t.Context(), "", directory.ProviderSocial, signed)
			return err
		},
	}
	for name, ask := range both {
		wantFault(t, ask("unsigned"), fault.Invalid, directory.CodeInvalidRequest.Name)
		if err := ask(directorytest.SignedRequest("osoba-9", s.Now)); err != nil {
			t.Errorf("%s of somebody unknown: %v", name, err)
		}
		if err := ask(askedAt(s, -time.Second)); err != nil || !s.Stored(pagesPair).Active || !s.Stored(photosPair).Active {
			t.Errorf("%s from before the connection: %v, %+v", name, err, s.Stored(pagesPair))
		}
	}
	s.Store.Fail["GrantedByPerson"] = errors.New("database is away")
	for name, ask := range both {
		if ask(askedAt(s, time.Second)) == nil {
			t.Errorf("%s without the database succeeds", name)
		}
	}
	delete(s.Store.Fail, "GrantedByPerson")
	var err error
	for range 20 {
		err = both["deauthorize"](askedAt(s, -time.Second))
	}
	wantFault(t, err, fault.Limited, directory.CodeTooManyRequests.Name)
	s.Unconfigure(directory.ProviderSocial)
	for _, ask := range both {
		wantFault(t, ask(askedAt(s, time.Second)), fault.Unavailable, directory.CodeNotConfigured.Name)
	}
	if !s.Stored(pagesPair).Active {
		t.Error("a refused request ended the connection")
	}
}

// TestDeleteDataWithoutALog: it is owed even where nothing can note it.
func TestDeleteDataWithoutALog(t *testing.T) {
	s := directorytest.New(t)
	personal(s)
	bare := directory.NewErasures(s.OAuth, s.Store, nil)
	_, _, err := bare.DeleteData(t.Context(), "req-9", directory.ProviderSocial, askedAt(s, time.Second))
	if c := s.Stored(pagesPair); err != nil || c.Active || c.ProviderUserID != "" || !strings.Contains(s.Log.String(), "without a log of erasures") {
		t.Errorf("%v, stored %+v, log %s", err, c, s.Log.String())
	}
}
