package directory

import (
	"fmt"

	"backend.example/services/internal/kit/fault"
)

// Code names one way in which a request fails. It has one meaning in the whole
// service; failures says which, and what people read.
type Code string

// The codes of what is asked for.
const (
	CodeNotLoggedIn       Code = "not_logged_in"
	CodeInvalidLogin      Code = "invalid_login"
	CodeTooManyAttempts   Code = "too_many_attempts"
	CodeInvalidPassword   Code = "invalid_password"
	CodeNoSession         Code = "no_session"
	CodeSessionConflict   Code = "session_conflict"
	CodeOtherSite         Code = "other_site"
	CodeNotAllowed        Code = "not_allowed"
	CodeNoUser            Code = "no_user"
	CodeEmailTaken        Code = "email_taken"
	CodeNoCompany         Code = "no_company"        // of the user
	CodeCompanyNotFound   Code = "company_not_found" // or not shown
	CodeSlugTaken         Code = "slug_taken"
	CodeInvalidSlug       Code = "invalid_slug"
	CodeInvalidText       Code = "invalid_text"
	CodeNoJSON            Code = "no_json"
	CodeUnreadableBody    Code = "unreadable_body"
	CodeUnreadableForm    Code = "unreadable_form"
	CodeMissingField      Code = "missing_field"
	CodeInvalidField      Code = "invalid_field"
	CodeInvalidParameter  Code = "invalid_parameter"
	CodeMissingParameters Code = "missing_parameters"
	CodeNothingChosen     Code = "nothing_chosen"
	CodeNoWebhook         Code = "no_webhook"
	CodeInvalidWebhook    Code = "invalid_webhook"
	CodeTooManyWebhooks   Code = "too_many_webhooks"
)

// The codes of connections and of what is read through them.
const (
	CodeInvalidPair           Code = "invalid_pair"
	CodeNotConfigured         Code = "not_configured"
	CodeNoConnection          Code = "no_connection"
	CodeConnectionChanged     Code = "connection_changed"
	CodeNoConfig              Code = "no_config"
	CodeInvalidRequest        Code = "invalid_request"
	CodeTooManyRequests       Code = "too_many_requests"
	CodeNoDeletion            Code = "no_deletion"
	CodeNoPage                Code = "no_page"
	CodeNoSite                Code = "no_site"
	CodePageNotFound          Code = "page_not_found"
	CodePageWithoutCredential Code = "page_without_credential"
	CodeLocationNotFound      Code = "location_not_found"
	CodeTooMuchWork           Code = "too_much_work"
	CodeProfileUnavailable    Code = "profile_unavailable"
	CodeNoStatistics          Code = "no_statistics"
	CodeNoProfile             Code = "no_profile"
	CodeNoProfileData         Code = "no_profile_data"
	CodeNoAudit               Code = "no_audit"
	CodeAuditLimit            Code = "audit_limit"
	CodeAuditUnavailable      Code = "audit_unavailable"
	CodeNoErasureLog          Code = "no_erasure_log"
	CodeUserConnected         Code = "user_connected"
)

// The codes of the ways in which a provider fails; see provider_fault.go.
const (
	CodeReconnect  Code = "provider_reconnect"  // the credential is revoked; only the user can mend it
	CodePermission Code = "provider_permission" // the credential lacks a permission; connect again with it
	CodeThrottled  Code = "provider_throttled"  // a limit of the provider; wait
	CodeTemporary  Code = "provider_temporary"  // a fault that passes by itself
	CodeOperator   Code = "provider_setup"      // the operator has to set something up at the provider
	CodeGone       Code = "provider_gone"       // the thing asked for does not exist there any more
	CodeChanged    Code = "provider_changed"    // an answer that we cannot read
)

// failure is what a code means: what the caller can do about it, what people at
// the website read, and what the operator at the command line does.
type failure struct {
	kind    fault.Kind
	text    string // Polish; %s is the name of a field
	english string // empty where no command meets it
}

var failures = map[Code]failure{
	CodeNotLoggedIn:       {fault.Unauthenticated, "Zaloguj się, aby kontynuować.", ""},
	CodeInvalidLogin:      {fault.Unauthenticated, "Nieprawidłowy adres e-mail lub hasło.", ""},
	CodeTooManyAttempts:   {fault.Limited, "Zbyt wiele prób logowania. Spróbuj ponownie później.", ""},
	CodeInvalidPassword:   {fault.Invalid, "Hasło musi mieć co najmniej 12 znaków i nie może być bardzo długie.", "12 characters at least and 512 bytes at most"},
	CodeNoSession:         {fault.NotFound, "Sesja wygasła. Zaloguj się ponownie.", ""},
	CodeSessionConflict:   {fault.Unavailable, "Sesja zmieniła się w międzyczasie. Spróbuj ponownie.", ""},
	CodeOtherSite:         {fault.Forbidden, "Żądanie z innej witryny zostało odrzucone.", ""},
	CodeNotAllowed:        {fault.Forbidden, "Brak uprawnień do edycji tej firmy.", ""},
	CodeNoUser:            {fault.NotFound, "Nie znaleziono użytkownika.", "there is no such user; directory user list has them"},
	CodeEmailTaken:        {fault.Invalid, "Ten adres e-mail jest już zajęty.", "taken already"},
	CodeNoCompany:         {fault.Forbidden, "Konto nie jest przypisane do żadnej firmy.", ""},
	CodeCompanyNotFound:   {fault.NotFound, "Nie znaleziono firmy.", "there is no such company; directory company list has them"},
	CodeSlugTaken:         {fault.Invalid, "Ten identyfikator firmy jest już zajęty.", "taken already"},
	CodeInvalidSlug:       {fault.Invalid, "Nieprawidłowy identyfikator firmy w adresie.", "a-z, 0-9 and single hyphens, at most 100, and neither health nor history"},
	CodeInvalidText:       {fault.Invalid, "Tekst zawiera niedozwolone znaki.", "not a text that a database can keep"},
	CodeNoJSON:            {fault.Invalid, "Żądanie nie zawiera danych w formacie JSON.", ""},
	CodeUnreadableBody:    {fault.Invalid, "Nie udało się odczytać treści żądania.", ""},
	CodeUnreadableForm:    {fault.Invalid, "Nie udało się odczytać formularza.", ""},
	CodeMissingField:      {fault.Invalid, "Pole %s jest wymagane.", ""},
	CodeInvalidField:      {fault.Invalid, "Nieprawidłowa wartość pola %s.", ""},
	CodeInvalidParameter:  {fault.Invalid, "Nieprawidłowa wartość parametru %s.", ""},
	CodeMissingParameters: {fault.Invalid, "Należy podać company_id lub slug.", ""},
	CodeNothingChosen:     {fault.Invalid, "Zaznacz jedną z pozycji na liście.", ""},
	CodeNoWebhook:         {fault.NotFound, "Nie ma takiego adresu powiadomień.", "there is no such webhook; directory webhook list has them"},
	CodeInvalidWebhook:    {fault.Invalid, "Podaj publiczny adres https, bez nazwy użytkownika i bez znaku #.", "an https address of a public host, without user name and fragment"},
	CodeTooManyWebhooks:   {fault.Invalid, "Ten adres już jest na liście albo lista ma już pięć adresów.", "there already, or one of five"},

	CodeInvalidPair:           {fault.Invalid, "Nieprawidłowy dostawca lub usługa.", ""},
	CodeNotConfigured:         {fault.Unavailable, "Ten dostawca nie jest skonfigurowany.", ""},
	CodeNoConnection:          {fault.NotFound, "Nie znaleziono połączenia z tą usługą.", ""},
	CodeConnectionChanged:     {fault.Internal, "Połączenie zmieniło się w międzyczasie. Spróbuj ponownie.", ""},
	CodeNoConfig:              {fault.NotFound, "Firma nie ma jeszcze wybranej strony.", ""},
	CodeInvalidRequest:        {fault.Invalid, "Podpis żądania jest nieprawidłowy.", ""},
	CodeTooManyRequests:       {fault.Limited, "Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie później.", ""},
	CodeNoDeletion:            {fault.NotFound, "Nie znaleziono zgłoszenia o takim kodzie.", ""},
	CodeNoPage:                {fault.NotFound, "Najpierw wybierz stronę firmy.", ""},
	CodeNoSite:                {fault.NotFound, "Połączone konto nie ma zweryfikowanej witryny, która odpowiada adresowi strony firmy w katalogu.", ""},
	CodePageNotFound:          {fault.NotFound, "Nie znaleziono wybranej strony wśród zarządzanych stron.", ""},
	CodePageWithoutCredential: {fault.Invalid, "Połączona osoba nie może działać w imieniu tej strony. Nadaj jej dostęp w ustawieniach strony lub portfolio i połącz konto ponownie.", ""},
	CodeLocationNotFound:      {fault.NotFound, "Nie znaleziono wybranej lokalizacji.", ""},
	CodeTooMuchWork:           {fault.Limited, "Zbyt wiele zapytań do dostawcy w krótkim czasie. Spróbuj ponownie później.", "too many in a short time; wait"},
	CodeProfileUnavailable:    {fault.Unavailable, "Zarządzanie profilem firmy jest niedostępne.", ""},
	CodeNoStatistics:          {fault.NotFound, "Brak zapisanych statystyk.", ""},
	CodeNoProfile:             {fault.NotFound, "Brak pobranych danych profilu firmy.", ""},
	CodeNoProfileData:         {fault.Invalid, "Brak danych profilu firmy do audytu.", "nothing is known of it; directory company edit adds what it tells of itself"},
	CodeNoAudit:               {fault.NotFound, "Brak audytu dla tej firmy.", "no audit yet; without --last one is run"},
	CodeAuditLimit:            {fault.Limited, "Wykorzystano limit audytów na godzinę. Spróbuj ponownie później.", "no more audits in this hour"},
	CodeAuditUnavailable:      {fault.Unavailable, "Usługa audytu jest chwilowo niedostępna.", ""},

	CodeNoErasureLog:  {fault.Unavailable, "Usuwanie danych nie jest skonfigurowane.", "with PostgreSQL, erasing needs DIRECTORY_ERASURE_LOG, so that it can be repeated on a restored backup"},
	CodeUserConnected: {fault.Unavailable, "Użytkownik właśnie łączy konto. Spróbuj ponownie.", "connecting an account at this moment; try again"},

	CodeReconnect:  {fault.Internal, "", ""}, // the text is the reason, see Revoked
	CodePermission: {fault.Internal, "Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody.", ""},
	CodeThrottled:  {fault.Internal, "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.", ""},
	CodeTemporary:  {fault.Internal, "Dostawca jest chwilowo niedostępny. Spróbuj ponownie później.", ""},
	CodeOperator:   {fault.Internal, "Usługa dostawcy nie jest jeszcze udostępniona. Skontaktuj się z administratorem.", ""},
	CodeGone:       {fault.Internal, "Nie znaleziono zasobu u dostawcy.", ""},
	CodeChanged:    {fault.Internal, "Dostawca odpowiedział w nieznanym formacie.", ""},
}

// Fault is a failure with that code.
func (c Code) Fault() *fault.Error { return c.Wrap(nil) }

// Wrap is Fault with a cause for the log.
func (c Code) Wrap(cause error) *fault.Error {
	return fault.Wrap(cause, failures[c].kind, string(c), failures[c].text)
}

// Of is Fault where the text names a field.
func (c Code) Of(name string) *fault.Error {
	return fault.New(failures[c].kind, string(c), fmt.Sprintf(failures[c].text, name))
}

// Text is what people at the website read, in Polish.
func (c Code) Text() string { return failures[c].text }

// English is what the operator reads at the command line; empty: no command meets
// the code.
func (c Code) English() string { return failures[c].english }
