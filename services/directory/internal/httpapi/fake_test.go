package httpapi_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"backend.example/services/directory/internal/directory"
)

// scope is what every service needs.
const scope = "wszystko"

// login is what both providers do for an authorization. A token that they did not
// give is dead.
type login struct {
	w           *world
	token       directory.Token // what Exchange gives
	err         error           // of every call but Exchange
	exchangeErr error

	mu        sync.Mutex
	exchanged []exchange
	revoked   int
}

// exchange is what Exchange was called with.
type exchange struct{ code, verifier, redirectURL string }

func newLogin(w *world) login {
	return login{w: w, token: directory.Token{
		AccessToken: w.secret("access"), RefreshToken: w.secret("refresh"), ExpiresAt: ptr(w.now.Add(time.Hour)),
		Scopes: []string{scope}, ProviderUserID: "osoba-1",
	}}
}

func (l *login) abilities() directory.Abilities {
	return directory.Abilities{Configured: true, UsesPKCE: true, AuthURL: l.AuthURL, Exchange: l.Exchange, Lacks: l.Lacks, Revoke: l.Revoke}
}

func (l *login) AuthURL(s directory.Service, state, verifier, redirectURL string) string {
	l.w.records.keep(verifier)
	challenge := sha256.Sum256([]byte(verifier))
	return "https://consent.example/auth?" + url.Values{
		"scope": {string(s)}, "state": {state}, "redirect_uri": {redirectURL},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(challenge[:])},
	}.Encode()
}

func (l *login) Exchange(_ context.Context, _ directory.Service, code, verifier, redirectURL string) (directory.Token, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.exchanged = append(l.exchanged, exchange{code, verifier, redirectURL})
	return l.token, l.exchangeErr
}

func (l *login) Lacks(_ directory.Service, granted []string) []string {
	if slices.Contains(granted, scope) {
		return nil
	}
	return []string{scope}
}

func (l *login) Revoke(context.Context, directory.Connection) error {
	l.revoked++
	return l.err
}

// open answers for a token that has to be one of those that are good.
func (l *login) open(token string, good ...string) error {
	if l.err == nil && !slices.Contains(good, token) {
		return dead()
	}
	return l.err
}

func dead() error {
	return directory.Revoked(errors.New("no such token"), "Dostęp został cofnięty. Połącz konto ponownie.")
}

// searchProvider has one account with two locations.
type searchProvider struct {
	login
	access    string // the good token
	locations []directory.Location
	profile   directory.Profile
}

func newSearchProvider(w *world) *searchProvider {
	p := &searchProvider{login: newLogin(w)}
	p.access = p.token.AccessToken
	p.locations = []directory.Location{
		{Name: "locations/1", Title: "Piekarnia", AccountName: "accounts/9", Address: "ul. Długa 5, Kraków", PlaceID: "place-1"},
		{Name: "locations/2", Title: "Cukiernia", AccountName: "accounts/9"},
	}
	p.profile = directory.Profile{
		Source: directory.FromBusinessProfile, Tells: []directory.Field{directory.FieldName, directory.FieldAddress, directory.FieldPhone},
		PlaceID: "place-1", Name: "Piekarnia", Address: "ul. Długa 5, 31-147 Kraków", Phone: "+48 12 345 67 89", FetchedAt: w.now,
	}
	return p
}

func (p *searchProvider) abilities() directory.Abilities {
	can := p.login.abilities()
	can.Account, can.Refresh, can.Locations, can.ReadLocation = p.Account, p.Refresh, p.Locations, p.ReadLocation
	return can
}

func (p *searchProvider) Account(context.Context, directory.Service, directory.Token) (id, name string, err error) {
	return "accounts/9", "Anna", p.err
}

func (p *searchProvider) Refresh(context.Context, directory.Connection) (directory.Token, error) {
	return p.token, p.err
}

func (p *searchProvider) Locations(_ context.Context, token string) ([]directory.Location, error) {
	return p.locations, p.open(token, p.access)
}

func (p *searchProvider) ReadLocation(_ context.Context, token, _ string) (directory.Profile, error) {
	return p.profile, p.open(token, p.access)
}

// socialProvider has a user who manages two pages and has no rights on a third.
type socialProvider struct {
	login
	user     string // the good token of the user
	pages    []directory.Page
	readErr  error // of ReadPage and ReadPhotos
	page     directory.PageData
	photos   directory.PhotoData
	pageRead string // the page that was read last
}

func newSocialProvider(w *world) *socialProvider {
	p := &socialProvider{login: newLogin(w)}
	p.token.RefreshToken, p.token.ExpiresAt = "", ptr(w.now.Add(60*24*time.Hour))
	p.user = p.token.AccessToken
	p.pages = []directory.Page{
		{ID: "104118", Name: "Piekarnia", Category: "Piekarnia", FanCount: 1204, AccessToken: w.secret("page")},
		{ID: "104119", Name: "Cukiernia", AccessToken: w.secret("page")},
		{ID: "104120", Name: "Cudza"},
	}
	p.page = directory.PageData{
		FanCount: 1204, FollowersCount: 1250, Name: "Piekarnia", Category: "Piekarnia", Link: "https://social.example/piekarnia",
		Metrics: map[string]any{"page_views_total": 57}, Unavailable: []string{"page_impressions"},
	}
	p.photos = directory.PhotoData{Profile: directory.PhotoProfile{ID: "17841", Username: "piekarnia", FollowersCount: 830}}
	return p
}

func (p *socialProvider) abilities() directory.Abilities {
	can := p.login.abilities()
	can.Pages, can.ReadPage, can.ReadPhotos = p.Pages, p.ReadPage, p.ReadPhotos
	return can
}

func (p *socialProvider) Pages(_ context.Context, token string) ([]directory.Page, error) {
	return p.pages, p.open(token, p.user)
}

func (p *socialProvider) ReadPage(_ context.Context, token, id string) (directory.PageData, error) {
	return p.page, p.read(token, id)
}

func (p *socialProvider) ReadPhotos(_ context.Context, token, id string) (directory.PhotoData, error) {
	return p.photos, p.read(token, id)
}

// read wants the token of the page itself.
func (p *socialProvider) read(token, id string) error {
	p.pageRead = id
	for _, page := range p.pages {
		if page.ID == id && p.readErr == nil {
			return p.open(token, page.AccessToken)
		}
	}
	return p.readErr
}

// places is the public register of places.
type places struct {
	profile directory.Profile
	err     error
	asked   int
}

func (p *places) FindPlace(context.Context, directory.Company) (directory.Profile, error) {
	p.asked++
	return p.profile, p.err
}
