package directory_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

func twoPages() []directory.Page {
	return []directory.Page{
		{ID: "100", Name: "Piekarnia", Category: "Bakery", FanCount: 31, AccessToken: "page-1"},
		{ID: "200", Name: "Kawiarnia", Category: "Cafe", AccessToken: "page-2"},
		{ID: "300", Name: "Nie moja"},
	}
}

// paged is a Pages on a provider that knows user-1, page-1 and page-2.
func (l *link) paged() (*directory.Pages, *linkSocial) {
	social := &linkSocial{
		pages: map[string][]directory.Page{"user-1": twoPages()},
		page: map[string]directory.PageData{
			"page-1/100": {Name: "Piekarnia", FanCount: 31, FollowersCount: 40}, "page-2/200": {Name: "Kawiarnia"},
		},
		photos: map[string]directory.PhotoData{"page-1/100": {Profile: directory.PhotoProfile{ID: "178", FollowersCount: 12}}},
	}
	l.can(directory.ProviderSocial, func(can *directory.Abilities) {
		can.Pages, can.ReadPage, can.ReadPhotos = social.Pages, social.ReadPage, social.ReadPhotos
	})
	return directory.NewPages(l.oauth, l.store, l.clock, l.logger()), social
}

// granted is a connection without a page yet.
func (l *link) granted() directory.Connection {
	return l.connected(directory.Connection{
		Pair: pagesPair, AccessToken: "user-1", AccountID: "p-1", AccountName: "Anna", ExpiresAt: linkTime(time.Hour),
	})
}

func TestDiscoverPages(t *testing.T) {
	for name, connect := range map[string]func(*link) directory.Connection{
		"before a page is chosen": (*link).granted,
		"with the kept token":     func(l *link) directory.Connection { return l.chosen(time.Hour) },
		"while the page's is lost": func(l *link) directory.Connection {
			c := l.chosen(time.Hour)
			c.ReconnectReason = "Nie zarządzasz już tą stroną."
			l.store.put(c)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			c := connect(l)
			pages, social := l.paged()
			got, err := pages.Discover(t.Context(), 7)
			if err != nil || !reflect.DeepEqual(got, twoPages()) || !reflect.DeepEqual(social.requests, []string{"user-1"}) {
				t.Errorf("Discover = %+v, %v with %q", got, err, social.requests)
			}
			l.unchanged(c)
		})
	}
}

func TestPagesNeedAnActiveConnection(t *testing.T) {
	l := newLink(t)
	c := l.chosen(time.Hour)
	l.store.change(c.ID, inactive)
	pages, _ := l.paged()
	for _, company := range []int64{7, 8} {
		_, err := pages.Discover(t.Context(), company)
		wantFault(t, err, fault.NotFound, "no_connection")
		_, _, err = pages.Select(t.Context(), linkActor(42, 7), company, "100")
		wantFault(t, err, fault.NotFound, "no_connection")
		_, err = pages.SyncPage(t.Context(), company)
		wantFault(t, err, fault.NotFound, "no_connection")
		_, err = pages.SyncPhotos(t.Context(), company)
		wantFault(t, err, fault.NotFound, "no_connection")
	}
}

func TestSelectPage(t *testing.T) {
	l := newLink(t)
	want := l.granted()
	pages, _ := l.paged()
	page, data, err := pages.Select(t.Context(), linkActor(42, 9), 7, "100") // the actor's company is another one
	if err != nil || page != twoPages()[0] {
		t.Fatalf("Select = %+v, %v", page, err)
	}
	if data == nil || data.FanCount != 31 || !data.SyncedAt.Equal(linkNow) {
		t.Errorf("sync = %+v", data)
	}
	want.Chosen = directory.ChosenPage
	want.UserAccessToken, want.UserExpiresAt, want.AccessToken, want.ExpiresAt = "user-1", want.ExpiresAt, "page-1", nil
	want.AccountID, want.AccountName = "100", "Piekarnia"
	if got := l.stored(want.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	config := directory.SocialConfig{
		Platform: "social_pages", CompanyID: 7, PageID: "100", PageName: "Piekarnia", AccessToken: "page-1",
		Active: true, DebugMode: true, UpdatedBy: 42, UpdatedAt: linkNow,
	}
	if got := l.store.configs; !reflect.DeepEqual(got, []directory.SocialConfig{config}) {
		t.Errorf("configurations = %+v, want %+v", got, config)
	}
	l.trail("select_page")
	if e := l.store.trail[0]; e.CompanyID != 7 || *e.UserID != 42 || e.Detail != "100" || e.Pair != pagesPair || e.RequestID != "req-1" {
		t.Errorf("entry = %+v", e)
	}
}

func TestSelectAnotherPageKeepsTheUserToken(t *testing.T) {
	l := newLink(t)
	want := l.chosen(time.Hour)
	l.store.change(want.ID, func(c *directory.Connection) { c.ReconnectReason = "Nie zarządzasz już tą stroną." })
	pages, _ := l.paged()
	if _, _, err := pages.Select(t.Context(), linkActor(42, 7), 7, "200"); err != nil {
		t.Fatal(err)
	}
	want.AccessToken, want.AccountID, want.AccountName = "page-2", "200", "Kawiarnia"
	if got := l.stored(want.ID); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v: another page mends the connection", got, want)
	}
}

func TestSelectPageFaults(t *testing.T) {
	broken := errors.New("database is away")
	for name, tt := range map[string]struct {
		pageID string
		spoil  func(*link, *linkSocial)
		kind   fault.Kind
		code   string
	}{
		"not managed":   {"400", func(*link, *linkSocial) {}, fault.NotFound, "page_not_found"},
		"no credential": {"300", func(*link, *linkSocial) {}, fault.Invalid, "page_without_credential"},
		"provider away": {
			"100", func(_ *link, s *linkSocial) { s.readErr = directory.Temporary(broken) }, fault.Internal, directory.CodeTemporary,
		},
		"not saved":  {"100", func(l *link, _ *linkSocial) { l.store.selectErr = broken }, fault.Internal, "internal"},
		"ended then": {"100", func(l *link, s *linkSocial) { s.during = func() { l.store.change(1, inactive) } }, fault.NotFound, "no_connection"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			before := l.granted()
			pages, social := l.paged()
			tt.spoil(l, social)
			page, data, err := pages.Select(t.Context(), linkActor(42, 7), 7, tt.pageID)
			if f := fault.From(err); f == nil || f.Kind != tt.kind || f.Code != tt.code {
				t.Errorf("err = %v, want %s", err, tt.code)
			}
			if page != (directory.Page{}) || data != nil || len(l.store.configs) > 0 || len(l.store.statistics) > 0 {
				t.Errorf("page %+v, sync %+v, configurations %+v", page, data, l.store.configs)
			}
			if got := l.stored(1); got.AccessToken != before.AccessToken || got.UserAccessToken != "" {
				t.Errorf("stored = %+v", got)
			}
			l.trail()
		})
	}
}

func TestSelectPageOutlivesItsSync(t *testing.T) {
	for name, spoil := range map[string]func(*link, *linkSocial){
		"not read": func(_ *link, s *linkSocial) { s.page = nil },
		"not kept": func(l *link, _ *linkSocial) { l.store.statisticsErr = errors.New("database is away") },
	} {
		l := newLink(t)
		l.granted()
		pages, social := l.paged()
		spoil(l, social)
		page, data, err := pages.Select(t.Context(), linkActor(42, 7), 7, "100")
		if err != nil || page.ID != "100" || data != nil || l.stored(1).AccountID != "100" {
			t.Errorf("%s: Select = %+v, %+v, %v", name, page, data, err)
		}
		if log := l.log.String(); !strings.Contains(log, "req-1") || strings.Contains(log, "page-1") || strings.Contains(log, "user-1") {
			t.Errorf("%s: log = %q", name, log)
		}
	}
}

func TestSync(t *testing.T) {
	l := newLink(t)
	c := l.chosen(-time.Hour) // the page's token does the work
	pages, social := l.paged()
	page, err1 := pages.SyncPage(t.Context(), 7)
	photos, err2 := pages.SyncPhotos(t.Context(), 7)
	if err1 != nil || err2 != nil || page.FanCount != 31 || photos.Profile.ID != "178" {
		t.Fatalf("page %+v, %v, photos %+v, %v", page, err1, photos, err2)
	}
	if want := []string{"page-1", "page-1"}; !reflect.DeepEqual(social.requests, want) {
		t.Errorf("asked with %q, want %q", social.requests, want)
	}
	want := []directory.Statistics{
		{CompanyID: 7, Service: directory.SocialPages, AccountID: "100", Followers: 40, Data: asJSON(t, page), SyncedAt: linkNow},
		{CompanyID: 7, Service: directory.SocialPhotos, AccountID: "178", Followers: 12, Data: asJSON(t, photos), SyncedAt: linkNow},
	}
	if got := l.store.statistics; !reflect.DeepEqual(got, want) {
		t.Errorf("statistics = %+v, want %+v", got, want)
	}
	if !page.SyncedAt.Equal(linkNow) || !photos.SyncedAt.Equal(linkNow) {
		t.Errorf("synced at %v, %v", page.SyncedAt, photos.SyncedAt)
	}
	l.unchanged(c)
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func TestSyncFailures(t *testing.T) {
	broken := errors.New("database is away")
	for name, tt := range map[string]struct {
		connect func(*link) directory.Connection
		spoil   func(*link, *linkSocial)
		code    string
		trail   []string
	}{
		"no page chosen": {(*link).granted, func(*link, *linkSocial) {}, "no_page", nil},
		"page's token lost": {
			func(l *link) directory.Connection { return l.chosen(time.Hour) },
			func(_ *link, s *linkSocial) { s.page, s.photos = nil, nil }, directory.CodeReconnect, []string{"reconnect_required"},
		},
		"provider busy": {
			func(l *link) directory.Connection { return l.chosen(time.Hour) },
			func(_ *link, s *linkSocial) { s.readErr = directory.Throttled(broken, time.Minute) }, directory.CodeThrottled, nil,
		},
		"not kept": {
			func(l *link) directory.Connection { return l.chosen(time.Hour) },
			func(l *link, _ *linkSocial) { l.store.statisticsErr = broken }, "internal", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for what, sync := range map[string]func(*directory.Pages) error{
				"page":   func(p *directory.Pages) error { _, err := p.SyncPage(t.Context(), 7); return err },
				"photos": func(p *directory.Pages) error { _, err := p.SyncPhotos(t.Context(), 7); return err },
			} {
				l := newLink(t)
				tt.connect(l)
				pages, social := l.paged()
				tt.spoil(l, social)
				if err := sync(pages); err == nil || fault.From(err).Code != tt.code {
					t.Errorf("%s: %v, want %s", what, err, tt.code)
				}
				if len(l.store.statistics) > 0 {
					t.Errorf("%s: kept %+v", what, l.store.statistics)
				}
				l.trail(tt.trail...)
			}
		})
	}
}
