package pages_test

import (
	"context"
	"net/http"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// domain answers the handlers as its fields say, and notes what changed.
type domain struct {
	user     *directory.User // logged in; nil: nobody
	company  directory.Company
	status   map[string]directory.ServiceStatus
	history  []directory.Audit
	left     directory.LimitState
	fetch    *directory.Fetch
	pages    []directory.Page
	places   []directory.Location
	page     *directory.PageData
	photos   *directory.PhotoData
	past     []directory.Followers
	unsynced bool // choosing a page does not sync it
	done     []string

	sessionErr, loginErr, companyErr, statusErr, connectErr, keepErr, disconnectErr error
	historyErr, triggerErr, discoverErr, selectErr, syncErr, statisticsErr, pingErr error
}

func newDomain() *domain {
	d := &domain{
		company: directory.Company{ID: 1, Name: "Piekarnia <Kowalski>", Slug: "piekarnia", Status: directory.CompanyStatusActive},
		left:    directory.LimitState{OK: true, Left: 19}, status: map[string]directory.ServiceStatus{},
		fetch: &directory.Fetch{Success: true},
	}
	for _, p := range directory.Pairs() {
		d.status[p.String()] = directory.ServiceStatus{Name: p.Name(), Description: "Opis."}
	}
	return d
}

func (d *domain) did(what string, err error) error {
	if err == nil {
		d.done = append(d.done, what)
	}
	return err
}

func (d *domain) Ping(context.Context) error { return d.pingErr }

func (d *domain) User(*http.Request) (*directory.User, error) { return d.user, d.sessionErr }

func (d *domain) Begin(http.ResponseWriter, *http.Request, int64) error { return d.did("begin", nil) }

func (d *domain) End(http.ResponseWriter, *http.Request) error { return d.did("end", nil) }

func (d *domain) Keep(_ http.ResponseWriter, _ *http.Request, p *directory.Pending) error {
	return d.did("keep "+p.State, d.keepErr)
}

// logins are the domain's users.
type logins struct{ *domain }

func (l logins) Login(_ context.Context, email, password, address string) (directory.User, error) {
	return directory.User{ID: 7}, l.did(strings.Join([]string{"login", email, password, address}, " "), l.loginErr)
}

func (d *domain) Company(context.Context, int64) (directory.Company, error) {
	return d.company, d.companyErr
}

func (d *domain) Connect(_ directory.Actor, p directory.Pair) (string, *directory.Pending, error) {
	return "https://consent.example/auth?a=1&b=2", &directory.Pending{State: p.String()}, d.connectErr
}

func (d *domain) Status(context.Context, directory.Actor) (map[string]directory.ServiceStatus, error) {
	return d.status, d.statusErr
}

func (d *domain) Disconnect(_ context.Context, _ directory.Actor, p directory.Pair) error {
	return d.did("disconnect "+p.String(), d.disconnectErr)
}

func (d *domain) History(_ context.Context, slug string, _ int64, n int) (directory.Company, []directory.Audit, error) {
	if d.historyErr == nil && slug != d.company.Slug {
		return directory.Company{}, nil, fault.New(fault.NotFound, "no_company", "Nie znaleziono firmy.")
	}
	return d.company, d.history[:min(n, len(d.history))], d.historyErr
}

func (d *domain) Left(context.Context, directory.Actor) (directory.LimitState, error) {
	return d.left, nil
}

func (d *domain) Trigger(_ context.Context, _ directory.Actor, r directory.AuditRequest) (directory.Company, directory.Audit, *directory.Fetch, error) {
	what := "audit " + r.Company.Slug
	if r.ForceRefresh {
		what += " anew"
	}
	return d.company, directory.Audit{}, d.fetch, d.did(what, d.triggerErr)
}

// locations and social are the domain's locations and pages.
type (
	locations struct{ *domain }
	social    struct{ *domain }
)

func (l locations) Discover(context.Context, directory.Actor) ([]directory.Location, error) {
	return l.places, l.discoverErr
}

func (l locations) Select(_ context.Context, _ directory.Actor, name string) (directory.Location, error) {
	return directory.Location{}, l.did("location "+name, l.selectErr)
}

func (s social) Discover(context.Context, int64) ([]directory.Page, error) {
	return s.pages, s.discoverErr
}

func (s social) Select(_ context.Context, _ directory.Actor, _ int64, id string) (directory.Page, *directory.PageData, error) {
	if s.unsynced {
		return directory.Page{}, nil, s.did("page "+id, nil)
	}
	return directory.Page{}, &directory.PageData{}, s.did("page "+id, s.selectErr)
}

func (s social) SyncPage(context.Context, int64) (directory.PageData, error) {
	return directory.PageData{}, s.did("sync page", s.syncErr)
}

func (s social) SyncPhotos(context.Context, int64) (directory.PhotoData, error) {
	return directory.PhotoData{}, s.did("sync photos", s.syncErr)
}

func (s social) PageStatistics(context.Context, int64) (*directory.PageData, []directory.Followers, error) {
	return s.page, s.past, s.statisticsErr
}

func (s social) PhotoStatistics(context.Context, int64) (*directory.PhotoData, []directory.Followers, error) {
	return s.photos, s.past, s.statisticsErr
}

// chosenPage puts a connected page with statistics there.
func (d *domain) chosenPage() {
	pages := d.status["provider_social/social_pages"]
	pages.Connected, pages.Chosen, pages.AccountName = true, true, "Piekarnia"
	d.status["provider_social/social_pages"] = pages
	d.page = &directory.PageData{
		Name: "Piekarnia", FollowersCount: 5136, FanCount: 4931, SyncedAt: now, Link: "https://social.example/p",
		Metrics: map[string]any{"page_views_total": 110.0, "unheard_of": 3.0}, Unavailable: []string{"page_media_view", "gone_metric"},
	}
	d.photos = &directory.PhotoData{
		Profile: directory.PhotoProfile{Username: "piekarnia", FollowersCount: 12345, MediaCount: 81}, SyncedAt: now,
		Engagement: directory.Engagement{Rate: 1.984},
		Insights:   map[string]any{"reach": map[string]any{"2026-11-20": 950.0, "2026-11-19": 700.0, "soon": 1.0}, "likes": 2150.0},
	}
	likes := 0
	for i := range 7 {
		d.photos.Media = append(d.photos.Media, directory.Medium{Caption: "Wpis " + string(rune('A'+i)), Timestamp: now, LikeCount: &likes, CommentsCount: 4})
	}
	d.photos.Media[1].LikeCount = nil
	d.past = []directory.Followers{{At: now.Add(-48 * time.Hour), Count: 5000}, {At: now, Count: 5136}}
}
