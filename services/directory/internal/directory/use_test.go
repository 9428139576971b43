package directory_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// calls answers the first call with its first error, and so on, then with nil;
// it notes the tokens.
type calls struct {
	errs         []error
	access, user []string
}

func (c *calls) call(_ context.Context, with directory.Connection) error {
	c.access, c.user = append(c.access, with.AccessToken), append(c.user, with.UserToken())
	if len(c.access) > len(c.errs) {
		return nil
	}
	return c.errs[len(c.access)-1]
}

// lasting is a connection whose token is good for long.
func (l *link) lasting(refreshToken string) directory.Connection {
	return l.connected(directory.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: refreshToken, ExpiresAt: linkTime(time.Hour),
	})
}

func refused(reason string) error { return directory.Revoked(errors.New("401"), reason) }

func TestUse(t *testing.T) {
	passing := directory.Temporary(errors.New("503"))
	for name, tt := range map[string]struct {
		refreshToken string
		errs         []error
		refreshErr   error
		tokens       []string // of the calls
		renewals     int
		code, reason string // of the error; the reason is also stored
		marked       bool
		trail        []string
	}{
		"works": {"r", nil, nil, []string{"access-1"}, 0, "", "", false, nil},
		"refused once, then renewed": {
			"r", []error{refused("A")}, nil, []string{"access-1", "access-2"}, 1, "", "", false, []string{"refresh"},
		},
		"refused again": {
			"r", []error{refused("A"), refused("B")}, nil, []string{"access-1", "access-2"}, 1,
			directory.CodeReconnect, "B", true, []string{"refresh", "reconnect_required"},
		},
		"refused, grant lost": {
			"r", []error{refused("A")}, refused("C"), []string{"access-1"}, 1,
			directory.CodeReconnect, "C", true, []string{"reconnect_required"},
		},
		"refused, renewal fails for now": {
			"r", []error{refused("A")}, passing, []string{"access-1"}, 1, directory.CodeTemporary, "", false, nil,
		},
		"refused, cannot be renewed": {
			"", []error{refused("A")}, nil, []string{"access-1"}, 0,
			directory.CodeReconnect, "A", true, []string{"reconnect_required"},
		},
		"fails for now": {"r", []error{passing}, nil, []string{"access-1"}, 0, directory.CodeTemporary, "", false, nil},
		"lacks a permission": {
			"r", []error{directory.Denied(nil)}, nil, []string{"access-1"}, 0, directory.CodePermission, "", false, nil,
		},
		"renewed, then fails for now": {
			"r", []error{refused("A"), passing}, nil, []string{"access-1", "access-2"}, 1,
			directory.CodeTemporary, "", false, []string{"refresh"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			c := l.lasting(tt.refreshToken)
			l.search.renewal, l.search.refreshErr = directory.Token{AccessToken: "access-2"}, tt.refreshErr
			made := calls{errs: tt.errs}
			err := l.oauth.Use(t.Context(), c, made.call)
			if tt.code == "" && err != nil || tt.code != "" && !fault.Is(err, tt.code) {
				t.Errorf("Use = %v, want %q", err, tt.code)
			}
			if !reflect.DeepEqual(made.access, tt.tokens) || len(l.search.refreshed) != tt.renewals {
				t.Errorf("calls with %q, %d renewals, want %q, %d", made.access, len(l.search.refreshed), tt.tokens, tt.renewals)
			}
			if got := l.stored(c.ID).ReconnectReason; got != tt.reason {
				t.Errorf("reason stored = %q, want %q", got, tt.reason)
			}
			if tt.marked && fault.From(err).Message != tt.reason {
				t.Errorf("reason told = %q, want %q", fault.From(err).Message, tt.reason)
			}
			l.trail(tt.trail...)
		})
	}
}

func TestUseTakesATokenThatIsRenewedAlready(t *testing.T) {
	l := newLink(t)
	c := l.lasting("refresh-1")
	made := calls{errs: []error{refused("A")}}
	l.store.change(c.ID, func(c *directory.Connection) { c.AccessToken = "access-9" })
	if err := l.oauth.Use(t.Context(), c, made.call); err != nil {
		t.Error(err)
	}
	if want := []string{"access-1", "access-9"}; !reflect.DeepEqual(made.access, want) || len(l.search.refreshed) > 0 {
		t.Errorf("calls with %q, %d renewals, want %q, none", made.access, len(l.search.refreshed), want)
	}
}

func TestUseMarksNothingThatChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*directory.Connection){
		"connected again": func(c *directory.Connection) { c.AccessToken = "access-9" },
		"disconnected":    func(c *directory.Connection) { c.Active, c.AccessToken = false, "" },
		"marked already":  func(c *directory.Connection) { c.ReconnectReason = "Z" },
	} {
		l := newLink(t)
		c := l.lasting("")
		var want directory.Connection
		err := l.oauth.Use(t.Context(), c, func(context.Context, directory.Connection) error {
			l.store.change(c.ID, change)
			want = l.stored(c.ID)
			return refused("A")
		})
		wantFault(t, err, fault.Internal, directory.CodeReconnect)
		if got := l.stored(c.ID); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: stored = %+v, want %+v", name, got, want)
		}
		l.trail()
	}
}

func TestUseCallsNobodyWithALostCredential(t *testing.T) {
	l := newLink(t)
	c := l.connected(directory.Connection{Pair: profilePair, AccessToken: "access-1", ReconnectReason: "Hasło zmienione."})
	made := calls{}
	err := l.oauth.Use(t.Context(), c, made.call)
	wantFault(t, err, fault.Internal, directory.CodeReconnect)
	if len(made.access) > 0 || fault.From(err).Message != "Hasło zmienione." {
		t.Errorf("%d calls, %v", len(made.access), err)
	}
}

// The two credentials behind a page live and die apart.
func TestPageAndUserUses(t *testing.T) {
	type use = func(*directory.OAuth, context.Context, directory.Connection, func(context.Context, directory.Connection) error) error
	asPage, asUser := (*directory.OAuth).Use, (*directory.OAuth).UseAsUser
	for name, tt := range map[string]struct {
		use        use
		end        time.Duration // of the user's token
		errs       []error
		refreshErr error
		users      []string // the user's tokens of the calls
		code       string
		trail      []string
	}{
		"page, user's token ended": {asPage, -time.Hour, nil, refused("A"), []string{"user-1"}, "", nil},
		"page, refused": {
			asPage, time.Hour, []error{refused("A")}, nil, []string{"user-1"}, directory.CodeReconnect, []string{"reconnect_required"},
		},
		"user":        {asUser, time.Hour, nil, nil, []string{"user-1"}, "", nil},
		"user, due":   {asUser, time.Minute, nil, nil, []string{"user-2"}, "", []string{"refresh"}},
		"user, ended": {asUser, -time.Hour, nil, refused("A"), nil, directory.CodeReconnect, nil},
		"user, refused": {
			asUser, time.Hour, []error{refused("A")}, nil, []string{"user-1"}, directory.CodeReconnect, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			c := l.chosen(tt.end)
			l.social.renewal, l.social.refreshErr = directory.Token{AccessToken: "user-2"}, tt.refreshErr
			made := calls{errs: tt.errs}
			err := tt.use(l.oauth, t.Context(), c, made.call)
			if tt.code == "" && err != nil || tt.code != "" && !fault.Is(err, tt.code) {
				t.Errorf("err = %v, want %q", err, tt.code)
			}
			if !reflect.DeepEqual(made.user, tt.users) {
				t.Errorf("calls with the user's %q, want %q", made.user, tt.users)
			}
			if got := l.stored(c.ID).AccessToken; got != "page-1" {
				t.Errorf("page's token = %q", got)
			}
			l.trail(tt.trail...)
		})
	}
}

func TestUserUseBeforeAPageIsChosen(t *testing.T) {
	l := newLink(t)
	c := l.connected(directory.Connection{Pair: pagesPair, AccessToken: "user-1", ExpiresAt: linkTime(time.Hour)})
	made := calls{errs: []error{refused("A")}}
	err := l.oauth.UseAsUser(t.Context(), c, made.call)
	wantFault(t, err, fault.Internal, directory.CodeReconnect)
	if got := l.stored(c.ID).ReconnectReason; got != "A" {
		t.Errorf("reason = %q", got)
	}
	l.trail("reconnect_required")
}
