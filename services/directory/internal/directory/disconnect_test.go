package directory_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// whole is a connection with all that it can hold.
func (l *link) whole() directory.Connection {
	return l.connected(directory.Connection{
		Pair: pagesPair, AccessToken: "page-1", RefreshToken: "refresh-1", AccountID: "100", AccountName: "Strona", UserID: 42,
		ExpiresAt: linkTime(time.Hour), Chosen: directory.ChosenPage, UserAccessToken: "user-1", UserExpiresAt: linkTime(time.Hour), Scopes: []string{"a"},
		ProviderUserID: "p-1", ReconnectReason: "Dostęp wygasł.",
	})
}

// inBackground runs what waits there.
func (l *link) inBackground() {
	for _, f := range l.later {
		f()
	}
	l.later = nil
}

func TestDisconnect(t *testing.T) {
	l := newLink(t)
	before := l.whole()
	ctx, cancel := context.WithCancel(t.Context())
	if err := l.oauth.Disconnect(ctx, linkActor(43, 7), pagesPair); err != nil {
		t.Fatal(err)
	}
	want := before
	want.Chosen = directory.ChosenNothing
	want.Active, want.AccessToken, want.RefreshToken, want.UserAccessToken, want.ReconnectReason = false, "", "", "", ""
	want.ExpiresAt, want.UserExpiresAt = nil, nil
	if got := l.stored(before.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	if len(l.social.revoked) > 0 {
		t.Error("the answer waits for the provider")
	}
	l.trail("disconnect")
	cancel() // the browser has its answer
	l.inBackground()
	if got := l.social.revoked; !reflect.DeepEqual(got, []directory.Connection{before}) {
		t.Errorf("revoked = %+v, want %+v", got, before)
	}
	l.trail("disconnect", "revoke")
	for _, e := range l.store.trail {
		if *e.UserID != 43 || e.CompanyID != 7 || e.Pair != pagesPair || e.RequestID != "req-1" || e.Detail != "" {
			t.Errorf("entry = %+v", e)
		}
	}
}

func TestDisconnectAgainAsksNobody(t *testing.T) {
	l := newLink(t)
	l.whole()
	for range 2 {
		if err := l.oauth.Disconnect(t.Context(), linkActor(42, 7), pagesPair); err != nil {
			t.Fatal(err)
		}
		l.inBackground()
	}
	if len(l.social.revoked) != 1 {
		t.Errorf("%d withdrawals, want 1", len(l.social.revoked))
	}
	l.trail("disconnect", "revoke", "disconnect")
}

func TestGrantIsLeftToWhoeverNeedsIt(t *testing.T) {
	for name, change := range map[string]func(*link){
		"another connection": func(l *link) { l.store.shared = true },
		"connected again":    func(l *link) { l.store.change(1, func(c *directory.Connection) { c.Active = true }) },
		"that is unknown":    func(l *link) { l.store.sharedErr = errors.New("database is away") },
		"nor readable":       func(l *link) { l.store.readErr = errors.New("database is away") },
	} {
		l := newLink(t)
		l.whole()
		if err := l.oauth.Disconnect(t.Context(), linkActor(42, 7), pagesPair); err != nil {
			t.Fatal(err)
		}
		change(l)
		l.inBackground()
		if len(l.social.revoked) > 0 {
			t.Errorf("%s: the grant was withdrawn", name)
		}
	}
}

func TestFailedWithdrawalIsToldToTheTrail(t *testing.T) {
	l := newLink(t)
	l.whole()
	l.social.revokeErr = directory.Temporary(errors.New("503"))
	if err := l.oauth.Disconnect(t.Context(), linkActor(42, 7), pagesPair); err != nil {
		t.Fatal(err)
	}
	l.inBackground()
	l.trail("disconnect", "revoke")
	if got := l.store.trail[1].Detail; got != "failed: provider_temporary" {
		t.Errorf("detail = %q", got)
	}
	for _, secret := range []string{"page-1", "user-1", "refresh-1"} {
		if strings.Contains(l.log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, l.log.String())
		}
	}
}

func TestWithdrawalThatCannotBeRecordedIsLogged(t *testing.T) {
	l := newLink(t)
	l.whole()
	l.store.recordErr = errors.New("database is away")
	if err := l.oauth.Disconnect(t.Context(), linkActor(42, 7), pagesPair); err != nil {
		t.Fatal(err)
	}
	l.inBackground()
	if !strings.Contains(l.log.String(), "database is away") || len(l.social.revoked) != 1 {
		t.Errorf("%d withdrawals, log = %q", len(l.social.revoked), l.log.String())
	}
}

func TestDisconnectFaults(t *testing.T) {
	l := newLink(t)
	l.whole()
	err := l.oauth.Disconnect(t.Context(), linkActor(42, 0), pagesPair)
	wantFault(t, err, fault.Forbidden, "no_company")
	unknown := directory.Pair{Provider: "provider_x", Service: "mail"} // not checked against the list
	for _, tt := range []struct {
		actor directory.Actor
		pair  directory.Pair
	}{{linkActor(42, 7), profilePair}, {linkActor(42, 8), pagesPair}, {linkActor(42, 7), unknown}} {
		err := l.oauth.Disconnect(t.Context(), tt.actor, tt.pair)
		wantFault(t, err, fault.NotFound, "no_connection")
	}
	if len(l.later) > 0 || !l.stored(1).Active {
		t.Errorf("%d withdrawals wait, stored = %+v", len(l.later), l.stored(1))
	}
	l.trail()
}
