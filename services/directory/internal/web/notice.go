package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/site"
)

// CodeNothingChosen is the failure of a form without a choice.
var CodeNothingChosen = fault.NewCode(fault.Invalid, "nothing_chosen", "Wybierz coś z listy.")

type notice site.Message

var outcomes = map[string]notice{
	"logged_out": {site.Good, "Wylogowano. Do zobaczenia!"},
	"password_changed": {
		site.Good, "Hasło zostało zmienione. W innych przeglądarkach trzeba zalogować się ponownie.",
	},
	"password_set":    {site.Good, "Hasło zostało ustawione. Zaloguj się."},
	"reset_requested": {site.Good, account.TextRequested},
	"sessions_ended":  {site.Good, "Wybrane przeglądarki nie są już zalogowane."},
	"user_changed":    {site.Good, "Zmiany zostały zapisane."},
	"person_removed":  {site.Good, "Ta osoba nie ma już dostępu do firmy."},
	"email_requested": {site.Good, account.TextEmailRequested},
	"email_changed":   {site.Good, "Adres e-mail został zmieniony."},
	"user_deleted":    {site.Good, "Użytkownik został usunięty."},
	"company_saved":   {site.Good, "Firma została zapisana."},
	"disconnected":    {site.Good, "Usługa została odłączona, a zapisany dostęp usunięty."},
	"page_chosen":     {site.Good, "Strona została wybrana, a jej statystyki pobrane."},
	"page_unsynced": {
		site.Warning, "Strona została wybrana, ale jej statystyk nie udało się jeszcze pobrać. Odśwież je na stronie " +
			"„Statystyki”.",
	},
	"location_chosen":         {site.Good, "Lokalizacja została wybrana. Kolejny audyt odczyta jej dane."},
	"social_pages_synced":     {site.Good, "Statystyki strony zostały odświeżone."},
	"social_photos_synced":    {site.Good, "Statystyki konta na Instagramie zostały odświeżone."},
	"search_analytics_synced": {site.Good, "Statystyki wyszukiwania zostały odświeżone."},
	"search_profile_synced":   {site.Good, "Statystyki Profilu Firmy zostały odświeżone."},
	"synced_in_part": {
		site.Warning, "Statystyki zostały odświeżone, ale nie wszystkie wskaźniki udało się odczytać.",
	},
	"webhook_taken":     {site.Good, "Testowe powiadomienie zostało dostarczone."},
	"webhook_not_taken": {site.Bad, "Testowe powiadomienie nie dotarło. Powód jest na liście poniżej."},
	"webhook_resent":    {site.Good, "Wyślemy to powiadomienie ponownie w ciągu kilku sekund."},
	"webhook_waiting":   {site.Warning, "To powiadomienie już czeka na wysłanie."},
	"webhook_removed":   {site.Good, "Adres powiadomień został usunięty."},
	"audit_done":        {site.Good, "Odczytaliśmy świeże dane i oceniliśmy profil."},
	"audit_in_part": {
		site.Warning, "Oceniliśmy profil, ale nie wszystkie źródła udało się teraz odczytać. Powód podajemy przy " +
			"źródłach danych.",
	},
	"audit_unfetched": {
		site.Warning, "Oceniliśmy profil bez świeżych danych, bo Google ich teraz nie podał. Powód podajemy przy " +
			"źródłach danych.",
	},

	"audit_other_subject": {
		site.Warning, "Audyt zakończony. Dotyczy innej lokalizacji niż poprzedni, więc wyników nie da się porównać.",
	},
	"audit_other_source": {
		site.Warning, "Audyt zakończony. Dane pochodzą z innego źródła niż poprzednio, więc wyników nie da się " +
			"porównać.",
	},
	"audit_other_fields": {
		site.Warning, "Audyt zakończony. Oceniliśmy inne pola niż poprzednio, więc wyników nie da się porównać.",
	},
}

// refusalTexts are the texts of the codes that send the browser back to the page of the form.
// One here replaces the code's own, which is written for programs as well.
var refusalTexts = textsByName(map[fault.Code]string{
	account.CodeNoCompany:            "Twoje konto nie jest przypisane do żadnej firmy.",
	account.CodeLastAdmin:            "",
	account.CodeRoleTooHigh:          "",
	erasure.CodeNoErasureLog:         "",
	erasure.CodeUserConnected:        "",
	account.CodeNotAllowed:           "Nie masz uprawnień do zmian w tej firmie.",
	connection.CodeInvalidPair:       "Nie ma takiej usługi.",
	connection.CodeNotConfigured:     "Łączenie tych kont nie zostało jeszcze włączone. " + askAdministrator,
	connection.CodeNoConnection:      "Ta usługa nie jest połączona.",
	connection.CodeNoPage:            "",
	statistics.CodeNoSite:            "",
	statistics.CodePropertyNotFound:  "",
	statistics.CodePropertyLost:      "",
	statistics.CodeNoLocation:        "",
	statistics.CodeNoFigures:         "",
	social.CodePageNotFound:          "Tej strony nie ma już wśród stron, którymi zarządzasz.",
	social.CodePageWithoutCredential: "",
	connection.CodeConnectionChanged: "",
	location.CodeNotFound:            "Tej lokalizacji nie ma już w profilu firmy.",
	CodeNothingChosen:                "",
	location.CodeUnavailable: "Google nie udostępnił nam jeszcze zarządzania Profilem Firmy. " +
		askAdministrator,
	limit.CodeTooMuchWork:       "",
	webhook.CodeNoWebhook:       "",
	webhook.CodeInvalidWebhook:  "",
	webhook.CodeTooManyWebhooks: "",
	webhook.CodeWebhookDisabled: "Ten adres jest wyłączony. Wyślij testowe powiadomienie, aby go włączyć.",
	audit.CodeLimit:             "Limit audytów na godzinę został wykorzystany.",

	provider.CodeReconnect:  "Straciliśmy dostęp do tego konta. Połącz je ponownie.",
	provider.CodePermission: "Brakuje wymaganej zgody. Połącz usługę ponownie i zaznacz wszystkie zgody.",
	provider.CodeThrottled:  "",
	provider.CodeTemporary:  "",
	provider.CodeOperator:   "",
	provider.CodeGone: "Nie ma takiego konta. Sprawdź, czy do strony na Facebooku podłączono konto na " +
		"Instagramie.",
	provider.CodeChanged: "Nie udało się odczytać odpowiedzi. " + askAdministrator,
})

func textsByName(refusals map[fault.Code]string) map[string]string {
	texts := make(map[string]string, len(refusals))
	for code, text := range refusals {
		texts[code.Name] = cmp.Or(text, code.Text)
	}
	return texts
}

// oauthErrors are the texts of the callback's oauth_error: its own, and those
// that a provider may send (RFC 6749, section 4.1.2.1).
var oauthErrors = map[string]string{ // #nosec G101 -- texts
	"missing_params":            "Odpowiedź była niepełna. Spróbuj połączyć konto ponownie.",
	"invalid_state":             "Łączenie trwało zbyt długo albo zostało rozpoczęte w innej karcie. Spróbuj ponownie.",
	"invalid_state_format":      "Odpowiedź jest nieprawidłowa. Spróbuj połączyć konto ponownie.",
	"unauthorized":              "Łączenie rozpoczął inny użytkownik albo sesja wygasła. Spróbuj ponownie.",
	"token_exchange_failed":     "Nie potwierdzono połączenia. Spróbuj ponownie.",
	"save_failed":               "Połączenia nie udało się zapisać. Spróbuj ponownie.",
	"access_denied":             "Nie udzielono zgody, więc konto nie zostało połączone.",
	"invalid_scope":             "Nie możemy prosić o te uprawnienia. " + askAdministrator,
	"unauthorized_client":       "Nasza aplikacja nie jest tam znana. " + askAdministrator,
	"invalid_request":           "Nasze żądanie zostało odrzucone. " + askAdministrator,
	"unsupported_response_type": "Nasze żądanie zostało odrzucone. " + askAdministrator,
	"server_error":              "Po drugiej stronie wystąpił błąd. Spróbuj ponownie później.",
	"temporarily_unavailable":   "Druga strona chwilowo nie odpowiada. Spróbuj ponownie za kilka minut.",
}

// askAdministrator stands in texts where the operator has to act, and forAdministrator
// in its place for those who are one.
const (
	askAdministrator = "Skontaktuj się z administratorem."
	forAdministrator = "Sprawdź ustawienia aplikacji w Google lub Meta i dziennik usługi."
)

func (h *Handlers) takeOutcome(c echo.Context) string {
	if c.Request().Method != http.MethodGet {
		return ""
	}
	return h.Guard.Sessions.TakeOutcome(c.Response(), c.Request())
}

// takeMessage returns the outcome of the previous request, if any, and the part of the page that shows it.
func (h *Handlers) takeMessage(c echo.Context, v visitor) (m *site.Message, place string) {
	n, place, ok := noticeOf(h.takeOutcome(c))
	if !ok {
		return nil, ""
	}
	return n.messageTo(v), place
}

func (n notice) messageTo(v visitor) *site.Message {
	if v.User.CanAccessAdminPanel() {
		n.Text = strings.Replace(n.Text, askAdministrator, forAdministrator, 1)
	}
	return (*site.Message)(&n)
}

// noticeOf returns what an outcome means, if anything, and the id of the part of the page that shows it; an empty id is
// the top of the page.
func noticeOf(outcome string) (n notice, place string, ok bool) {
	outcome, place, _ = strings.Cut(outcome, "#")
	if n, ok = outcomes[outcome]; ok {
		return n, place, true
	}
	if text := refusalTexts[outcome]; text != "" {
		return notice{site.Bad, text}, place, true
	}
	if value, refused := strings.CutPrefix(outcome, "oauth_error="); refused {
		text, known := oauthErrors[value]
		if !known {
			text = "Konta nie udało się połączyć. Spróbuj ponownie."
		}
		return notice{site.Bad, text}, "", true
	}
	done := pairsIn(outcome, "oauth_success")
	if len(done) == 0 {
		return notice{}, "", false
	}
	n = notice{site.Good, "Połączono: " + namesOf(done) + "."}
	if refused := pairsIn(outcome, "oauth_refused"); len(refused) > 0 {
		n.Level = site.Warning
		n.Text += " Nie połączono: " + namesOf(refused) + ", bo zabrakło zgody. Połącz ponownie i zaznacz wszystkie " +
			"zgody."
	}
	return n, "", true
}

func pairsIn(outcome, name string) (pairs []provider.Pair) {
	values, err := url.ParseQuery(outcome)
	if err != nil {
		return nil
	}
	for _, value := range values[name] {
		providerName, service, _ := strings.Cut(value, "/")
		if p := (provider.Pair{Provider: provider.Name(providerName), Service: provider.Service(service)}); p.Valid() {
			pairs = append(pairs, p)
		}
	}
	return pairs
}

func namesOf(pairs []provider.Pair) string {
	text := ""
	for i, p := range pairs {
		switch {
		case i == 0:
		case i == len(pairs)-1:
			text += " i "
		default:
			text += ", "
		}
		text += p.Name()
	}
	return text
}

func (h *Handlers) redirect(c echo.Context, address, outcome string) error {
	if err := h.Guard.Sessions.SetOutcome(c.Response(), outcome); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address)
}

// finishAt sends the browser to an address, whose part of the page shows the outcome or the failure.
func (h *Handlers) finishAt(c echo.Context, address, outcome string, err error) error {
	if err != nil {
		return h.refused(c, address, err)
	}
	return h.redirect(c, address, outcome+placeOf(address))
}

func placeOf(address string) string {
	_, place, placed := strings.Cut(address, "#")
	if !placed {
		return ""
	}
	return "#" + place
}

// refused sends the browser back to a page that shows why a form failed, if there is a text for it.
func (h *Handlers) refused(c echo.Context, address string, err error) error {
	code := fault.From(err).Code
	if refusalTexts[code] == "" {
		return err
	}
	h.Log.WarnContext(c.Request().Context(), "form refused", "route", c.Path(), "error", err, "request_id",
		httpx.RequestID(c))
	return h.redirect(c, address, code+placeOf(address))
}
