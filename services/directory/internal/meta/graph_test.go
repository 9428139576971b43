package meta_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const graphPage = "GET /v25.0/" + bakeryID

// quoting is a message that repeats what was sent, as real ones may.
const quoting = "Malformed access token " + someToken + " of secret " + clientSecret

// TestGraphErrors compares what each error means for the person and for the operator. The code decides, not
// the status.
func TestGraphErrors(t *testing.T) {
	const (
		appWide = "Facebook odmawia teraz dostępu całej naszej usłudze, nie tylko tej firmie. Nie trzeba łączyć kont " +
			"ponownie."
		notProfessional = "Z wybraną stroną na Facebooku nie jest połączone konto profesjonalne na Instagramie. " +
			"Zmień konto na firmowe lub twórcy w aplikacji Instagram, połącz je ze stroną i spróbuj ponownie."
		restricted = "Instagram ograniczył to konto. Zaloguj się w aplikacji Instagram, wykonaj jej polecenia i " +
			"spróbuj ponownie."
		badProof = "Invalid appsecret_proof provided in the API argument"
	)
	for _, test := range []struct {
		codes   []int
		subcode int
		message string
		want    fault.Code
		text    string // for the person; empty: any
	}{
		{[]int{1}, 0, quoting, provider.CodeTemporary, ""},
		{[]int{2}, 0, quoting, provider.CodeTemporary,
			"Instagram chwilowo nie odpowiada. Spróbuj ponownie za kilka minut."},
		{[]int{3, 10, 200, 299}, 0, quoting, provider.CodePermission, provider.CodePermission.Text},
		{[]int{10}, 0, "(#10) Not enough viewers for the media to show insights", provider.CodeGone, ""},
		{[]int{10, 100}, 0, "The user is not an Instagram Business", provider.CodeGone, notProfessional},
		{[]int{25}, 2207050, "The Instagram account is restricted.", provider.CodeGone, restricted},
		{[]int{4, 17, 32, 341, 368, 613, 80001, 80002}, 0, quoting, provider.CodeThrottled, ""},
		{[]int{100, 199, 300, 2500}, 0, quoting, provider.CodeChanged, ""},
		{[]int{21, 803}, 0, quoting, provider.CodeGone, ""},
		{[]int{100}, 33, quoting, provider.CodeGone, ""},
		{[]int{101, 104}, 0, quoting, provider.CodeOperator, ""},
		{[]int{100}, 0, badProof, provider.CodeOperator, ""},
		{[]int{200}, 0, "API access deactivated. To reactivate, go to the app dashboard.", provider.CodeOperator,
			appWide},
		{[]int{200}, 0, "API access blocked.", provider.CodeOperator, appWide},
		{[]int{200}, 0, "API access disrupted. Go to the App Dashboard.", provider.CodeOperator, appWide},
		{[]int{102, 190}, 0, quoting, provider.CodeReconnect, ""},
		{[]int{102}, 0, badProof, provider.CodeReconnect, ""},
	} {
		for _, code := range test.codes {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				reply := graphError(code, test.subcode, test.message)
				for _, reply.Status = range []int{400, 403, 404, 429} {
					s.SetReply(graphPage, reply)
					_, err := s.ReadPhotos(t.Context(), someToken, bakeryID, photoID)
					f := wantFault(t, err, test.want)
					if test.text != "" && f.Message != test.text {
						t.Errorf("%d: message %q, want %q", code, f.Message, test.text)
					}
					if provider.IsAppLimit(err) != (code == 4) {
						t.Errorf("limit of the app: %v", err)
					}
				}
			})
		}
	}
}

func TestGraphErrorForms(t *testing.T) {
	for name, test := range map[string]struct {
		reply fake.Reply
		want  fault.Code
	}{
		"transient": {failed(400, `{"error":{"code":9999,"is_transient":true}}`),
			provider.CodeTemporary},
		"transient limit":    {failed(400, `{"error":{"code":4,"is_transient":true}}`), provider.CodeThrottled},
		"500 without a code": {failed(500, `{}`), provider.CodeTemporary},
		"429 without a code": {failed(429, ""), provider.CodeThrottled},
		"page of a gateway":  {failed(503, `<html>`+someToken), provider.CodeTemporary},
		"403 without a code": {failed(403, `<html>`+someToken), provider.CodeChanged},
		"error is a text":    {failed(400, `{"error":"`+someToken+`"}`), provider.CodeChanged},
		"token in place of a type": {failed(400, `{"error":{"code":190,"type":"`+someToken+`"}}`),
			provider.CodeReconnect},
		"message is a number": {failed(400, `{"error":{"message":7,"code":190}}`), provider.CodeReconnect},
		"success is a list":   {ok(`["` + someToken + `"]`), provider.CodeChanged},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply(graphPage, test.reply)
				_, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
				wantFault(t, err, test.want)
			})
		})
	}
}

// The person reads the reason, and the log has the codes.
func TestRevokedReasons(t *testing.T) {
	for subcode, want := range map[int]string{
		0: "cofnął", 458: "cofnął", 467: "cofnął", 459: "potwierdzenia", 464: "potwierdzenia", 460: "hasło",
		463: "wygasł", 492: "nie zarządza",
	} {
		s := newSite(t)
		s.SetReply(graphPage, graphError(190, subcode, quoting))
		_, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
		if f := wantFault(t, err, provider.CodeReconnect); !strings.Contains(f.Message, want) {
			t.Errorf("reason of %d = %q, want one with %q", subcode, f.Message, want)
		}
		log := fmt.Sprintf("GET graph.facebook.com/v25.0/{id}: status 400, code 190, subcode %d", subcode)
		if !strings.Contains(err.Error(), log) {
			t.Errorf("err = %v, want it to hold %q", err, log)
		}
	}
}

// TestRateLimits: close to a limit, a page is read without its insights.
func TestRateLimits(t *testing.T) {
	const regain = `{"4711":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":12},` +
		`{"type":"instagram","estimated_time_to_regain_access":7}]}`
	const years = `{"1":[{"call_count":100,"estimated_time_to_regain_access":1e300}]}`
	const app, page, business = "X-App-Usage", "X-Page-Usage", "X-Business-Use-Case-Usage"
	for name, test := range map[string]struct {
		header, value string
		missed        fault.Code
		app           bool // the limit is that of all tokens
		wait          time.Duration
	}{
		"none":          {"X-Other", "", none, false, 0},
		"app below":     {app, `{"call_count":94.9,"total_time":25,"total_cputime":25}`, none, false, 0},
		"app calls":     {app, `{"call_count":95,"total_time":25}`, provider.CodeThrottled, true, 0},
		"app time":      {app, `{"call_count":28,"total_time":97}`, provider.CodeThrottled, true, 0},
		"app processor": {app, `{"total_cputime":100}`, provider.CodeThrottled, true, 0},
		"page":          {page, `{"call_count":96}`, provider.CodeThrottled, false, 0},
		"business": {business, `{"2":[{"call_count":1},{"total_time":99}]}`, provider.CodeThrottled,
			false, 0},
		"business with wait":  {business, regain, provider.CodeThrottled, false, 12 * time.Minute},
		"business for years":  {business, years, provider.CodeThrottled, false, 24 * time.Hour},
		"app unreadable":      {app, `{"call_count":"many"`, none, false, 0},
		"business unreadable": {business, `[1]`, none, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newPageSite(t)
			header := http.Header{test.header: {test.value}}
			s.SetReply(graphPage, fake.Reply{Header: header, Body: `{"id":"1","followers_count":134}`})
			data, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
			wantFault(t, err, none)
			wantFault(t, data.Missed.Err, test.missed)
			if provider.IsAppLimit(data.Missed.Err) != test.app || data.FollowersCount != 134 {
				t.Errorf("data = %+v, want the limit of the app: %t", data, test.app)
			}
			refused := graphError(80001, 0, "limit")
			refused.Header = header
			s.SetReply(graphPage, refused)
			_, err = s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
			if f := wantFault(t, err, provider.CodeThrottled); f.RetryAfter != test.wait {
				t.Errorf("RetryAfter = %s, want %s", f.RetryAfter, test.wait)
			}
		})
	}
}
