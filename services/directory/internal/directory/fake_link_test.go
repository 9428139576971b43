package directory_test

import (
	"bytes"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

var (
	linkNow       = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	profilePair   = directory.Pair{Provider: directory.ProviderSearch, Service: directory.SearchProfile}
	analyticsPair = directory.Pair{Provider: directory.ProviderSearch, Service: directory.SearchAnalytics}
	pagesPair     = directory.Pair{Provider: directory.ProviderSocial, Service: directory.SocialPages}
	photosPair    = directory.Pair{Provider: directory.ProviderSocial, Service: directory.SocialPhotos}
)

// link is a small world around an OAuth.
type link struct {
	t              *testing.T
	now            time.Time
	store          *linkStore
	search, social *linkProvider
	providers      map[directory.Provider]directory.Abilities
	oauth          *directory.OAuth
	later          []func() // what waits in the background
	log            bytes.Buffer
}

func newLink(t *testing.T) *link {
	l := &link{t: t, now: linkNow, store: &linkStore{}, search: &linkProvider{}, social: &linkProvider{}}
	l.providers = map[directory.Provider]directory.Abilities{
		directory.ProviderSearch: l.search.abilities(), directory.ProviderSocial: l.social.abilities(),
	}
	l.can(directory.ProviderSearch, func(can *directory.Abilities) { can.UsesPKCE = true })
	l.oauth = l.with(l.providers)
	return l
}

// with is an OAuth with other providers.
func (l *link) with(providers map[directory.Provider]directory.Abilities) *directory.OAuth {
	return directory.NewOAuth(l.store, providers, "https://firmy.example", l.clock,
		func(f func()) { l.later = append(l.later, f) }, l.logger())
}

// can changes what a provider can do.
func (l *link) can(p directory.Provider, change func(*directory.Abilities)) {
	can := l.providers[p]
	change(&can)
	l.providers[p] = can
}

func unconfigured(can *directory.Abilities) { can.Configured = false }

func (l *link) clock() time.Time { return l.now }

func (l *link) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&l.log, nil)) }

// connected stores an active connection of company 7.
func (l *link) connected(c directory.Connection) directory.Connection {
	c.ID, c.CompanyID, c.Active = int64(len(l.store.connections)+1), 7, true
	l.store.put(c)
	return c
}

// stored is the connection as the store has it.
func (l *link) stored(id int64) directory.Connection {
	l.t.Helper()
	l.store.data.Lock()
	defer l.store.data.Unlock()
	c, err := l.store.find(func(c directory.Connection) bool { return c.ID == id })
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// unchanged fails the test when the store does not hold c as it is.
func (l *link) unchanged(c directory.Connection) {
	l.t.Helper()
	if now := l.stored(c.ID); !reflect.DeepEqual(now, c) {
		l.t.Errorf("stored connection = %+v, want %+v", now, c)
	}
	l.trail()
}

// trail fails the test when the trail does not tell these actions.
func (l *link) trail(want ...string) {
	l.t.Helper()
	if got := l.store.actions(); len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		l.t.Errorf("trail = %q, want %q", got, want)
	}
}

// linkTime is a time so much after the beginning.
func linkTime(d time.Duration) *time.Time {
	t := linkNow.Add(d)
	return &t
}

func linkActor(userID, companyID int64) directory.Actor {
	a := directory.Actor{User: directory.User{ID: userID, Role: directory.Member}, RequestID: "req-1"}
	if companyID != 0 {
		a.User.CompanyID = &companyID
	}
	return a
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	if !fault.Is(err, code) || fault.From(err).Kind != kind {
		t.Errorf("err = %v, want %s of kind %d", err, code, kind)
	}
	if fault.Is(err, code) && fault.From(err).Message == "" {
		t.Errorf("%s has no text for the user", code)
	}
}
