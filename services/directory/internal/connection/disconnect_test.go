package connection_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// whole is a connection with all that it can hold.
func whole(s *directorytest.Service) connection.Connection {
	return s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-1", RefreshToken: "refresh-1", AccountID: "100", AccountName: "Strona",
		UserID:    1,
		ExpiresAt: directorytest.After(time.Hour), Chosen: connection.ChosenPage, UserAccessToken: "user-1",
		UserExpiresAt: directorytest.After(time.Hour), Scopes: []string{"a"},
		ProviderUserID: "p-1", ReconnectReason: "Dostęp wygasł.",
	})
}

func TestDisconnect(t *testing.T) {
	s := directorytest.New(t)
	before := whole(s)
	ctx, cancel := context.WithCancel(t.Context())
	actor := ewa(s)
	if err := s.Connections.Disconnect(ctx, actor, pagesPair); err != nil {
		t.Fatal(err)
	}
	want := before
	want.Chosen = connection.ChosenNothing
	want.Active = false
	want.AccessToken = ""
	want.RefreshToken = ""
	want.UserAccessToken = ""
	want.ReconnectReason = ""
	want.ExpiresAt, want.UserExpiresAt = nil, nil
	if got := s.Stored(pagesPair); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	if len(s.Social.Revoked) > 0 {
		t.Error("the answer waits for the provider")
	}
	s.WantTrail("disconnect")
	cancel() // the browser has its answer
	ok(t, s.Withdraw())
	if got := s.Social.Revoked; len(got) != 1 || got[0].AccessToken != before.UserToken() ||
		got[0].ProviderUserID != before.ProviderUserID {
		t.Errorf("revoked = %+v, want the grant of %+v", got, before)
	}
	s.WantTrail("disconnect", "revoke")
	for _, e := range s.Trail() {
		if *e.UserID != actor.User.ID || e.CompanyID != s.Company.ID {
			t.Fatalf("entry = %+v", e)
		}
		if e.Pair != pagesPair || e.RequestID != "req-1" {
			t.Fatalf("entry = %+v", e)
		}
		if e.Detail != "" {
			t.Errorf("entry = %+v", e)
		}
	}
}

func TestDisconnectAgainRevokesOnce(t *testing.T) {
	s := directorytest.New(t)
	whole(s)
	for range 2 {
		if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
			t.Fatal(err)
		}
		ok(t, s.Withdraw())
	}
	if len(s.Social.Revoked) != 1 {
		t.Errorf("%d withdrawals, want 1", len(s.Social.Revoked))
	}
	s.WantTrail("disconnect", "revoke", "disconnect")
}

func TestGrantIsLeftToWhoeverNeedsIt(t *testing.T) {
	for name, change := range map[string]func(*directorytest.Service){
		"another connection": func(s *directorytest.Service) {
			s.Connect(connection.Connection{Pair: photosPair, AccessToken: "access-2", ProviderUserID: "p-1"})
		},
		"connected again": func(s *directorytest.Service) {
			s.Change(pagesPair, func(c *connection.Connection) { c.Active = true })
		},
		"that is unknown": func(s *directorytest.Service) { hideColumn(s, "provider_user_id") },
		"nor readable":    func(s *directorytest.Service) { s.Hide("oauth_tokens") },
	} {
		s := directorytest.New(t)
		whole(s)
		if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
			t.Fatal(err)
		}
		change(s)
		_ = s.Withdraw()
		if len(s.Social.Revoked) > 0 {
			t.Errorf("%s: the grant was withdrawn", name)
		}
	}
}

func TestFailedWithdrawalIsRecorded(t *testing.T) {
	s := directorytest.New(t)
	whole(s)
	s.Social.Fail["Revoke"] = provider.Temporary(errors.New("503"))
	if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
		t.Fatal(err)
	}
	if err := s.Withdraw(); !fault.Is(err, provider.CodeTemporary) {
		t.Error(err)
	}
	s.WantTrail("disconnect", "revoke")
	if got := s.Trail()[1].Detail; got != "failed: provider_temporary" {
		t.Errorf("detail = %q", got)
	}
	for _, secret := range []string{"page-1", "user-1", "refresh-1"} {
		if strings.Contains(s.Log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, s.Log.String())
		}
	}
}

// TestWithdrawalThatCannotBeRecordedIsRepeated: the trail has a line of each withdrawal.
func TestWithdrawalThatCannotBeRecordedIsRepeated(t *testing.T) {
	s := directorytest.New(t)
	whole(s)
	if err := s.Connections.Disconnect(t.Context(), anna(s), pagesPair); err != nil {
		t.Fatal(err)
	}
	s.FailInserts("audit_trail")
	if err := s.Withdraw(); err == nil || len(s.Social.Revoked) != 1 || pendingAtMeta(s) != 1 {
		t.Errorf("%v, %d withdrawals, %d pending", err, len(s.Social.Revoked), pendingAtMeta(s))
	}
}

func TestDisconnectFaults(t *testing.T) {
	s := directorytest.New(t)
	whole(s)
	err := s.Connections.Disconnect(t.Context(), directorytest.ActorOf(s.Anna, 0), pagesPair)
	wantFault(t, err, fault.Forbidden, "no_company")
	unknown := provider.Pair{Provider: "provider_x", Service: "mail"} // not checked against the list
	for _, tt := range []struct {
		actor account.Actor
		pair  provider.Pair
	}{{anna(s), profilePair}, {directorytest.ActorOf(s.Anna, 9), pagesPair}, {anna(s), unknown}} {
		err := s.Connections.Disconnect(t.Context(), tt.actor, tt.pair)
		wantFault(t, err, fault.NotFound, "no_connection")
	}
	if n := pendingAtMeta(s); n > 0 || !s.Stored(pagesPair).Active {
		t.Errorf("%d withdrawals wait, stored = %+v", n, s.Stored(pagesPair))
	}
	s.WantTrail()
}

// TestDisconnectWhileRenewalsHang: as many renewals as may use the database at once, and
// one more that waits for its turn, are at a provider that does not respond.
func TestDisconnectWhileRenewalsHang(t *testing.T) {
	directorytest.Hasher() // its channel does not belong to a bubble
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		synctest.Test(t, func(t *testing.T) { disconnectWhileRenewalsHang(t, db) })
	})
}

func disconnectWhileRenewalsHang(t *testing.T, db databasetest.Database) {
	s := directorytest.On(t, db.URL)
	respond, hanging := make(chan struct{}), make(chan struct{}, 9)
	s.Search.During["Refresh"] = func() { hanging <- struct{}{}; <-respond }
	var renewals sync.WaitGroup
	defer renewals.Wait()
	defer close(respond)
	companies := []company.Company{s.Company}
	for i := range 5 {
		companies = append(companies, s.AddCompany(fmt.Sprint("renewed-", i)))
		c := s.Connect(connection.Connection{
			CompanyID: companies[i+1].ID, Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1",
			ExpiresAt: directorytest.After(time.Minute),
		})
		renewals.Go(func() { _, _ = fresh(s, t.Context(), c) })
		if i < 4 {
			<-hanging
		}
	}
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "access-1"})
	synctest.Wait() // the fifth is waiting
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	waiting := companies[0]
	if db.Name == "postgres" { // on SQLite all five have begun
		waiting = companies[5]
	}
	if err := s.Connections.Disconnect(ctx, directorytest.ActorOf(s.Anna, waiting.ID), profilePair); err != nil {
		t.Errorf("disconnect: %v", err)
	}
	if err := s.Erasures.Company(ctx, anna(s), companies[0]); err != nil {
		t.Errorf("erase: %v", err)
	}
}
