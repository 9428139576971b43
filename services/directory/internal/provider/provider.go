// Package provider holds what the clients of all providers share: requests, retries, paging, and the
// faults of failed calls.
//
// A call that fails for a passing reason is tried up to three times, within the timeout of one call, but
// neither the exchange of a code, which is valid once, nor a call beyond a rate limit.
//
// No secret appears in an error, nor the providers' own error texts, which may quote what was sent.
// Errors hold the address without its query, the status, and the provider's error codes.
package provider

import (
	"errors"
	"fmt"
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

// Names lists the providers.
func Names() []Name { return []Name{Search, Social} }

var titles = map[Name]string{Search: "Google", Social: "Facebook"}

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

var texts = map[Pair]struct{ name, description string }{
	ProfilePair: {"Profil Firmy w Google",
		"Wizytówka firmy: dane kontaktowe, godziny otwarcia i audyt kompletności."},
	AnalyticsPair: {"Google Search Console", "Widoczność witryny firmy w wynikach wyszukiwania Google."},
	PagesPair:     {"Strona na Facebooku", "Strona firmy, liczba obserwujących i statystyki zasięgu."},
	PhotosPair:    {"Konto na Instagramie", "Konto firmowe połączone ze stroną: publikacje, reakcje i statystyki."},
}

// Pairs lists the valid pairs in the order in which people see them.
func Pairs() []Pair { return []Pair{ProfilePair, AnalyticsPair, PagesPair, PhotosPair} }

// String returns the pair as in "provider_search/search_profile".
func (p Pair) String() string { return string(p.Provider) + "/" + string(p.Service) }

// Valid reports whether p is one of Pairs.
func (p Pair) Valid() bool { return slices.Contains(Pairs(), p) }

// Name returns the Polish name of the service; it is empty unless p is valid.
func (p Pair) Name() string { return texts[p].name }

// Description returns what the service is for, in Polish.
func (p Pair) Description() string { return texts[p].description }

// PersonRequest is a signed request of a provider on behalf of a person who granted access.
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

// The codes of the ways in which a provider fails.
var (
	// CodeReconnect is a revoked credential, which only the user can renew, see [Revoked].
	CodeReconnect = fault.NewCode(fault.Internal, "provider_reconnect", "")
	// CodePermission is a missing permission.
	CodePermission = fault.NewCode(fault.Internal, "provider_permission",
		"Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody.")
	// CodeThrottled is a used-up limit of the provider.
	CodeThrottled = fault.NewCode(fault.Internal, "provider_throttled",
		"Usługa chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.")
	// CodeTemporary is a failure that passes.
	CodeTemporary = fault.NewCode(fault.Internal, "provider_temporary",
		"Usługa chwilowo nie odpowiada. Spróbuj ponownie za kilka minut.")
	// CodeOperator is a setting that the operator has to make.
	CodeOperator = fault.NewCode(fault.Internal, "provider_setup",
		"Ta usługa nie została nam jeszcze udostępniona. Skontaktuj się z administratorem.")
	// CodeGone is a resource that does not exist any more.
	CodeGone = fault.NewCode(fault.Internal, "provider_gone", "Nie ma już takiej strony lub takiego konta.")
	// CodeChanged is a response that cannot be read.
	CodeChanged = fault.NewCode(fault.Internal, "provider_changed", "Nie udało się odczytać odpowiedzi usługi.")
	// CodeInvalidRequest is a signed request with another signature or format.
	CodeInvalidRequest = fault.NewCode(fault.Invalid, "invalid_request", "Podpis żądania jest nieprawidłowy.")
)

// ReasonCode is the reason for connecting again when an authorization code was refused.
const ReasonCode = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."

// Revoked returns the fault of a credential that is refused for good; users see reason.
func Revoked(err error, reason string) *fault.Error {
	refused := CodeReconnect.Wrap(err)
	refused.Message = reason
	return refused
}

// Denied returns the fault of a credential without the permission for the call.
func Denied(err error) *fault.Error { return CodePermission.Wrap(err) }

// Throttled returns the fault of a used-up limit of the token; wait is zero if it is not known.
func Throttled(err error, wait time.Duration) *fault.Error {
	return CodeThrottled.Wrap(err).After(wait)
}

var (
	errAppLimit = errors.New("the limit of the app")
	errAPILimit = errors.New("the limit of one API")
)

// ThrottledApp is Throttled for a limit that all tokens share.
func ThrottledApp(err error, wait time.Duration) *fault.Error {
	return Throttled(fmt.Errorf("%w: %w", errAppLimit, err), wait)
}

// IsAppLimit reports whether err was made by ThrottledApp.
func IsAppLimit(err error) bool { return errors.Is(err, errAppLimit) }

// Busy is Throttled for our own share of the provider's limits: nothing was sent.
func Busy(wait time.Duration) *fault.Error {
	busy := Throttled(ErrNoTurn, wait)
	busy.Kind = fault.Limited
	return busy
}

// ErrNoTurn is the cause if a request was not sent, because its turn had not come.
var ErrNoTurn = errors.New("no turn in the budget of the provider")

// ThrottledAPI is Throttled for a limit that all tokens share at one API of the provider.
func ThrottledAPI(err error, wait time.Duration) *fault.Error {
	return Throttled(fmt.Errorf("%w: %w", errAPILimit, err), wait)
}

// IsAPILimit reports whether err was made by ThrottledAPI.
func IsAPILimit(err error) bool { return errors.Is(err, errAPILimit) }

// Temporary returns the fault of a failure that passes without any action.
func Temporary(err error) *fault.Error { return CodeTemporary.Wrap(err) }

// NotSetUp returns the fault of an API that is not enabled or approved, or of a wrong key.
func NotSetUp(err error) *fault.Error { return CodeOperator.Wrap(err) }

// AppWide returns the fault of a refusal of our app, although err blames the credential of one user.
func AppWide(p Name, err error) *fault.Error {
	refused := NotSetUp(err)
	refused.Message = p.Title() + " odmawia teraz dostępu całej naszej usłudze, nie tylko tej firmie. " +
		"Nie trzeba łączyć kont ponownie."
	return refused
}

// Named makes the message of err name the service that failed, unless it has a text of its own.
func Named(title string, err error) error {
	named := map[fault.Code]string{
		CodeThrottled: "%s chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.",
		CodeTemporary: "%s chwilowo nie odpowiada. Spróbuj ponownie za kilka minut.",
		CodeChanged:   "Nie udało się odczytać odpowiedzi serwisu %s.",
	}
	for code, text := range named {
		if fault.Is(err, code) && fault.From(err).Message == code.Text {
			f := *fault.From(err)
			f.Err, f.Message = err, fmt.Sprintf(text, title)
			return &f
		}
	}
	return err
}

// Gone returns the fault of a page, account, location or place that does not exist.
func Gone(err error) *fault.Error { return CodeGone.Wrap(err) }

// Unreadable returns the fault of a response in an unknown format.
func Unreadable(err error) *fault.Error { return CodeChanged.Wrap(err) }
