package connection_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// due is a connection whose token is about to end.
func due(s *directorytest.Service) connection.Connection {
	return s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{"a"},
		ExpiresAt: directorytest.After(time.Minute),
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
	s := directorytest.New(t)
	c := due(s)
	s.Search.Renewal = provider.Token{AccessToken: "access-2", ExpiresAt: directorytest.After(time.Hour)}
	var writes atomic.Int32
	err := databasetest.Observe(s.Store.DB, func(statement string) {
		if strings.HasPrefix(statement, "UPDATE `oauth_tokens`") {
			writes.Add(1)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	together(func() {
		if got, err := fresh(s, t.Context(), c); err != nil || got.AccessToken != "access-2" {
			t.Errorf("Fresh = %q, %v", got.AccessToken, err)
		}
	})
	if len(s.Search.Refreshed) != 1 {
		t.Fatalf("%d renewals, want 1", len(s.Search.Refreshed))
	}
	if got := s.Search.Refreshed[0].RefreshToken; got != "refresh-1" {
		t.Errorf("renewed with %q", got)
	}
	if writes.Load() != 1 {
		t.Errorf("%d writes, want 1", writes.Load())
	}
	s.WantTrail("refresh")
}

func TestHundredCallersMarkALostCredentialOnce(t *testing.T) {
	s := directorytest.New(t)
	c := due(s)
	s.Search.Fail["Refresh"] = provider.Revoked(errors.New("invalid_grant"), "Dostęp cofnięty.")
	together(func() {
		_, err := fresh(s, t.Context(), c)
		wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
		if got := fault.From(err).Message; got != "Dostęp cofnięty." {
			t.Errorf("reason = %q", got)
		}
	})
	if len(s.Search.Refreshed) != 1 {
		t.Errorf("%d renewals, want 1", len(s.Search.Refreshed))
	}
	if got := s.Stored(c.Pair); got.ReconnectReason != "Dostęp cofnięty." || !got.Active ||
		got.RefreshToken != "refresh-1" {
		t.Errorf("stored = %+v", got)
	}
	s.WantTrail("reconnect_required")
	e := s.Trail()[0]
	if e.UserID != nil || e.Detail != "Dostęp cofnięty." {
		t.Fatalf("entry = %+v", e)
	}
	if e.CompanyID != s.Company.ID || e.Pair != profilePair {
		t.Errorf("entry = %+v", e)
	}
	noLocks(s)
	_, err := fresh(s, t.Context(), s.Stored(c.Pair))
	wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
	if locked(s) {
		t.Error("a connection that is known to be lost was locked")
	}
}

func TestPassingFailureOfARenewalMarksNothing(t *testing.T) {
	broken := errors.New("read tcp: connection reset")
	for _, failure := range []error{
		provider.Temporary(broken), provider.Throttled(broken, time.Minute), provider.NotSetUp(broken),
		provider.Denied(broken),
		provider.Unreadable(broken), provider.Gone(broken), context.DeadlineExceeded, context.Canceled, broken,
	} {
		s := directorytest.New(t)
		c := due(s)
		s.Search.Fail["Refresh"] = failure
		if _, err := fresh(s, t.Context(), c); !errors.Is(err, failure) {
			t.Errorf("Fresh = %v, want %v", err, failure)
		}
		s.WantUnchanged(c)
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
		"ended a day ago":           {directorytest.After(-24*time.Hour - 1), "r", true, true},
		"ended today":               {directorytest.After(-24 * time.Hour), "r", true, false},
		"under 5 minutes":           {directorytest.After(5*time.Minute - 1), "r", true, false},
		"5 minutes":                 {directorytest.After(5 * time.Minute), "r", false, false},
		"an hour":                   {directorytest.After(time.Hour), "r", false, false},
		"under 10 days, by itself":  {directorytest.After(early - 1), "", false, true},
		"10 days, by itself":        {directorytest.After(early), "", false, false},
		"under 5 minutes by itself": {directorytest.After(5*time.Minute - 1), "", true, true},
		"no end, by itself":         {nil, "", false, false},
	} {
		for _, use := range []struct {
			name  string
			renew func(*directorytest.Service, context.Context, connection.Connection) (connection.Connection, error)
			want  bool
		}{{"fresh", fresh, tt.fresh}, {"renewedEarly", renewedEarly, tt.scan}} {
			t.Run(name+"/"+use.name, func(t *testing.T) {
				s := directorytest.New(t)
				s.Search.Renewal = provider.Token{AccessToken: "access-2"}
				c := s.Connect(connection.Connection{
					Pair: profilePair, AccessToken: "access-1", RefreshToken: tt.refreshToken, ExpiresAt: tt.end,
				})
				noLocks(s)
				got, err := use.renew(s, t.Context(), c)
				if err != nil || (got.AccessToken == "access-2") != use.want {
					t.Errorf("token = %q, %v, renewed should be %t", got.AccessToken, err, use.want)
				}
				if locked := locked(s); locked != use.want {
					t.Errorf("locked is %t", locked)
				}
			})
		}
	}
}

func TestWhatARenewalReplaces(t *testing.T) {
	for name, tt := range map[string]struct {
		renewal provider.Token
		refresh string
		scopes  []string
	}{
		"access token alone": {provider.Token{AccessToken: "access-2"}, "refresh-1", []string{"a"}},
		"refresh token, rotated": {provider.Token{AccessToken: "access-2", RefreshToken: "refresh-2"}, "refresh-2",
			[]string{"a"}},
		"scopes, if returned": {provider.Token{AccessToken: "access-2", Scopes: []string{"b"}}, "refresh-1",
			[]string{"b"}},
		"the end of its own life": {provider.Token{AccessToken: "access-2", ExpiresAt: directorytest.After(time.Hour)},
			"refresh-1", []string{"a"}},
		"the end of data access": {
			provider.Token{AccessToken: "access-2", DataAccessExpiresAt: directorytest.After(time.Hour)}, "refresh-1",
			[]string{"a"},
		},
	} {
		s := directorytest.New(t)
		c := due(s)
		s.Search.Renewal = tt.renewal
		got, err := fresh(s, t.Context(), c)
		c.AccessToken = "access-2"
		c.RefreshToken = tt.refresh
		c.Scopes = tt.scopes
		c.ExpiresAt = tt.renewal.ExpiresAt
		c.DataAccessExpiresAt = tt.renewal.DataAccessExpiresAt
		if err != nil || !reflect.DeepEqual(directorytest.Timeless(got), c) || !reflect.DeepEqual(s.Stored(c.Pair), c) {
			t.Errorf("%s: Fresh = %+v, %v, want it stored as %+v", name, got, err, c)
		}
		s.WantTrail("refresh")
		if strings.Contains(s.Log.String(), "ERROR") {
			t.Errorf("%s: log %s", name, s.Log.String())
		}
	}
}

// deadlines notes how much time the calls of a provider have.
type deadlines struct {
	*directorytest.Provider
	left map[string]time.Duration
}

func (d deadlines) note(ctx context.Context, call string) {
	if end, limited := ctx.Deadline(); limited {
		d.left[call] = time.Until(end)
	}
}

func (d deadlines) Refresh(ctx context.Context, grant provider.Token) (provider.Token, error) {
	d.note(ctx, "renewal")
	return grant, nil
}

func (d deadlines) FindChoice(ctx context.Context, _, _ string) (provider.Choice, error) {
	d.note(ctx, "choice")
	return provider.Choice{}, context.DeadlineExceeded
}

func (d deadlines) Revoke(ctx context.Context, _ provider.Token) error {
	d.note(ctx, "withdrawal")
	return nil
}

// TestCallsOfAProviderEnd: neither a renewal nor a withdrawal waits for longer than 30 s.
func TestCallsOfAProviderEnd(t *testing.T) {
	s := directorytest.New(t)
	c := due(s)
	limits := deadlines{s.Search, map[string]time.Duration{}}
	s.Providers[provider.Search] = limits
	_ = must(fresh(s, t.Context(), c))(t)
	ok(t, s.Connections.Disconnect(t.Context(), anna(s), c.Pair))
	ok(t, s.Withdraw())
	for _, name := range []string{"renewal", "withdrawal"} {
		if left := limits.left[name]; left <= 0 || left > 30*time.Second {
			t.Errorf("%s: %s left", name, left)
		}
	}
}

// The provider may have replaced the refresh token when its caller goes.
func TestRenewalOutlivesItsCaller(t *testing.T) {
	s := directorytest.New(t)
	c := due(s)
	s.Search.Renewal = provider.Token{AccessToken: "access-2", RefreshToken: "refresh-2"}
	ctx, cancel := context.WithCancel(t.Context())
	s.Search.During["Refresh"] = cancel
	if got, err := fresh(s, ctx, c); err != nil || got.AccessToken != "access-2" || ctx.Err() == nil {
		t.Errorf("Fresh = %+v, %v", got, err)
	}
	if got := s.Stored(c.Pair); got.RefreshToken != "refresh-2" {
		t.Errorf("stored = %+v", got)
	}
}

func TestRenewalSeesTheConnectionAsItIsNow(t *testing.T) {
	s := directorytest.New(t)
	c := due(s)
	s.Change(c.Pair, func(c *connection.Connection) { c.Active = false })
	_, err := fresh(s, t.Context(), c)
	wantFault(t, err, fault.NotFound, "no_connection")
	s.Change(c.Pair, func(c *connection.Connection) { c.Active, c.ReconnectReason = true, "Hasło zmienione." })
	_, err = fresh(s, t.Context(), c)
	wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
	if len(s.Search.Refreshed) > 0 {
		t.Errorf("renewed %+v", s.Search.Refreshed)
	}
	s.WantTrail()
}

func TestScanRenewsTheUserTokenBehindAPage(t *testing.T) {
	s := directorytest.New(t)
	c := s.WithPage(9 * 24 * time.Hour)
	s.Social.Renewal = provider.Token{AccessToken: "user-2", ExpiresAt: directorytest.After(60 * 24 * time.Hour),
		Scopes: []string{"x"}}
	noLocks(s)
	if got, err := fresh(s, t.Context(), c); err != nil || !reflect.DeepEqual(got, c) || locked(s) {
		t.Fatalf("Fresh = %+v, %v, locked is %t, want nothing done", got, err, locked(s))
	}
	got, err := renewedEarly(s, t.Context(), c)
	c.UserAccessToken, c.UserExpiresAt = "user-2", directorytest.After(60*24*time.Hour)
	if err != nil || !reflect.DeepEqual(directorytest.Timeless(got), c) || !reflect.DeepEqual(s.Stored(c.Pair), c) {
		t.Errorf("FreshEarly = %+v, %v, want it stored as %+v", got, err, c)
	}
	s.WantTrail("refresh")
}

func TestLostUserTokenMarksNoPage(t *testing.T) {
	s := directorytest.New(t)
	c := s.WithPage(-time.Hour)
	s.Social.Fail["Refresh"] = provider.Revoked(errors.New("190/463"), "Dostęp wygasł.")
	_, err := renewedEarly(s, t.Context(), c)
	wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
	s.WantUnchanged(c)
	if got, err := fresh(s, t.Context(), c); err != nil || got.AccessToken != "page-1" {
		t.Errorf("Fresh = %+v, %v", got, err)
	}
}
