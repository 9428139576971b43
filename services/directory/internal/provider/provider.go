// Package provider holds what the clients of all outside providers share: requests,
// retries, paging, and the translation of failed exchanges. Package google calls
// provider_search and the public places, package meta provider_social. Each of them
// owns the addresses, scopes and formats of its provider.
//
// A call that fails for a passing reason is tried up to three times, within the
// timeout of one call. The exchange of an authorization code is not repeated, because
// a code is valid for one try. A used-up rate limit is not tried again either, but
// reported with the time to wait.
//
// No token, key or client secret appears in an error. The providers' own error texts
// are left out as well, because they may quote what was sent. Errors hold the address
// without its query, the status, and the provider's error codes.
package provider

import (
	"slices"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Name identifies an OAuth 2.0 provider.
type Name string

// The providers.
const (
	Search Name = "provider_search"
	Social Name = "provider_social"
)

// titles are the names under which people know the providers.
var titles = map[Name]string{Search: "Google", Social: "Meta"}

// Title returns the name under which people know the provider.
func (n Name) Title() string { return titles[n] }

// Service identifies what a company connects at a provider.
type Service string

// The services.
const (
	SearchProfile   Service = "search_profile"
	SearchAnalytics Service = "search_analytics"
	SocialPages     Service = "social_pages"
	SocialPhotos    Service = "social_photos"
)

// Pair is a service of a provider, as addresses name it.
type Pair struct {
	Provider Name
	Service  Service
}

// The pairs.
var (
	ProfilePair   = Pair{Search, SearchProfile}
	AnalyticsPair = Pair{Search, SearchAnalytics}
	PagesPair     = Pair{Social, SocialPages}
	PhotosPair    = Pair{Social, SocialPhotos}
)

// pairs are the valid pairs in the order in which people see them, with their Polish
// names and descriptions.
var pairs = []struct {
	Pair
	name, description string
}{
	{ProfilePair, "Profil firmy w wyszukiwarce", "Wizytówka firmy: dane kontaktowe, godziny otwarcia i audyt kompletności."},
	{AnalyticsPair, "Statystyki wyszukiwarki", "Widoczność strony firmy w wynikach wyszukiwania i ruch na stronie."},
	{PagesPair, "Strona w serwisie społecznościowym", "Profil strony firmy, liczba obserwujących i statystyki zasięgu."},
	{PhotosPair, "Konto w serwisie ze zdjęciami", "Konto firmowe połączone ze stroną: publikacje, reakcje i statystyki."},
}

// Pairs lists the valid pairs in the order in which people see them.
func Pairs() []Pair {
	list := make([]Pair, len(pairs))
	for i, p := range pairs {
		list[i] = p.Pair
	}
	return list
}

// String returns the pair as the status shows it, e.g. "provider_search/search_profile".
func (p Pair) String() string { return string(p.Provider) + "/" + string(p.Service) }

// Valid reports whether p is one of Pairs.
func (p Pair) Valid() bool { return slices.Contains(Pairs(), p) }

// Name returns the Polish name of the service; it is empty unless p is valid.
func (p Pair) Name() string { name, _ := p.texts(); return name }

// Description returns what the service is for, in Polish.
func (p Pair) Description() string { _, description := p.texts(); return description }

func (p Pair) texts() (name, description string) {
	for _, known := range pairs {
		if known.Pair == p {
			return known.name, known.description
		}
	}
	return "", ""
}

// Token is the response of a provider's token endpoint, and the grant behind a
// connection.
type Token struct {
	AccessToken    string
	RefreshToken   string     // empty: the previous one stays valid
	ExpiresAt      *time.Time // nil: does not expire
	Scopes         []string   // granted
	ProviderUserID string     // the person who granted, at the provider

	DataAccessExpiresAt *time.Time // nil: not known, or not for this provider
}

// PersonRequest is a signed request that a provider makes on behalf of a person who
// granted access.
type PersonRequest struct {
	PersonID string    // at the provider
	IssuedAt time.Time // to the second
	Digest   string    // identifies the request and cannot be guessed
}

// List is what a provider listed, which need not be everything.
type List[T any] struct {
	Items    []T
	Complete bool     // false: there are more, or a part could not be read
	Unread   []string // names of the accounts whose items could not be read
}

// Find returns the item that fits, or the fault missing. An item that an incomplete
// list lacks may be found later: the fault is provider_temporary.
func (l List[T]) Find(fits func(T) bool, missing fault.Code) (item T, err error) {
	i := slices.IndexFunc(l.Items, fits)
	switch {
	case i < 0 && !l.Complete:
		return item, CodeTemporary.Fault()
	case i < 0:
		return item, missing.Fault()
	}
	return l.Items[i], nil
}
