package directorytest

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
)

// Scope is what every service needs.
const Scope = "wszystko"

// RevokedReason is what the providers say of a token that they did not give.
const RevokedReason = "Dostęp został cofnięty. Połącz konto ponownie."

// Revoked is how the providers refuse such a token.
func Revoked() error { return provider.Revoked(errors.New("no such token"), RevokedReason) }

// Provider answers for one person's token and for the pages of that person. It
// refuses every other token. Fail holds, by the name of a function, the error that
// it answers; During what runs while it is used.
type Provider struct {
	Token     provider.Token // what Exchange gives, and the good token
	Renewal   provider.Token // what Refresh gives
	AccountID string
	Name      string // of the account
	Pages     []meta.Page
	Page      meta.PageData
	Photos    meta.PhotoData
	Locations []google.Location
	Profile   google.Business
	Sites     []string
	Searched  google.SearchData  // without Site
	Performed google.Performance // without Location
	Queried   []google.PerformanceQuery
	PKCE      bool
	ScopeEach bool     // each service needs the scope of its own name
	Cut       bool     // lists are not complete
	Unread    []string // accounts whose locations cannot be read
	Err       error    // of every function but Exchange
	Fail      map[string]error
	During    map[string]func()

	Unconfigured bool

	mu        sync.Mutex
	once      map[string]error
	Calls     []string // e.g. "ReadPage page-1 100", in their order
	Exchanges []url.Values
	Refreshed []provider.Token
	Revoked   []provider.Token
}

// newSearch has an account with two locations.
func newSearch() *Provider {
	p := newProvider()
	p.AccountID = "accounts/9"
	p.Name = "Anna"
	p.PKCE = true
	p.Locations = []google.Location{
		{Name: "locations/1", Title: "Piekarnia", AccountName: "accounts/9", Address: "ul. Długa 5, Kraków",
			PlaceID: "place-1"},
		{Name: "locations/2", Title: "Cukiernia", AccountName: "accounts/9"},
	}
	p.Profile = google.Business{
		PlaceID: "place-1", Name: "Piekarnia", Address: "ul. Długa 5, 31-147 Kraków", Phone: "+48 12 345 67 89",
	}
	p.Sites = []string{"https://inna.example/", "sc-domain:piekarnia.example", "sc-domain:cukiernia.example"}
	p.Searched = google.SearchData{
		From: "2026-10-22", To: "2026-11-18",
		Days: []google.SearchDay{{Day: "2026-11-17", Clicks: 3, Impressions: 100, Position: 4},
			{Day: "2026-11-18", Clicks: 1, Impressions: 300, Position: 8}},
		Earlier: []google.SearchDay{{Day: "2026-10-21", Clicks: 1, Impressions: 50, Position: 9}},
		Queries: []google.SearchQuery{
			{Query: "chleb na zakwasie", Clicks: 2, Impressions: 50, CTR: 0.04, Position: 2.5},
		},
	}
	p.Performed = google.Performance{
		Days: []google.PerformanceDay{
			{Day: "2026-11-16", SearchDesktop: 10, SearchMobile: 20, MapsDesktop: 3, MapsMobile: 7, Calls: 2,
				Directions: 4},
			{Day: "2026-11-17", SearchMobile: 60, Website: 5, Messages: 1, Bookings: 3},
		},
		Month: "2026-10", Keywords: []google.Keyword{
			{Keyword: "piekarnia", Impressions: 85}, {Keyword: "chleb", Impressions: 15, Fewer: true},
		},
	}
	return p
}

// newSocial has a user who manages two pages and has no rights on a third.
func newSocial() *Provider {
	p := newProvider()
	p.Token.RefreshToken, p.Token.ExpiresAt = "", After(60*24*time.Hour)
	p.Pages = []meta.Page{
		{ID: "104118", Name: "Piekarnia", Category: "Piekarnia", FanCount: 1204, AccessToken: "page-1"},
		{ID: "104119", Name: "Cukiernia", AccessToken: "page-2"},
		{ID: "104120", Name: "Cudza"},
	}
	p.Page = meta.PageData{
		FanCount: 1204, FollowersCount: 1250, Name: "Piekarnia", Category: "Piekarnia",
		Link:    "https://social.example/piekarnia",
		Metrics: map[string]any{"page_views_total": 57.0}, Unavailable: []string{"page_impressions"},
	}
	p.Photos = meta.PhotoData{
		Media: []meta.Medium{}, Profile: meta.PhotoProfile{ID: "17841", Username: "piekarnia", FollowersCount: 830},
	}
	return p
}

func newProvider() *Provider {
	return &Provider{
		Token: provider.Token{
			AccessToken: "access-1", RefreshToken: "refresh-1", ExpiresAt: After(time.Hour), Scopes: []string{Scope},
			ProviderUserID: "osoba-1",
		},
		Fail: map[string]error{}, During: map[string]func(){},
	}
}

// Configured implements provider.Client.
func (p *Provider) Configured() bool { return !p.Unconfigured }

// UsesPKCE implements provider.Client.
func (p *Provider) UsesPKCE() bool { return p.PKCE }

// use notes a call; what happens during it may end ctx.
func (p *Provider) use(ctx context.Context, function, detail string) error {
	p.mu.Lock()
	p.Calls = append(p.Calls, function+" "+detail)
	once := p.once[function]
	delete(p.once, function)
	p.mu.Unlock()
	if during := p.During[function]; during != nil {
		during()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if p.Err != nil && function != "Exchange" {
		return p.Err
	}
	return cmp.Or(once, p.Fail[function])
}

// FailOnce makes the next use of a function fail.
func (p *Provider) FailOnce(function string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.once == nil {
		p.once = map[string]error{}
	}
	p.once[function] = err
}

// read is use with the token of the person.
func (p *Provider) read(ctx context.Context, function, token string) error {
	if err := p.use(ctx, function, token); err != nil {
		return err
	}
	if token != p.Token.AccessToken && token != p.Renewal.AccessToken {
		return Revoked()
	}
	return nil
}

// readOf is use with the token of a page.
func (p *Provider) readOf(ctx context.Context, function, token, id string) error {
	if err := p.use(ctx, function, token+" "+id); err != nil {
		return err
	}
	own := func(page meta.Page) bool { return page.ID == id && page.AccessToken == token && token != "" }
	if !slices.ContainsFunc(p.Pages, own) {
		return Revoked()
	}
	return nil
}

// AuthURL implements provider.Client.
func (p *Provider) AuthURL(services []provider.Service, state, verifier, redirectURL string) string {
	query := url.Values{"scope": {joined(services)}, "state": {state}, "redirect_uri": {redirectURL}}
	if verifier != "" {
		challenge := sha256.Sum256([]byte(verifier))
		query.Set("code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:]))
	}
	return "https://consent.example/auth?" + query.Encode()
}

// joined lists services as scopes are listed.
func joined(services []provider.Service) string {
	names := make([]string, len(services))
	for i, s := range services {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// Exchange implements provider.Client.
func (p *Provider) Exchange(ctx context.Context, services []provider.Service, code, verifier,
	redirectURL string) (provider.Token, error) {
	p.mu.Lock()
	p.Exchanges = append(p.Exchanges, url.Values{"service": {joined(services)}, "code": {code}, "verifier": {verifier},
		"redirect": {redirectURL}})
	p.mu.Unlock()
	return p.Token, p.use(ctx, "Exchange", code)
}

// Lacks implements provider.Client.
func (p *Provider) Lacks(service provider.Service, granted []string) []string {
	needed := Scope
	if p.ScopeEach {
		needed = string(service)
	}
	if slices.Contains(granted, needed) {
		return nil
	}
	return []string{needed}
}

// FindChoice implements provider.Client.
func (p *Provider) FindChoice(ctx context.Context, token, id string) (provider.Choice, error) {
	if p.Locations != nil {
		b, err := p.readLocation(ctx, token, id)
		return provider.Choice{ID: id, Name: b.Name, Address: b.Address, PlaceID: b.PlaceID}, err
	}
	page, err := p.findPage(ctx, token, id)
	if err == nil && page.AccessToken == "" {
		err = provider.Gone(errors.New("the person may not act for the page"))
	}
	return provider.Choice{ID: page.ID, Name: page.Name, Token: page.AccessToken}, err
}

// Account implements provider.Client.
func (p *Provider) Account(ctx context.Context, _ provider.Service, token provider.Token) (id, name string, err error) {
	if err := p.use(ctx, "Account", token.AccessToken); err != nil {
		return "", "", err
	}
	return p.AccountID, p.Name, nil
}

// Refresh implements provider.Client.
func (p *Provider) Refresh(ctx context.Context, c provider.Token) (provider.Token, error) {
	p.mu.Lock()
	p.Refreshed = append(p.Refreshed, c)
	p.mu.Unlock()
	if err := p.use(ctx, "Refresh", c.RefreshToken); err != nil {
		return provider.Token{}, err
	}
	return p.Renewal, nil
}

// Revoke implements provider.Client.
func (p *Provider) Revoke(ctx context.Context, c provider.Token) error {
	err := p.use(ctx, "Revoke", c.RefreshToken)
	if err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.Revoked = append(p.Revoked, c)
	}
	return err
}

func (p *Provider) pages(ctx context.Context, token string, _ []string) (provider.List[meta.Page], error) {
	err := p.read(ctx, "Pages", token)
	return provider.List[meta.Page]{Items: p.Pages, Complete: !p.Cut}, err
}

func (p *Provider) findPage(ctx context.Context, token, id string) (meta.Page, error) {
	if err := p.read(ctx, "FindPage", token); err != nil {
		return meta.Page{}, err
	}
	i := slices.IndexFunc(p.Pages, func(page meta.Page) bool { return page.ID == id })
	if i < 0 {
		return meta.Page{}, provider.Gone(errors.New("no such page"))
	}
	return p.Pages[i], nil
}

func (p *Provider) readPage(ctx context.Context, token, id string) (meta.PageData, error) {
	return p.Page, p.readOf(ctx, "ReadPage", token, id)
}

func (p *Provider) readPhotos(ctx context.Context, token, id string) (meta.PhotoData, error) {
	return p.Photos, p.readOf(ctx, "ReadPhotos", token, id)
}

func (p *Provider) readLocation(ctx context.Context, token, _ string) (google.Business, error) {
	return p.Profile, p.read(ctx, "ReadLocation", token)
}

func (p *Provider) readPerformance(ctx context.Context, token string, q google.PerformanceQuery) (google.Performance,
	error) {
	p.mu.Lock()
	p.Queried = append(p.Queried, q)
	p.mu.Unlock()
	read := p.Performed
	read.Location = q.Location
	return read, p.read(ctx, "ReadPerformance", token)
}

func (p *Provider) sites(ctx context.Context, token string) ([]string, error) {
	return p.Sites, p.read(ctx, "Sites", token)
}

func (p *Provider) readSearch(ctx context.Context, token, site string) (google.SearchData, error) {
	data := p.Searched
	data.Site = site
	return data, p.read(ctx, "ReadSearch", token)
}

// metaSecret signs the requests of persons.
const metaSecret = "directorytest-secret" // #nosec G101 -- of tests

// SignedRequest is a request of a person at a time that the providers accept.
func SignedRequest(person string, at time.Time) string {
	payload := base64.RawURLEncoding.EncodeToString(
		fmt.Appendf(nil, `{"algorithm":"HMAC-SHA256","user_id":%q,"issued_at":%d}`, person, at.Unix()))
	mac := hmac.New(sha256.New, []byte(metaSecret))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + payload
}
