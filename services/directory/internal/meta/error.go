package meta

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// graphError is an error answer of the Graph API
// (https://developers.facebook.com/docs/graph-api/guides/error-handling). Its code
// decides, not the HTTP status. Its message may quote a token and is not logged.
type graphError struct {
	endpoint  string
	status    int
	Message   string `json:"message"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode"`
	Transient bool   `json:"is_transient"`
}

// parseGraphError reads an error answer. Of a body in another form it keeps what
// can be read.
func parseGraphError(res provider.Response) *graphError {
	var body struct {
		Error graphError `json:"error"`
	}
	_ = json.Unmarshal(res.Body, &body)
	body.Error.endpoint, body.Error.status = res.Endpoint, res.Status
	return &body.Error
}

// Error is for logs.
func (e *graphError) Error() string {
	return fmt.Sprintf("%s: status %d, code %d, subcode %d", e.endpoint, e.status, e.Code, e.Subcode)
}

// fault translates the error. retryAfter is how long a limit stays used up.
func (e *graphError) fault(retryAfter time.Duration) error {
	switch {
	case e.Code == 190 || e.Code == 102:
		return provider.Revoked(e, revokedReason(e.Subcode))
	case e.Code == 4:
		return provider.ThrottledApp(e, retryAfter)
	case e.isLimit():
		return provider.Throttled(e, retryAfter)
	case e.tooFewViewers() || e.Code == 100 && e.Subcode == 33:
		return provider.Gone(e)
	case e.Code == 3 || e.Code == 10 || e.Code >= 200 && e.Code <= 299:
		return provider.Denied(e)
	case e.Code == 101 || e.Code == 100 && strings.Contains(e.Message, "appsecret_proof"):
		return provider.NotSetUp(e) // client id or secret is wrong
	case e.Code == 1 || e.Code == 2 || e.Transient || e.status >= http.StatusInternalServerError:
		return provider.Temporary(e)
	default:
		return provider.Unreadable(e)
	}
}

// isLimit reports whether a limit of the token's owner is used up: the one of the user,
// the page or a business use case, or one against abuse.
func (e *graphError) isLimit() bool {
	return slices.Contains([]int{17, 32, 341, 368, 613, 80001, 80002}, e.Code) ||
		e.Code == 0 && e.status == http.StatusTooManyRequests
}

// tooFewViewers reports whether figures are withheld because they would describe
// too few people. The code is that of a missing permission, which would not help.
func (e *graphError) tooFewViewers() bool {
	return e.Code == 10 && strings.Contains(strings.ToLower(e.Message), "not enough viewers")
}

// isBadParameter reports whether the API refused a parameter of the call, for
// example a metric that no longer exists.
func isBadParameter(err error) bool {
	var e *graphError
	return fault.Is(err, provider.CodeChanged) && errors.As(err, &e) && e.Code == 100
}

// revokedReason says to the user why a token is refused for good.
func revokedReason(subcode int) string {
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
