package directory

import (
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Code is one way in which a request fails.
type Code = fault.Code

// The codes of users, companies, requests and webhooks.
var (
	CodeNotLoggedIn      = account.CodeNotLoggedIn
	CodeInvalidLogin     = account.CodeInvalidLogin
	CodeTooManyAttempts  = account.CodeTooManyAttempts
	CodeInvalidPassword  = account.CodeInvalidPassword
	CodeNoSession        = account.CodeNoSession
	CodeSessionConflict  = account.CodeSessionConflict
	CodeOtherSite        = account.CodeOtherSite
	CodeNotAllowed       = account.CodeNotAllowed
	CodeNoUser           = account.CodeNoUser
	CodeEmailTaken       = account.CodeEmailTaken
	CodeNoCompany        = account.CodeNoCompany
	CodeCompanyNotFound  = company.CodeNotFound
	CodeSlugTaken        = company.CodeSlugTaken
	CodeInvalidSlug      = company.CodeInvalidSlug
	CodeNoJSON           = fault.NewCode(fault.Invalid, "no_json", "Żądanie nie zawiera danych w formacie JSON.")
	CodeUnreadableBody   = fault.NewCode(fault.Invalid, "unreadable_body", "Nie udało się odczytać treści żądania.")
	CodeUnreadableForm   = fault.NewCode(fault.Invalid, "unreadable_form", "Nie udało się odczytać formularza.")
	CodeMissingField     = fault.NewCode(fault.Invalid, "missing_field", "Pole %s jest wymagane.")
	CodeInvalidField     = fault.NewCode(fault.Invalid, "invalid_field", "Nieprawidłowa wartość pola %s.")
	CodeInvalidParameter = fault.NewCode(fault.Invalid, "invalid_parameter", "Nieprawidłowa wartość parametru %s.")
	CodeNothingChosen    = fault.NewCode(fault.Invalid, "nothing_chosen", "Zaznacz jedną z pozycji na liście.")
)

// The codes of connections and of what is read through them.
var (
	CodeInvalidPair       = fault.NewCode(fault.Invalid, "invalid_pair", "Nieprawidłowy dostawca lub usługa.")
	CodeNotConfigured     = fault.NewCode(fault.Unavailable, "not_configured", "Ten dostawca nie jest skonfigurowany.")
	CodeNoConnection      = fault.NewCode(fault.NotFound, "no_connection", "Nie znaleziono połączenia z tą usługą.")
	CodeConnectionChanged = fault.NewCode(fault.Internal, "connection_changed", "Połączenie zmieniło się w międzyczasie. Spróbuj ponownie.")
	CodeNoPage            = fault.NewCode(fault.NotFound, "no_page", "Najpierw wybierz stronę firmy.")
	CodeTooMuchWork       = limit.CodeTooMuchWork
	CodeUserConnected     = fault.NewCode(fault.Unavailable, "user_connected", "Użytkownik właśnie łączy konto. Spróbuj ponownie.", "connecting an account at this moment; try again")
)

// The codes of the ways in which a provider fails.
var (
	CodeReconnect      = provider.CodeReconnect
	CodePermission     = provider.CodePermission
	CodeThrottled      = provider.CodeThrottled
	CodeTemporary      = provider.CodeTemporary
	CodeOperator       = provider.CodeOperator
	CodeGone           = provider.CodeGone
	CodeChanged        = provider.CodeChanged
	CodeInvalidRequest = provider.CodeInvalidRequest
)
