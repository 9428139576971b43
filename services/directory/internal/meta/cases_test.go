package meta_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

func refused(status int, body string) fake.Reply { return fake.Reply{Status: status, Body: body} }

const (
	ownPage     = `{"data":[{"id":"1","name":"P","access_token":"T"}]}`
	noPages     = `{"data":[]}`
	onePart     = `{"data":[{"id":"55","name":"B"}]}`
	tooMuchData = `{"error":{"code":1,"message":"Please reduce the amount of data you're asking for, then retry your ` +
		`request"}}`
	denied = `{"error":{"message":"(#10) Application does not have permission for this ` +
		`action","type":"OAuthException","code":10}}`
	repeated = `{"data":[{"id":"1","name":"P","access_token":"T"}],"paging":{"cursors":{"after":"Q"},"next":"yes"}}`
)

// TestPagesOfOrdinaryPeople: what Meta refuses or repeats costs a person neither the pages
// that were read nor the knowledge whether there are more.
func TestPagesOfOrdinaryPeople(t *testing.T) {
	const accounts, businesses = "GET /v25.0/me/accounts", "GET /v25.0/me/businesses"
	const owned, client = "GET /v25.0/55/owned_pages", "GET /v25.0/55/client_pages"
	type outcome struct {
		IDs      []string
		Complete bool
	}
	for name, test := range map[string]struct {
		replies map[string]fake.Reply
		want    outcome
	}{
		"a portfolio refuses": {
			map[string]fake.Reply{accounts: {Body: ownPage}, businesses: {Body: onePart}, owned: refused(403, denied),
				client: {Body: noPages}},
			outcome{[]string{"1"}, true},
		},
		"no portfolio may be listed": {
			map[string]fake.Reply{accounts: {Body: ownPage}, businesses: refused(403, denied)},
			outcome{[]string{"1"}, true},
		},
		"a portfolio is throttled": {
			map[string]fake.Reply{
				accounts: {Body: ownPage}, businesses: {Body: onePart}, client: {Body: noPages},
				owned: refused(400, `{"error":{"code":17}}`),
			},
			outcome{[]string{"1"}, false},
		},
		"100 pages are too much": {
			map[string]fake.Reply{
				accounts + "?limit=100": refused(500, tooMuchData), accounts + "?limit=50": refused(500, tooMuchData),
				accounts + "?limit=25": {Body: ownPage}, businesses: {Body: noPages},
			},
			outcome{[]string{"1"}, true},
		},
		"the cursor repeats": {
			map[string]fake.Reply{accounts: {Body: repeated}, businesses: {Body: noPages}},
			outcome{[]string{"1"}, false},
		},
	} {
		t.Run(name, func(t *testing.T) {
			client, site, token := newCase(t)
			for pattern, reply := range test.replies {
				site.SetReply(pattern, reply)
			}
			list, err := client.Pages(t.Context(), token, pagesScopes)
			if err != nil {
				t.Fatal(err)
			}
			got := outcome{Complete: list.Complete}
			for _, page := range list.Items {
				got.IDs = append(got.IDs, page.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestRefusalsSayWhoCanMend compares whom a refusal concerns: the operator of the app, the
// owner of an account, or the person who granted access.
func TestRefusalsSayWhoCanMend(t *testing.T) {
	const notProfessional = "Z wybraną stroną na Facebooku nie jest połączone konto profesjonalne na Instagramie. " +
		"Zmień konto na firmowe lub twórcy w aplikacji Instagram, połącz je ze stroną i spróbuj ponownie."
	const appWide = "Facebook odmawia teraz dostępu całej naszej usłudze, nie tylko tej firmie. Nie trzeba łączyć " +
		"kont ponownie."
	for name, test := range map[string]struct {
		body    string
		code    fault.Code
		message string
	}{
		"blocked app": {`{"error":{"message":"API access blocked.","type":"OAuthException","code":200}}`,
			provider.CodeOperator, appWide},
		"deactivated app": {
			`{"error":{"message":"API access deactivated. To reactivate, go to the app dashboard.","code":200}}`,
			provider.CodeOperator, appWide,
		},
		"disrupted app": {
			`{"error":{"message":"API access disrupted. Go to the App Dashboard and complete Data Use ` +
				`Checkup.","code":200}}`,
			provider.CodeOperator, appWide,
		},
		"missing permission": {`{"error":{"message":"(#200) Requires pages_read_engagement","code":200}}`,
			provider.CodePermission, provider.CodePermission.Text},
		"personal account": {`{"error":{"message":"(#10) The user is not an Instagram Business","code":10}}`,
			provider.CodeGone, notProfessional},
		"restricted account": {
			`{"error":{"message":"The Instagram account is restricted.","code":25,"error_subcode":2207050}}`,
			provider.CodeGone,
			"Instagram ograniczył to konto. Zaloguj się w aplikacji Instagram, wykonaj jej polecenia i spróbuj " +
				"ponownie.",
		},
		"outage": {`{"error":{"code":2}}`, provider.CodeTemporary,
			"Instagram chwilowo nie odpowiada. Spróbuj ponownie za kilka minut."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, site, token := newCase(t)
				site.SetReply("GET /v25.0/"+bakeryID, refused(http.StatusBadRequest, test.body))
				_, err := client.ReadPhotos(t.Context(), token, bakeryID)
				got := []string{fault.From(err).Code, fault.From(err).Message}
				if diff := cmp.Diff([]string{test.code.Name, test.message}, got); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

// TestInsightsAreSplit: metrics that are too much for one call are read one by one, and one
// that is too much alone is missed for now.
func TestInsightsAreSplit(t *testing.T) {
	client, site, token := newCase(t)
	const insights = "GET /v25.0/" + bakeryID + "/insights"
	site.SetReply("GET /v25.0/"+bakeryID, fake.Reply{Body: `{"id":"` + bakeryID + `","fan_count":120}`})
	site.SetReply(insights, refused(500, tooMuchData))
	site.SetReply(insights+"?metric="+pageMetrics[0],
		fake.Reply{Body: `{"data":[{"name":"page_media_view","values":[{"value":31}]}]}`})
	got, err := client.ReadPage(t.Context(), token, bakeryID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{pageMetrics[0]: 31.0}, got.Metrics); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(pageMetrics[1:], got.Missed.Metrics); diff != "" ||
		!fault.Is(got.Missed.Err, provider.CodeTemporary) {
		t.Errorf("missed because of %v: %s", got.Missed.Err, diff)
	}
}

// newCase returns a client of the sandbox, which needs a token of a person whom it knows.
func newCase(t *testing.T) (client *meta.Client, site *fake.Fake, token string) {
	provider, server := newMeta(t)
	return newSocial(server), provider.Fake, provider.Grant("anna", pagesScopes...).User
}
