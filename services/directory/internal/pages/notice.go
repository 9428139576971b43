package pages

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/request"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

// notice is the outcome of a form, told on the page that follows. The address
// carries its code alone, never a text.
type notice struct {
	Level site.Level
	Text  string
}

// outcomes are what a form leads to when it is not refused.
var outcomes = map[string]notice{
	"logged_out":        {site.Good, "Wylogowano. Do zobaczenia!"},
	"disconnected":      {site.Good, "Usługa została odłączona, a zapisany dostęp usunięty."},
	"page_chosen":       {site.Good, "Strona została wybrana, a jej statystyki pobrane."},
	"page_unsynced":     {site.Warning, "Strona została wybrana, ale jej statystyk nie udało się jeszcze pobrać. Użyj przycisku „Odśwież statystyki”."},
	"location_chosen":   {site.Good, "Lokalizacja została wybrana. Kolejny audyt odczyta jej dane."},
	"page_synced":       {site.Good, "Statystyki strony zostały odświeżone."},
	"photos_synced":     {site.Good, "Statystyki konta ze zdjęciami zostały odświeżone."},
	"analytics_synced":  {site.Good, "Statystyki wyszukiwarki zostały odświeżone."},
	"synced_in_part":    {site.Warning, "Statystyki zostały odświeżone, ale nie wszystkie wskaźniki udało się odczytać."},
	"webhook_taken":     {site.Good, "Próba została dostarczona."},
	"webhook_not_taken": {site.Bad, "Próba nie została dostarczona. Powód jest na liście poniżej."},
	"webhook_removed":   {site.Good, "Adres powiadomień został usunięty."},
	"audit_done":        {site.Good, "Audyt został zakończony."},
	"audit_apart":       {site.Warning, "Audyt został zakończony, ale inne źródła lub pola niż poprzednio: tych wyników nie można porównać."},
	"audit_unfetched":   {site.Warning, "Audyt został zakończony bez świeżych danych: żadne zewnętrzne źródło ich nie podało."},
}

// refusals are the codes that send the browser back to the page of the form. A
// text takes the place of the domain's, which speaks to programs as well; without
// one the domain's is told.
var refusals = map[directory.Code]string{
	directory.CodeNoCompany:             "Twoje konto nie jest przypisane do żadnej firmy.",
	directory.CodeNotAllowed:            "Nie masz uprawnień do zmian w tej firmie.",
	directory.CodeInvalidPair:           "Nie ma takiej usługi.",
	directory.CodeNotConfigured:         "Łączenie z tym dostawcą nie zostało jeszcze włączone. Skontaktuj się z administratorem.",
	directory.CodeNoConnection:          "Ta usługa nie jest połączona.",
	directory.CodeNoPage:                "",
	directory.CodeNoSite:                "",
	directory.CodePageNotFound:          "Tej strony nie ma już wśród stron, którymi zarządzasz.",
	directory.CodePageWithoutCredential: "",
	directory.CodeConnectionChanged:     "",
	directory.CodeLocationNotFound:      "Tej lokalizacji nie ma już w profilu firmy.",
	directory.CodeNothingChosen:         "",
	directory.CodeProfileUnavailable:    "Dostawca nie udostępnił jeszcze zarządzania profilem firmy. Skontaktuj się z administratorem.",
	directory.CodeNoProfileData:         "Nie ma danych, które można by ocenić. Połącz profil firmy albo uzupełnij dane w katalogu.",
	directory.CodeTooMuchWork:           "",
	directory.CodeNoWebhook:             "",
	directory.CodeInvalidWebhook:        "",
	directory.CodeTooManyWebhooks:       "",
	directory.CodeAuditLimit:            "Limit audytów na godzinę został wykorzystany.",

	directory.CodeReconnect:  "Dostawca odrzucił zapisany dostęp. Połącz usługę ponownie.",
	directory.CodePermission: "Brakuje wymaganej zgody. Połącz usługę ponownie i zaznacz wszystkie zgody.",
	directory.CodeThrottled:  "",
	directory.CodeTemporary:  "Dostawca jest chwilowo niedostępny. Spróbuj ponownie za kilka minut.",
	directory.CodeOperator:   "Dostawca nie udostępnił jeszcze tej usługi. Skontaktuj się z administratorem.",
	directory.CodeGone:       "Dostawca nie zna takiego konta. Sprawdź, czy do strony podłączono konto ze zdjęciami.",
	directory.CodeChanged:    "Odpowiedzi dostawcy nie udało się odczytać. Skontaktuj się z administratorem.",
}

// refusalOf is the text of a refusal, empty for another code.
func refusalOf(code directory.Code) string {
	text, ok := refusals[code]
	if ok && text == "" {
		text = code.Text()
	}
	return text
}

// oauthErrors are the texts of the callback's oauth_error: its own, and those
// that a provider may send (RFC 6749, section 4.1.2.1).
var oauthErrors = map[string]string{
	"missing_params":            "Dostawca odesłał niepełną odpowiedź. Spróbuj połączyć usługę ponownie.",
	"invalid_state":             "Łączenie trwało zbyt długo albo zostało rozpoczęte w innej karcie. Spróbuj ponownie.",
	"invalid_state_format":      "Odpowiedź dostawcy jest nieprawidłowa. Spróbuj połączyć usługę ponownie.",
	"unauthorized":              "Łączenie rozpoczął inny użytkownik albo sesja wygasła. Spróbuj ponownie.",
	"token_exchange_failed":     "Dostawca nie potwierdził połączenia. Spróbuj ponownie.",
	"save_failed":               "Połączenia nie udało się zapisać. Spróbuj ponownie.",
	"access_denied":             "Nie udzielono zgody, więc usługa nie została połączona.",
	"invalid_scope":             "Dostawca odrzucił zakres uprawnień. Skontaktuj się z administratorem.",
	"unauthorized_client":       "Dostawca nie zna tej aplikacji. Skontaktuj się z administratorem.",
	"invalid_request":           "Dostawca odrzucił żądanie. Skontaktuj się z administratorem.",
	"unsupported_response_type": "Dostawca odrzucił żądanie. Skontaktuj się z administratorem.",
	"server_error":              "U dostawcy wystąpił błąd. Spróbuj ponownie później.",
	"temporarily_unavailable":   "Dostawca jest chwilowo niedostępny. Spróbuj ponownie później.",
}

// noticeOf is what the address of a page tells of the step before, nil when it
// tells nothing that we know.
func noticeOf(c echo.Context) *notice {
	query := c.QueryParams()
	outcome := query.Get("wynik")
	if n, ok := outcomes[outcome]; ok {
		return &n
	}
	if text := refusalOf(directory.Code(outcome)); text != "" {
		return &notice{site.Bad, text}
	}
	if code := query.Get("oauth_error"); code != "" {
		text, ok := oauthErrors[code]
		if !ok {
			text = "Usługi nie udało się połączyć: dostawca odmówił. Spróbuj ponownie."
		}
		return &notice{site.Bad, text}
	}
	provider, service, _ := strings.Cut(query.Get("oauth_success"), "/")
	pair := directory.Pair{Provider: directory.Provider(provider), Service: directory.Service(service)}
	if !pair.Valid() {
		return nil
	}
	return &notice{site.Good, "Połączono: " + pair.Name() + "."}
}

// redirect sends the browser to a page of ours that tells the outcome.
func redirect(c echo.Context, address, outcome string) error {
	return c.Redirect(http.StatusSeeOther, address+"?wynik="+url.QueryEscape(outcome))
}

// refused sends the browser back to a page that tells why a form failed, where
// there is a text for it. Other errors are pages of their own.
func (p *Pages) refused(c echo.Context, address string, err error) error {
	code := fault.From(err).Code
	if refusalOf(directory.Code(code)) == "" {
		return err
	}
	p.Log.WarnContext(c.Request().Context(), "form refused", "route", c.Path(), "error", err, "request_id", request.ID(c))
	return redirect(c, address, code)
}
