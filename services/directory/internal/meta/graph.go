package meta

import (
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

var graphID = regexp.MustCompile(`^[\w-]+$`)

func (s *Client) mac(text string) []byte {
	mac := hmac.New(sha256.New, []byte(s.options.ClientSecret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// caller makes calls with one token, and remembers how much of the rate limits is used.
type caller struct {
	*Client
	token string
	title string // of the service in messages
	used  usage
}

func (s *Client) withToken(token string) *caller {
	return &caller{Client: s, token: token, title: "Facebook"}
}

// nearLimitPercent is how much of a limit the insights may use up; the rest is left to calls that matter more.
const nearLimitPercent = 95

var errNearLimit = errors.New("a rate limit is nearly used up")

func (c *caller) nearLimit() error {
	switch {
	case c.used.app >= nearLimitPercent:
		return provider.ThrottledApp(errNearLimit, 0)
	case c.used.own >= nearLimitPercent:
		return provider.Throttled(errNearLimit, 0)
	}
	return nil
}

func (c *caller) get(ctx context.Context, path string, query url.Values, out any) error {
	res, err := c.call(ctx, http.MethodGet, path, query)
	if err != nil {
		return err
	}
	return res.Decode(out)
}

// call proves with each request that the app itself uses the token
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (c *caller) call(ctx context.Context, method, path string, query url.Values) (provider.Response, error) {
	query.Set("appsecret_proof", hex.EncodeToString(c.mac(c.token)))
	res, err := provider.Send(ctx, c.client, provider.Request{
		Method: method, URL: c.baseURL + "/" + path + "?" + query.Encode(), Token: c.token,
		Turn: c.options.Budget.Turn(c.class),
	}, func(res provider.Response) error { return parseGraphError(res).fault() })
	used := parseUsage(res.Header)
	c.used = usage{app: max(c.used.app, used.app), own: max(c.used.own, used.own)}
	if err != nil {
		return res, provider.Named(c.title, err)
	}
	return res, nil
}

// getPart reads one part of a list. As long as the provider refuses to send as much, it halves the
// limit in the query, which later parts keep.
func (c *caller) getPart(ctx context.Context, path string, query url.Values, out any) error {
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

// graphTime reads the API's times, for example "2026-11-20T08:00:00+0000", whose offset
// RFC 3339 does not know.
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
	endpoint   string
	status     int
	retryAfter time.Duration // how long a limit stays used up; zero if that is not reported

	Message   string `json:"message"`
	Code      int    `json:"code"`
	Subcode   int    `json:"error_subcode"`
	Transient bool   `json:"is_transient"`
}

func parseGraphError(res provider.Response) *graphError {
	var body struct {
		Error graphError `json:"error"`
	}
	_ = json.Unmarshal(res.Body, &body)
	body.Error.endpoint, body.Error.status = res.Endpoint, res.Status
	body.Error.retryAfter = parseUsage(res.Header).wait
	return &body.Error
}

// Error returns the codes, for logs.
func (e *graphError) Error() string {
	return fmt.Sprintf("%s: status %d, code %d, subcode %d", e.endpoint, e.status, e.Code, e.Subcode)
}

// Codes of the Graph API that are compared in several places or do not show what they mean
// (https://developers.facebook.com/docs/graph-api/guides/error-handling).
const (
	codeAppLimit   = 4   // the calls of the app are used up
	codePermission = 10  // a permission is missing
	codeParameter  = 100 // a parameter is invalid; the subcode or the message says more
	codeSession    = 102 // the session has ended
	codeToken      = 190 // the token is revoked, expired or invalid
)

// limitCodes are those of limits of the user, the page, a business use case, or against abuse.
var limitCodes = []int{17, 32, 341, 368, 613, 80001, 80002}

// errTooMuchData is the cause if a call asked for too much. A smaller one does not fail.
var errTooMuchData = errors.New("too much data asked for")

// fault translates the error. Messages are read only where codes do not tell refusals apart.
func (e *graphError) fault() error {
	switch {
	case e.says("api access deactivated", "api access blocked", "api access disrupted", "api access disabled"):
		return provider.AppWide(provider.Social, e) // whatever the token
	case e.says("reduce the amount of data"):
		return provider.Unreadable(fmt.Errorf("%w: %w", errTooMuchData, e))
	case e.photoAccountProblem() != "":
		gone := provider.Gone(e)
		gone.Message = e.photoAccountProblem()
		return gone
	case e.Code == codeToken || e.Code == codeSession:
		return provider.Revoked(e, e.revokedReason())
	case e.Code == codeAppLimit:
		return provider.ThrottledApp(e, e.retryAfter)
	case slices.Contains(limitCodes, e.Code), e.Code == 0 && e.status == http.StatusTooManyRequests:
		return provider.Throttled(e, e.retryAfter)
	case e.Code == codePermission && e.says("not enough viewers"): // the figures would describe too few people
		return provider.Gone(e)
	case e.Code == codeParameter && e.Subcode == 33, e.Code == 21, e.Code == 803: // does not exist, or has moved
		return provider.Gone(e)
	case e.Code == 101, e.Code == 104, e.Code == codeParameter && e.says("appsecret_proof"):
		return provider.NotSetUp(e) // a wrong id or secret of the app
	case e.Code == 3, e.Code == codePermission, e.Code >= 200 && e.Code <= 299:
		return provider.Denied(e)
	case e.Code == 1, e.Code == 2, e.Transient, e.status >= http.StatusInternalServerError:
		return provider.Temporary(e)
	}
	return provider.Unreadable(e)
}

func (e *graphError) says(texts ...string) bool {
	message := strings.ToLower(e.Message)
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(message, text) })
}

const notProfessional = "Z wybraną stroną na Facebooku nie jest połączone konto profesjonalne na Instagramie. " +
	"Zmień konto na firmowe lub twórcy w aplikacji Instagram, połącz je ze stroną i spróbuj ponownie."

// photoAccountProblem returns in Polish why an Instagram account cannot be read, or nothing.
func (e *graphError) photoAccountProblem() string {
	isPersonal := e.says("not an instagram business", "not a business account", "not an instagram professional",
		"not a professional account")
	switch {
	case isPersonal && (e.Code == codePermission || e.Code == codeParameter):
		return notProfessional
	case e.Code == 25 || e.Subcode == 2207050:
		return "Instagram ograniczył to konto. Zaloguj się w aplikacji Instagram, wykonaj jej polecenia i spróbuj " +
			"ponownie."
	}
	return ""
}

// isBadParameter reports whether err refuses a parameter, for example a metric that no longer exists.
func isBadParameter(err error) bool {
	e, ok := errors.AsType[*graphError](err)
	return ok && e.Code == codeParameter && fault.Is(err, provider.CodeChanged)
}

func (e *graphError) revokedReason() string {
	switch e.Subcode {
	case 459, 464:
		return "Facebook wymaga potwierdzenia konta. Zaloguj się w nim, wykonaj jego polecenia i połącz konto ponownie."
	case 460:
		return "Zmieniono hasło na Facebooku, więc cofnął nam dostęp. Połącz konto ponownie."
	case 463:
		return "Dostęp do Facebooka wygasł. Połącz konto ponownie."
	case 492:
		return "Osoba, która połączyła konto, nie zarządza już tą stroną. Połącz konto ponownie."
	}
	return "Facebook cofnął nam dostęp. Połącz konto ponownie."
}

// usage is what the headers of an answer report about the rate limits
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type usage struct {
	app  float64       // percent used of the fullest limit that all tokens share
	own  float64       // the same of the page, the business and the user
	wait time.Duration // until calls are answered again; zero if that is not reported
}

// limitUsage is in percent of calls, time and processor time.
type limitUsage struct {
	CallCount     float64 `json:"call_count"`
	TotalTime     float64 `json:"total_time"`
	TotalCPUTime  float64 `json:"total_cputime"`
	RegainMinutes float64 `json:"estimated_time_to_regain_access"`
}

// maxRegainMinutes is the longest wait that is believed.
const maxRegainMinutes = 24 * 60

// parseUsage reads the headers. One that cannot be read counts as absent.
func parseUsage(header http.Header) (u usage) {
	var app, page limitUsage
	var businesses map[string][]limitUsage
	_ = json.Unmarshal([]byte(header.Get("X-App-Usage")), &app)
	_ = json.Unmarshal([]byte(header.Get("X-Page-Usage")), &page)
	_ = json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &businesses)
	u.add(&u.app, app)
	u.add(&u.own, page)
	for _, limits := range businesses {
		u.add(&u.own, limits...)
	}
	return u
}

func (u *usage) add(used *float64, limits ...limitUsage) {
	for _, l := range limits {
		*used = max(*used, l.CallCount, l.TotalTime, l.TotalCPUTime)
		u.wait = max(u.wait, time.Duration(min(l.RegainMinutes, maxRegainMinutes)*float64(time.Minute)))
	}
}
