package meta_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

const graphPage = "GET /v25.0/" + bakeryID

// quoting is a message that repeats what was sent, as real ones may.
const quoting = "Malformed access token " + someToken + " of secret " + clientSecret

// graphError is an error answer of the Graph API.
func graphError(code, subcode int, message string) reply {
	return failed(400, fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"AbC"}}`, message,
		code, subcode))
}

func TestGraphErrorCodes(t *testing.T) {
	tests := []struct {
		codes   []int
		subcode int
		message string
		want    string
		app     bool // it is about all tokens
	}{
		{codes: []int{1, 2}, message: quoting, want: providertest.Temporary},
		{codes: []int{3, 10, 200, 299}, message: quoting, want: providertest.Permission},
		{codes: []int{10}, message: "(#10) Not enough viewers for the media to show insights", want: providertest.Gone},
		{codes: []int{4}, message: quoting, want: providertest.Throttled, app: true},
		{codes: []int{17, 32, 341, 368, 613, 80001, 80002}, message: quoting, want: providertest.Throttled},
		{codes: []int{100, 199, 300, 2500}, message: quoting, want: providertest.Changed},
		{codes: []int{21, 803}, message: quoting, want: providertest.Gone},
		{codes: []int{100}, subcode: 33, message: quoting, want: providertest.Gone},
		{codes: []int{104}, message: quoting, want: providertest.Operator},
		{codes: []int{200}, message: "API access deactivated. To reactivate, go to the app dashboard.",
			want: providertest.Operator},
		{codes: []int{100}, message: "Invalid appsecret_proof provided in the API argument",
			want: providertest.Operator},
		{codes: []int{101}, message: quoting, want: providertest.Operator},
		{codes: []int{102, 190}, message: quoting, want: providertest.Reconnect},
		{codes: []int{102}, message: "Invalid appsecret_proof provided in the API argument",
			want: providertest.Reconnect},
	}
	for _, test := range tests {
		for _, code := range test.codes {
			runQuickly(t, fmt.Sprintf("%d-%d", code, test.subcode), func(t *testing.T) {
				s := newServer(t, nil)
				answer := graphError(code, test.subcode, test.message)
				for _, status := range []int{400, 401, 403, 404, 429, 500} { // the code decides
					if test.want == providertest.Changed && status == 500 {
						continue
					}
					s.Replies[graphPage] = reply{Status: status, Body: answer.Body}
					_, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
					wantFault(t, err, test.want)
					if provider.IsAppLimit(err) != test.app {
						t.Errorf("limit of the app: %v", err)
					}
				}
			})
		}
	}
}

func TestGraphErrorForms(t *testing.T) {
	tests := []struct {
		name  string
		reply reply
		want  string
	}{
		{name: "transient", reply: failed(400, `{"error":{"code":9999,"is_transient":true}}`),
			want: providertest.Temporary},
		{name: "transient limit", reply: failed(400, `{"error":{"code":4,"is_transient":true}}`),
			want: providertest.Throttled},
		{name: "500 without a code", reply: failed(500, `{}`), want: providertest.Temporary},
		{name: "429 without a code", reply: reply{Status: 429}, want: providertest.Throttled},
		{name: "page of a gateway", reply: failed(503, `<html>`+someToken), want: providertest.Temporary},
		{name: "403 without a code", reply: failed(403, `<html>`+someToken), want: providertest.Changed},
		{name: "error is a text", reply: failed(400, `{"error":"`+someToken+`"}`), want: providertest.Changed},
		{name: "token in place of a type", reply: failed(400, `{"error":{"code":190,"type":"`+someToken+`"}}`),
			want: providertest.Reconnect},
		{name: "message is a number", reply: failed(400, `{"error":{"message":7,"code":190}}`),
			want: providertest.Reconnect},
		{name: "success is a list", reply: ok(`["` + someToken + `"]`), want: providertest.Changed},
	}
	for _, test := range tests {
		runQuickly(t, test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies[graphPage] = test.reply
			_, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
			if wantFault(t, err, test.want); len(s.Calls) != tries(test.want) {
				t.Errorf("%d calls, want %d", len(s.Calls), tries(test.want))
			}
		})
	}
}

// The user reads the reason, and the log has the codes.
func TestGraphRevokedReasons(t *testing.T) {
	messages := map[string]bool{}
	for subcode, want := range map[int]string{
		458: "cofnął", 459: "potwierdzenia", 464: "potwierdzenia", 460: "hasło", 463: "wygasł", 467: "cofnął",
		492: "nie zarządza", 0: "cofnął",
	} {
		s := newServer(t, nil)
		s.Replies[graphPage] = graphError(190, subcode, quoting)
		_, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
		f := wantFault(t, err, providertest.Reconnect)
		messages[f.Message] = true
		if !strings.Contains(f.Message, want) {
			t.Errorf("reason of %d = %q, want one with %q", subcode, f.Message, want)
		}
		if log := fmt.Sprintf("GET graph.facebook.com/v25.0/{id}: status 400, code 190, subcode %d",
			subcode); !strings.Contains(err.Error(), log) {
			t.Errorf("err = %v, want it to hold %q", err, log)
		}
	}
	if len(messages) != 5 {
		t.Errorf("messages = %v, want five different ones", messages)
	}
}

func TestGraphRateLimit(t *testing.T) {
	const regain = `{"4711":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":12},` +
		`{"type":"instagram","estimated_time_to_regain_access":7}]}`
	const app, page, business = "X-App-Usage", "X-Page-Usage", "X-Business-Use-Case-Usage"
	tests := []struct {
		name, header, value string
		insights            bool // whether they are asked for
		app                 bool // if not, whether the limit is that of all tokens
		retryAfter          time.Duration
	}{
		{name: "none", header: "X-Other", insights: true},
		{name: "app below", header: app, value: `{"call_count":94.9,"total_time":25,"total_cputime":25}`,
			insights: true},
		{name: "app calls", header: app, value: `{"call_count":95,"total_time":25,"total_cputime":25}`, app: true},
		{name: "app time", header: app, value: `{"call_count":28,"total_time":97,"total_cputime":25}`, app: true},
		{name: "app processor", header: app, value: `{"call_count":28,"total_time":25,"total_cputime":100}`, app: true},
		{name: "page", header: page, value: `{"call_count":96}`},
		{
			name: "business", header: business,
			value: `{"1":[{"type":"ads","call_count":1}],"2":[{"call_count":1},{"total_time":99}]}`,
		},
		{name: "business with a wait", header: business, value: regain, retryAfter: 12 * time.Minute},
		{
			name: "business with years", header: business,
			value: `{"1":[{"call_count":100,"estimated_time_to_regain_access":1e300}]}`, retryAfter: 24 * time.Hour,
		},
		{name: "app unreadable", header: app, value: `{"call_count":"many"`, insights: true},
		{name: "business unreadable", header: business, value: `[1]`, insights: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newPageServer(t)
			s.Header = http.Header{test.header: {test.value}}
			data, err := newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
			wantFault(t, err, "")
			if asked := len(s.Calls) > 1; data.FollowersCount != 134 || asked != test.insights ||
				asked != (len(data.Metrics) > 0) {
				t.Errorf("data = %+v; insights asked for: %t, want %t", data, asked, test.insights)
			}
			if provider.IsAppLimit(data.Missed.Err) != test.app {
				t.Errorf("missed because of %v, want the limit of the app: %t", data.Missed.Err, test.app)
			}
			s.Replies[graphPage] = graphError(80001, 0, "limit")
			_, err = newSocial(s).ReadPage(t.Context(), someToken, bakeryID)
			if f := wantFault(t, err, providertest.Throttled); f.RetryAfter != test.retryAfter {
				t.Errorf("RetryAfter = %s, want %s", f.RetryAfter, test.retryAfter)
			}
		})
	}
}
