package connection_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// reads answers the first read with its first error, and so on, then with nil; it
// notes the tokens.
type reads struct {
	errs   []error
	tokens []string
}

func (r *reads) read(_ context.Context, token, _ string) (string, error) {
	r.tokens = append(r.tokens, token)
	if len(r.tokens) > len(r.errs) {
		return "read", nil
	}
	return "", r.errs[len(r.tokens)-1]
}

func (r *reads) readAsUser(ctx context.Context, token string) (string, error) {
	return r.read(ctx, token, "")
}

// lasting is a connection whose token is good for long.
func lasting(s *directorytest.Service, refreshToken string) connection.Connection {
	return s.Connect(connection.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: refreshToken,
		ExpiresAt: directorytest.After(time.Hour),
	})
}

func refused(reason string) error { return provider.Revoked(errors.New("401"), reason) }

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if code == "" && err != nil {
		t.Fatalf("err = %v, want %q", err, code)
	}
	if code != "" && !fault.Is(err, code) {
		t.Errorf("err = %v, want %q", err, code)
	}
}

func TestUse(t *testing.T) {
	passing := provider.Temporary(errors.New("503"))
	for name, tt := range map[string]struct {
		refreshToken string
		errs         []error // of the reads
		refreshErr   error
		tokens       []string // of the reads
		renewals     int
		code         string // of the error
		reason       string // returned and stored; empty if not marked
		trail        []string
	}{
		"works": {refreshToken: "r", tokens: []string{"access-1"}},
		"refused once, then renewed": {
			refreshToken: "r", errs: []error{refused("A")}, tokens: []string{"access-1", "access-2"}, renewals: 1,
			trail: []string{"refresh"},
		},
		"refused again": {
			refreshToken: "r", errs: []error{refused("A"), refused("B")}, tokens: []string{"access-1", "access-2"},
			renewals: 1,
			code:     provider.CodeReconnect.Name, reason: "B", trail: []string{"refresh", "reconnect_required"},
		},
		"refused, grant lost": {
			refreshToken: "r", errs: []error{refused("A")}, refreshErr: refused("C"), tokens: []string{"access-1"},
			renewals: 1,
			code:     provider.CodeReconnect.Name, reason: "C", trail: []string{"reconnect_required"},
		},
		"refused, renewal fails for now": {
			refreshToken: "r", errs: []error{refused("A")}, refreshErr: passing, tokens: []string{"access-1"},
			renewals: 1, code: provider.CodeTemporary.Name,
		},
		"refused, cannot be renewed": {
			errs: []error{refused("A")}, tokens: []string{"access-1"},
			code: provider.CodeReconnect.Name, reason: "A", trail: []string{"reconnect_required"},
		},
		"fails for now": {refreshToken: "r", errs: []error{passing}, tokens: []string{"access-1"},
			code: provider.CodeTemporary.Name},
		"lacks a permission": {
			refreshToken: "r", errs: []error{provider.Denied(nil)}, tokens: []string{"access-1"},
			code: provider.CodePermission.Name,
		},
		"renewed, then fails for now": {
			refreshToken: "r", errs: []error{refused("A"), passing}, tokens: []string{"access-1", "access-2"},
			renewals: 1,
			code:     provider.CodeTemporary.Name, trail: []string{"refresh"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			c := lasting(s, tt.refreshToken)
			s.Search.Renewal, s.Search.Fail["Refresh"] = provider.Token{AccessToken: "access-2"}, tt.refreshErr
			made := reads{errs: tt.errs}
			got, err := connection.Use(t.Context(), s.Connections, c, made.read)
			wantCode(t, err, tt.code)
			if (got == "read") != (err == nil) || !reflect.DeepEqual(made.tokens, tt.tokens) ||
				len(s.Search.Refreshed) != tt.renewals {
				t.Errorf("read %q with %q, %d renewals, want %q, %d", got, made.tokens, len(s.Search.Refreshed),
					tt.tokens, tt.renewals)
			}
			if got := s.Stored(c.Pair).ReconnectReason; got != tt.reason {
				t.Errorf("reason stored = %q, want %q", got, tt.reason)
			}
			if tt.reason != "" && fault.From(err).Message != tt.reason {
				t.Errorf("reason = %q, want %q", fault.From(err).Message, tt.reason)
			}
			s.WantTrail(tt.trail...)
		})
	}
}

func TestUseMarksNothingThatChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*connection.Connection){
		"connected again": func(c *connection.Connection) { c.AccessToken = "access-9" },
		"disconnected":    func(c *connection.Connection) { c.Active, c.AccessToken = false, "" },
		"marked already":  func(c *connection.Connection) { c.ReconnectReason = "Z" },
	} {
		s := directorytest.New(t)
		c := lasting(s, "")
		var want connection.Connection
		_, err := connection.Use(t.Context(), s.Connections, c, func(context.Context, string, string) (string, error) {
			s.Change(c.Pair, change)
			want = s.Stored(c.Pair)
			return "", refused("A")
		})
		wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
		if got := s.Stored(c.Pair); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: stored = %+v, want %+v", name, got, want)
		}
		s.WantTrail()
	}
}

// TestDenialOfAnotherGrant checks that a missing permission marks the grant and the choice
// with which it was read, and no other, and that it is marked once.
func TestDenialOfAnotherGrant(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(c *connection.Connection, other account.Actor)
		denied []provider.Service
		trail  []string
	}{
		"unchanged": {func(*connection.Connection, account.Actor) {}, []provider.Service{provider.SocialPages},
			[]string{"reconnect_required"}},
		"connected again": {
			func(c *connection.Connection, _ account.Actor) { c.ConnectedAt = c.ConnectedAt.Add(time.Second) }, nil,
			nil,
		},
		"another choice": {func(c *connection.Connection, _ account.Actor) { c.AccountID = "104119" }, nil, nil},
		"another user":   {func(c *connection.Connection, other account.Actor) { c.UserID = other.User.ID }, nil, nil},
		"another person": {func(c *connection.Connection, _ account.Actor) { c.ProviderUserID = "p-2" }, nil, nil},
		"marked already": {
			func(c *connection.Connection, _ account.Actor) { c.Denied = []provider.Service{provider.SocialPages} },
			[]provider.Service{provider.SocialPages}, nil,
		},
		"marked for another service": {
			func(c *connection.Connection, _ account.Actor) { c.Denied = []provider.Service{provider.SocialPhotos} },
			[]provider.Service{provider.SocialPhotos, provider.SocialPages}, []string{"reconnect_required"},
		},
	} {
		s := directorytest.New(t)
		s.WithPage(time.Hour)
		c := must(s.Connections.Active(t.Context(), s.Company.ID, pagesPair))(t)
		other := ewa(s)
		s.Change(pagesPair, func(c *connection.Connection) { tt.change(c, other) })
		err := s.Connections.NoteDenial(t.Context(), c, provider.SocialPages, provider.Denied(nil))
		wantCode(t, err, provider.CodePermission.Name)
		requireEqual(t, name+": denied", tt.denied, s.Stored(pagesPair).Denied)
		s.WantTrail(tt.trail...)
	}
}

// TestPermissionThatIsGivenAgain checks what takes the mark of a missing permission away, and
// that it leaves that of another service.
func TestPermissionThatIsGivenAgain(t *testing.T) {
	const pages, photos = provider.SocialPages, provider.SocialPhotos
	for name, tt := range map[string]struct {
		err  error
		want []provider.Service
	}{
		"read in full":    {nil, []provider.Service{pages}},
		"nothing to read": {provider.Gone(errors.New("404")), []provider.Service{pages}},
		"no page":         {connection.CodeNoPage.Fault(), []provider.Service{pages}},
		"temporary":       {provider.Temporary(errors.New("503")), []provider.Service{pages, photos}},
		"denied again":    {provider.Denied(errors.New("403")), []provider.Service{pages, photos}},
	} {
		s := directorytest.New(t)
		s.WithPage(time.Hour)
		s.Change(pagesPair, func(c *connection.Connection) { c.Denied = []provider.Service{pages, photos} })
		c := must(s.Connections.Active(t.Context(), s.Company.ID, pagesPair))(t)
		if err := s.Connections.NoteDenial(t.Context(), c, photos, tt.err); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
		requireEqual(t, name+": denied", tt.want, s.Stored(pagesPair).Denied)
		s.WantTrail()
	}
}

func TestUseReadsNothingWithALostCredential(t *testing.T) {
	s := directorytest.New(t)
	c := s.Connect(
		connection.Connection{Pair: profilePair, AccessToken: "access-1", ReconnectReason: "Hasło zmienione."},
	)
	made := reads{}
	_, err := connection.Use(t.Context(), s.Connections, c, made.read)
	wantFault(t, err, fault.Internal, provider.CodeReconnect.Name)
	if len(made.tokens) > 0 || fault.From(err).Message != "Hasło zmienione." {
		t.Errorf("%d reads, %v", len(made.tokens), err)
	}
}

// The two credentials behind a page are renewed and lost apart.
func TestPageAndUserUses(t *testing.T) {
	for name, tt := range map[string]struct {
		asUser     bool
		end        time.Duration // of the user's token
		lost       bool          // the page's token
		errs       []error
		refreshErr error
		tokens     []string // of the reads
		code       string
		trail      []string
	}{
		"page, user's token ended": {end: -time.Hour, refreshErr: refused("A"), tokens: []string{"page-1"}},
		"page, refused": {
			end: time.Hour, errs: []error{refused("A")}, tokens: []string{"page-1"}, code: provider.CodeReconnect.Name,
			trail: []string{"reconnect_required"},
		},
		"user": {asUser: true, end: time.Hour, tokens: []string{"user-1"}},
		"user, due": {asUser: true, end: time.Minute, tokens: []string{"user-2"},
			trail: []string{"refresh"}},
		"user, due, page's token lost": {asUser: true, end: time.Minute, lost: true, tokens: []string{"user-2"},
			trail: []string{"refresh"}},
		"user, ended": {asUser: true, end: -time.Hour, refreshErr: refused("A"), code: provider.CodeReconnect.Name},
		"user, refused": {asUser: true, end: time.Hour, errs: []error{refused("A")}, tokens: []string{"user-1"},
			code: provider.CodeReconnect.Name},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			c := s.WithPage(tt.end)
			if tt.lost {
				s.Change(c.Pair, func(c *connection.Connection) { c.ReconnectReason = "A" })
				c = s.Stored(c.Pair)
			}
			s.Social.Renewal, s.Social.Fail["Refresh"] = provider.Token{AccessToken: "user-2"}, tt.refreshErr
			made := reads{errs: tt.errs}
			var err error
			if tt.asUser {
				_, err = connection.UseAsUser(t.Context(), s.Connections, c, made.readAsUser)
			} else {
				_, err = connection.Use(t.Context(), s.Connections, c, made.read)
			}
			wantCode(t, err, tt.code)
			if !reflect.DeepEqual(made.tokens, tt.tokens) {
				t.Errorf("read with %q, want %q", made.tokens, tt.tokens)
			}
			if got := s.Stored(c.Pair).AccessToken; got != "page-1" {
				t.Errorf("page's token = %q", got)
			}
			s.WantTrail(tt.trail...)
		})
	}
}

// TestFailuresAreReported checks that nothing succeeds, or is done without a record in the
// log, if one of its statements fails.
func TestFailuresAreReported(t *testing.T) {
	s := directorytest.New(t)
	ctx, id := t.Context(), s.Company.ID
	var c connection.Connection
	connected := func() { whole(s) }
	pending := func() {
		ok(t, s.Store.Write(ctx).Exec("DELETE FROM revocations").Error)
		disconnect(s)
		s.Now = s.Now.Add(time.Hour)
	}
	s.FailEach([]databasetest.Call{
		{
			Name: "status", Before: connected,
			Run: func() error { return databasetest.ErrorOf(s.Connections.Status(ctx, anna(s))) },
		},
		{Name: "active", Run: func() error { return databasetest.ErrorOf(s.Connections.Active(ctx, id, pagesPair)) }},
		{Name: "list", Run: func() error { return databasetest.ErrorOf(s.Connections.List(ctx, connection.Query{})) }},
		{Name: "broken", Run: func() error { return databasetest.ErrorOf(s.Connections.Broken(ctx, 0, 9)) }},
		{Name: "photos", Run: func() error { _, _, err := s.Connections.PhotosVia(ctx, id); return err }},
		{Name: "discover", Run: func() error { return s.Connections.LimitDiscover(ctx, id, provider.SocialPages) }},
		{Name: "sync", Run: func() error { return s.Connections.LimitSync(ctx, id, provider.SocialPages) }},
		{Name: "use", Before: func() {
			s.Change(pagesPair, func(c *connection.Connection) { c.ReconnectReason = "" })
			c = s.Stored(pagesPair)
		}, Run: func() error {
			_, err := connection.Use(ctx, s.Connections, c, func(context.Context, string, string) (string, error) {
				return "", refused("A")
			})
			if fault.Is(err, provider.CodeReconnect) { // as it has to be, also if it is not counted
				return nil
			}
			return err
		}},
		{Name: "unmark", Before: func() {
			s.Change(pagesPair, func(c *connection.Connection) { c.ReconnectReason = "Połącz ponownie." })
		}, Run: func() error {
			return databasetest.ErrorOf(s.Connections.Unmark(ctx, trail.Entry{}, connection.Query{}))
		}},
		{Name: "disconnect", Before: connected, Run: func() error {
			return s.Connections.Disconnect(ctx, anna(s), pagesPair)
		}},
		{Name: "withdrawal", Before: pending, Run: s.Withdraw},
		{Name: "withdrawal that fails", Before: func() {
			pending()
			s.Social.Fail["Revoke"] = provider.Throttled(nil, time.Hour)
		}, Run: func() error {
			err := s.Withdraw()
			if errors.As(err, new(*river.JobSnoozeError)) {
				return nil
			}
			return err
		}},
		{Name: "forget", Before: pending, Run: func() error {
			return s.Store.Connections.ForgetRevocations(ctx, provider.Social, "p-1", s.Now)
		}},
	}...)
}
