package provider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// graphError is a refusal by the Graph API
// (https://developers.facebook.com/docs/graph-api/guides/error-handling). Its
// code decides, not the HTTP status. Its message may quote a token and is left
// out of the text.
type graphError struct {
	what      string
	status    int
	Message   string `json:"message"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode"`
	Transient bool   `json:"is_transient"`
}

// readGraphError reads a refusal: of a body in another form, what can be read.
func readGraphError(a answer) *graphError {
	var body struct {
		Error graphError `json:"error"`
	}
	_ = json.Unmarshal(a.body, &body)
	body.Error.what, body.Error.status = a.what, a.status
	return &body.Error
}

// Error is for logs.
func (e *graphError) Error() string {
	return fmt.Sprintf("%s: status %d, code %d, subcode %d", e.what, e.status, e.Code, e.Subcode)
}

// fault says what the refusal means; wait is how long a used-up limit lasts.
func (e *graphError) fault(wait time.Duration) error {
	switch {
	case e.Code == 190 || e.Code == 102:
		return directory.Dead(e, deadReason(e.Subcode))
	case e.limited():
		return directory.Throttled(e, wait)
	case e.tooFew() || e.Code == 100 && e.Subcode == 33:
		return directory.Gone(e)
	case e.Code == 3 || e.Code == 10 || e.Code >= 200 && e.Code <= 299:
		return directory.Denied(e)
	case e.Code == 101 || e.Code == 100 && strings.Contains(e.Message, "appsecret_proof"):
		return directory.NotSetUp(e) // client id or secret is wrong
	case e.Code == 1 || e.Code == 2 || e.Transient || e.status >= http.StatusInternalServerError:
		return directory.Temporary(e)
	default:
		return directory.Unreadable(e)
	}
}

// limited reports whether a limit is used up: the app's, the user's, the page's,
// a business use case's, or one against abuse.
func (e *graphError) limited() bool {
	return slices.Contains([]int{4, 17, 32, 341, 368, 613, 80001, 80002}, e.Code) ||
		e.Code == 0 && e.status == http.StatusTooManyRequests
}

// tooFew reports whether figures are withheld because they would describe too
// few people. No permission helps against that.
func (e *graphError) tooFew() bool {
	return e.Code == 10 && strings.Contains(strings.ToLower(e.Message), "not enough viewers")
}

// badParameter reports whether err is a refusal of what was asked for, e.g. of a
// metric that is no more.
func badParameter(err error) bool {
	var e *graphError
	return fault.Is(err, directory.CodeChanged) && errors.As(err, &e) && e.Code == 100
}

// deadReason tells a user why a token is refused for good.
func deadReason(subcode int) string {
	switch subcode {
	case 458:
		return "Dostęp aplikacji został usunięty w ustawieniach konta. Połącz konto ponownie."
	case 459, 464:
		return "Serwis społecznościowy wymaga potwierdzenia konta. Zaloguj się w nim, wykonaj jego polecenia i połącz konto ponownie."
	case 460:
		return "Hasło do konta zostało zmienione. Połącz konto ponownie."
	case 463:
		return "Dostęp wygasł. Połącz konto ponownie."
	case 492:
		return "Osoba, która połączyła konto, nie zarządza już tą stroną. Połącz konto ponownie."
	default:
		return "Dostęp do konta został unieważniony. Połącz konto ponownie."
	}
}
