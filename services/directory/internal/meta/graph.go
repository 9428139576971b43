package meta

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// graphID is the form of the identifiers that become part of addresses.
var graphID = regexp.MustCompile(`^[\w-]+$`)

// graphApp is our app at the Graph API.
type graphApp struct {
	client  *http.Client
	baseURL string // with the version, without a final slash
	secret  string // the app's, with which both sides sign
	turn    func(context.Context) error
}

// proof shows that the app itself uses the token
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (a *graphApp) proof(token string) string {
	return hex.EncodeToString(a.mac(token))
}

// mac authenticates a text between the app and the provider.
func (a *graphApp) mac(text string) []byte {
	mac := hmac.New(sha256.New, []byte(a.secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// withToken returns a client that makes its calls with one token.
func (a *graphApp) withToken(token string) *graphClient {
	return &graphClient{app: a, token: token}
}

// graphClient makes calls with one token, one after the other, and remembers how
// much of the rate limits their answers report as used.
type graphClient struct {
	app   *graphApp
	token string
	title string // of the service in messages; empty: Facebook
	used  usage  // of the limits so far
}

// nearLimitPercent is the share of a rate limit from which on the rest is kept for
// the calls that matter most.
const nearLimitPercent = 95

// nearLimit returns a fault if calls that can be missed should be left out.
func (c *graphClient) nearLimit() error {
	switch {
	case c.used.app >= nearLimitPercent:
		return provider.ThrottledApp(errNearLimit, 0)
	case c.used.own >= nearLimitPercent:
		return provider.Throttled(errNearLimit, 0)
	}
	return nil
}

// get reads path, which is relative to the version, into out.
func (c *graphClient) get(ctx context.Context, path string, query url.Values, out any) error {
	res, err := c.call(ctx, http.MethodGet, path, query)
	if err != nil {
		return err
	}
	return res.Decode(out)
}

// delete deletes path. The body of a success is not read: it differs from its
// documentation.
func (c *graphClient) delete(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, url.Values{})
	return err
}

func (c *graphClient) call(ctx context.Context, method, path string, query url.Values) (provider.Response, error) {
	query.Set("appsecret_proof", c.app.proof(c.token))
	res, err := provider.Send(ctx, c.app.client, provider.Request{
		Method: method, URL: c.app.baseURL + "/" + path + "?" + query.Encode(), Token: c.token, Turn: c.app.turn,
	}, func(res provider.Response) error {
		return parseGraphError(res).fault(parseRateLimit(res.Header).retryAfter)
	})
	used := parseRateLimit(res.Header).used
	c.used = usage{app: max(c.used.app, used.app), own: max(c.used.own, used.own)}
	if err != nil {
		return res, provider.Named(cmp.Or(c.title, "Facebook"), err)
	}
	return res, nil
}

// getPart reads one part of a list into out. As long as the provider refuses to send as
// much, it halves the limit in the query, which later parts keep.
func (c *graphClient) getPart(ctx context.Context, path string, query url.Values, out any) error {
	for {
		err := c.get(ctx, path, query, out)
		limit, _ := strconv.Atoi(query.Get("limit"))
		if !errors.Is(err, errTooMuchData) {
			return err
		}
		if limit < 2 {
			return provider.Named("Facebook", provider.Temporary(err))
		}
		query.Set("limit", strconv.Itoa(limit/2))
	}
}

// graphTime reads the API's times, for example "2026-11-20T08:00:00+0000". RFC 3339
// does not know an offset without a colon.
type graphTime struct{ time.Time }

// UnmarshalJSON reads a time. An empty text is the zero time.
func (t *graphTime) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil || s == "" {
		return err
	}
	at, err := time.Parse("2006-01-02T15:04:05-0700", s)
	if err != nil {
		return errors.New("a text that is no time") // err would quote it
	}
	t.Time = at.UTC()
	return nil
}

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
	case e.concernsApp():
		return provider.AppWide(provider.Social, e)
	case e.isTooMuchData():
		return provider.Unreadable(fmt.Errorf("%w: %w", errTooMuchData, e))
	case e.photoAccountProblem() != "":
		gone := provider.Gone(e)
		gone.Message = e.photoAccountProblem()
		return gone
	case e.Code == 190 || e.Code == 102:
		return provider.Revoked(e, revokedReason(e.Subcode))
	case e.Code == 4:
		return provider.ThrottledApp(e, retryAfter)
	case e.isLimit():
		return provider.Throttled(e, retryAfter)
	case e.tooFewViewers() || e.isMissingObject():
		return provider.Gone(e)
	case e.Code == 101 || e.Code == 104 || e.Code == 100 && strings.Contains(e.Message, "appsecret_proof"):
		return provider.NotSetUp(e) // a wrong id or secret of the app
	case e.Code == 3 || e.Code == 10 || e.Code >= 200 && e.Code <= 299:
		return provider.Denied(e)
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

// isMissingObject reports whether an object does not exist, is out of reach or has moved.
func (e *graphError) isMissingObject() bool {
	return e.Code == 100 && e.Subcode == 33 || e.Code == 21 || e.Code == 803
}

// says reports whether the message contains one of the texts, without regard to case. It
// is read only where codes do not tell refusals apart.
func (e *graphError) says(texts ...string) bool {
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(message, text) })
}

// concernsApp reports whether Meta refuses the app, whatever the token. The codes are
// those of a missing permission of a person.
func (e *graphError) concernsApp() bool {
	return e.says("api access deactivated", "api access blocked", "api access disrupted", "api access disabled")
}

// errTooMuchData is the cause if a call asked for more than the provider is able to
// collect. The same call fails again, a smaller one does not.
var errTooMuchData = errors.New("too much data asked for")

func (e *graphError) isTooMuchData() bool { return e.says("reduce the amount of data") }

// notProfessional says what to do about an account that this API cannot read.
const notProfessional = "Z wybraną stroną na Facebooku nie jest połączone konto profesjonalne na Instagramie. " +
	"Zmień konto na firmowe lub twórcy w aplikacji Instagram, połącz je ze stroną i spróbuj ponownie."

// photoAccountProblem returns in Polish why an Instagram account cannot be read whatever
// is granted. It is empty for other errors.
func (e *graphError) photoAccountProblem() string {
	personal := e.says("not an instagram business", "not a business account", "not an instagram professional",
		"not a professional account")
	switch {
	case personal && (e.Code == 10 || e.Code == 100):
		return notProfessional
	case e.Code == 25 || e.Subcode == 2207050:
		return "Instagram ograniczył to konto. Zaloguj się w aplikacji Instagram, wykonaj jej polecenia i spróbuj " +
			"ponownie."
	}
	return ""
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
		return "Facebook cofnął nam dostęp. Połącz konto ponownie."
	case 459, 464:
		return "Facebook wymaga potwierdzenia konta. Zaloguj się w nim, wykonaj jego polecenia i połącz konto ponownie."
	case 460:
		return "Zmieniono hasło na Facebooku, więc cofnął nam dostęp. Połącz konto ponownie."
	case 463:
		return "Dostęp do Facebooka wygasł. Połącz konto ponownie."
	case 492:
		return "Osoba, która połączyła konto, nie zarządza już tą stroną. Połącz konto ponownie."
	default:
		return "Facebook cofnął nam dostęp. Połącz konto ponownie."
	}
}

// rateLimit is what the headers of an answer report about the rate limits
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type rateLimit struct {
	used       usage
	retryAfter time.Duration // until calls are answered again; zero: not reported
}

// usage is how much of the fullest limit is used, in percent: of the limits that all
// tokens share, and of those of the page, business or user.
type usage struct{ app, own float64 }

// limitUsage is how much of one limit is used, in percent of calls, time and
// processor time.
type limitUsage struct {
	CallCount     float64 `json:"call_count"`
	TotalTime     float64 `json:"total_time"`
	TotalCPUTime  float64 `json:"total_cputime"`
	RegainMinutes float64 `json:"estimated_time_to_regain_access"`
}

// maxRegainMinutes is the longest wait that is believed: limits are counted over a
// day at most.
const maxRegainMinutes = 24 * 60

// parseRateLimit reads the headers. One that is not readable counts as absent.
func parseRateLimit(header http.Header) rateLimit {
	var limit rateLimit
	for name, used := range map[string]*float64{"X-App-Usage": &limit.used.app, "X-Page-Usage": &limit.used.own} {
		var usage limitUsage
		if json.Unmarshal([]byte(header.Get(name)), &usage) == nil {
			limit.add(usage, used)
		}
	}
	var businesses map[string][]limitUsage
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &businesses) == nil {
		for _, usages := range businesses {
			for _, usage := range usages {
				limit.add(usage, &limit.used.own)
			}
		}
	}
	return limit
}

// add keeps the fullest limit of its kind and the longest wait.
func (l *rateLimit) add(u limitUsage, used *float64) {
	*used = max(*used, u.CallCount, u.TotalTime, u.TotalCPUTime)
	l.retryAfter = max(l.retryAfter, time.Duration(min(u.RegainMinutes, maxRegainMinutes)*float64(time.Minute)))
}
