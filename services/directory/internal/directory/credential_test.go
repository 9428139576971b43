package directory_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// due is a connection whose token is about to end.
func (l *link) due() directory.Connection {
	return l.connected(directory.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{"a"}, ExpiresAt: linkTime(time.Minute),
	})
}

// chosen is a connection with a page, and a user's token that ends after end.
func (l *link) chosen(end time.Duration) directory.Connection {
	return l.connected(directory.Connection{
		Pair: pagesPair, AccessToken: "page-1", Chosen: directory.ChosenPage, AccountID: "100", UserAccessToken: "user-1", UserExpiresAt: linkTime(end),
	})
}

// together runs call 100 times at once.
func together(call func()) {
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(call)
	}
	wg.Wait()
}

func TestHundredCallersRenewOnce(t *testing.T) {
	l := newLink(t)
	c := l.due()
	l.search.renewal = directory.Token{AccessToken: "access-2", ExpiresAt: linkTime(time.Hour)}
	together(func() {
		if got, err := l.oauth.Fresh(t.Context(), c); err != nil || got.AccessToken != "access-2" {
			t.Errorf("Fresh = %q, %v", got.AccessToken, err)
		}
	})
	if len(l.search.refreshed) != 1 || l.store.locks != 100 {
		t.Errorf("%d renewals in %d locks, want 1 in 100", len(l.search.refreshed), l.store.locks)
	}
	if got := l.search.refreshed[0].RefreshToken; got != "refresh-1" {
		t.Errorf("renewed with %q", got)
	}
	l.trail("refresh")
}

func TestHundredCallersMarkALostCredentialOnce(t *testing.T) {
	l := newLink(t)
	c := l.due()
	l.search.refreshErr = directory.Revoked(errors.New("invalid_grant"), "Dostęp cofnięty.")
	together(func() {
		_, err := l.oauth.Fresh(t.Context(), c)
		wantFault(t, err, fault.Internal, directory.CodeReconnect)
		if got := fault.From(err).Message; got != "Dostęp cofnięty." {
			t.Errorf("reason = %q", got)
		}
	})
	if len(l.search.refreshed) != 1 {
		t.Errorf("%d renewals, want 1", len(l.search.refreshed))
	}
	if got := l.stored(c.ID); got.ReconnectReason != "Dostęp cofnięty." || !got.Active || got.RefreshToken != "refresh-1" {
		t.Errorf("stored = %+v", got)
	}
	l.trail("reconnect_required")
	if e := l.store.trail[0]; e.UserID != nil || e.Detail != "Dostęp cofnięty." || e.CompanyID != 7 || e.Pair != profilePair {
		t.Errorf("entry = %+v", e)
	}
	locks := l.store.locks
	_, err := l.oauth.Fresh(t.Context(), l.stored(c.ID))
	wantFault(t, err, fault.Internal, directory.CodeReconnect)
	if l.store.locks != locks {
		t.Error("a connection that is known to be lost was locked")
	}
}

func TestPassingFailureOfARenewalMarksNothing(t *testing.T) {
	broken := errors.New("read tcp: connection reset")
	for _, failure := range []error{
		directory.Temporary(broken), directory.Throttled(broken, time.Minute), directory.NotSetUp(broken), directory.Denied(broken),
		directory.Unreadable(broken), directory.Gone(broken), context.DeadlineExceeded, context.Canceled, broken,
	} {
		l := newLink(t)
		c := l.due()
		l.search.refreshErr = failure
		if _, err := l.oauth.Fresh(t.Context(), c); !errors.Is(err, failure) {
			t.Errorf("Fresh = %v, want %v", err, failure)
		}
		l.unchanged(c)
	}
}

func TestWhenATokenIsRenewed(t *testing.T) {
	const early = 10 * 24 * time.Hour
	for name, tt := range map[string]struct {
		end          *time.Time
		refreshToken string
		fresh, scan  bool // renewed by Fresh, by FreshEarly
	}{
		"no end":                    {nil, "r", false, false},
		"ended":                     {linkTime(-time.Hour), "r", true, true},
		"under 5 minutes":           {linkTime(5*time.Minute - 1), "r", true, true},
		"5 minutes":                 {linkTime(5 * time.Minute), "r", false, false},
		"an hour":                   {linkTime(time.Hour), "r", false, false},
		"under 10 days, by itself":  {linkTime(early - 1), "", false, true},
		"10 days, by itself":        {linkTime(early), "", false, false},
		"under 5 minutes by itself": {linkTime(5*time.Minute - 1), "", true, true},
		"no end, by itself":         {nil, "", false, false},
	} {
		for _, use := range []struct {
			name  string
			renew func(*directory.OAuth, context.Context, directory.Connection) (directory.Connection, error)
			want  bool
		}{{"Fresh", (*directory.OAuth).Fresh, tt.fresh}, {"FreshEarly", (*directory.OAuth).FreshEarly, tt.scan}} {
			t.Run(name+"/"+use.name, func(t *testing.T) {
				l := newLink(t)
				l.search.renewal = directory.Token{AccessToken: "access-2"}
				c := l.connected(directory.Connection{
					Pair: profilePair, AccessToken: "access-1", RefreshToken: tt.refreshToken, ExpiresAt: tt.end,
				})
				got, err := use.renew(l.oauth, t.Context(), c)
				if err != nil || (got.AccessToken == "access-2") != use.want {
					t.Errorf("token = %q, %v, renewed should be %t", got.AccessToken, err, use.want)
				}
				if locked := l.store.locks > 0; locked != use.want {
					t.Errorf("locked is %t", locked)
				}
			})
		}
	}
}

func TestWhatARenewalReplaces(t *testing.T) {
	for name, tt := range map[string]struct {
		renewal directory.Token
		refresh string
		scopes  []string
	}{
		"access token alone":      {directory.Token{AccessToken: "access-2"}, "refresh-1", []string{"a"}},
		"refresh token, rotated":  {directory.Token{AccessToken: "access-2", RefreshToken: "refresh-2"}, "refresh-2", []string{"a"}},
		"scopes, where it tells":  {directory.Token{AccessToken: "access-2", Scopes: []string{"b"}}, "refresh-1", []string{"b"}},
		"the end of its own life": {directory.Token{AccessToken: "access-2", ExpiresAt: linkTime(time.Hour)}, "refresh-1", []string{"a"}},
	} {
		l := newLink(t)
		c := l.due()
		l.search.renewal = tt.renewal
		got, err := l.oauth.Fresh(t.Context(), c)
		c.AccessToken, c.RefreshToken, c.Scopes, c.ExpiresAt = "access-2", tt.refresh, tt.scopes, tt.renewal.ExpiresAt
		if err != nil || !reflect.DeepEqual(got, c) || !reflect.DeepEqual(l.stored(c.ID), c) {
			t.Errorf("%s: Fresh = %+v, %v, want it stored as %+v", name, got, err, c)
		}
		l.trail("refresh")
	}
}

// The provider may have replaced the refresh token when its caller goes.
func TestRenewalOutlivesItsCaller(t *testing.T) {
	l := newLink(t)
	c := l.due()
	l.search.renewal = directory.Token{AccessToken: "access-2", RefreshToken: "refresh-2"}
	ctx, cancel := context.WithCancel(t.Context())
	l.search.onRefresh = cancel
	if got, err := l.oauth.Fresh(ctx, c); err != nil || got.AccessToken != "access-2" || ctx.Err() == nil {
		t.Errorf("Fresh = %+v, %v", got, err)
	}
	if got := l.stored(c.ID); got.RefreshToken != "refresh-2" {
		t.Errorf("stored = %+v", got)
	}
}

func TestRenewalSeesTheConnectionAsItIsNow(t *testing.T) {
	l := newLink(t)
	c := l.due()
	l.store.change(c.ID, func(c *directory.Connection) { c.Active = false })
	_, err := l.oauth.Fresh(t.Context(), c)
	wantFault(t, err, fault.NotFound, "no_connection")
	l.store.change(c.ID, func(c *directory.Connection) { c.Active, c.ReconnectReason = true, "Hasło zmienione." })
	_, err = l.oauth.Fresh(t.Context(), c)
	wantFault(t, err, fault.Internal, directory.CodeReconnect)
	if len(l.search.refreshed) > 0 {
		t.Errorf("renewed %+v", l.search.refreshed)
	}
	l.trail()
}

func TestProviderThatRenewsNothing(t *testing.T) {
	l := newLink(t)
	c := l.due()
	oauth := l.with(map[directory.Provider]directory.Abilities{directory.ProviderSearch: (&linkLogin{}).abilities()})
	if got, err := oauth.Fresh(t.Context(), c); err != nil || !reflect.DeepEqual(got, c) || l.store.locks > 0 {
		t.Errorf("Fresh = %+v, %v after %d locks", got, err, l.store.locks)
	}
}

func TestScanRenewsTheUserTokenBehindAPage(t *testing.T) {
	l := newLink(t)
	c := l.chosen(9 * 24 * time.Hour)
	l.social.renewal = directory.Token{AccessToken: "user-2", ExpiresAt: linkTime(60 * 24 * time.Hour), Scopes: []string{"x"}}
	if got, err := l.oauth.Fresh(t.Context(), c); err != nil || !reflect.DeepEqual(got, c) || l.store.locks > 0 {
		t.Fatalf("Fresh = %+v, %v after %d locks, want nothing done", got, err, l.store.locks)
	}
	got, err := l.oauth.FreshEarly(t.Context(), c)
	c.UserAccessToken, c.UserExpiresAt = "user-2", linkTime(60*24*time.Hour)
	if err != nil || !reflect.DeepEqual(got, c) || !reflect.DeepEqual(l.stored(c.ID), c) {
		t.Errorf("FreshEarly = %+v, %v, want it stored as %+v", got, err, c)
	}
	l.trail("refresh")
}

func TestLostUserTokenCondemnsNoPage(t *testing.T) {
	l := newLink(t)
	c := l.chosen(-time.Hour)
	l.social.refreshErr = directory.Revoked(errors.New("190/463"), "Dostęp wygasł.")
	_, err := l.oauth.FreshEarly(t.Context(), c)
	wantFault(t, err, fault.Internal, directory.CodeReconnect)
	l.unchanged(c)
	if got, err := l.oauth.Fresh(t.Context(), c); err != nil || got.AccessToken != "page-1" {
		t.Errorf("Fresh = %+v, %v", got, err)
	}
}

func TestUserToken(t *testing.T) {
	for want, c := range map[string]directory.Connection{
		"user": {AccessToken: "page", Chosen: directory.ChosenPage, UserAccessToken: "user"}, "access": {AccessToken: "access"}, "": {},
	} {
		if got := c.UserToken(); got != want {
			t.Errorf("UserToken = %q, want %q", got, want)
		}
	}
}
