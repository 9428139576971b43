package meta_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/oauth2"

	"backend.example/deploy/sandbox/fake"
	sandbox "backend.example/deploy/sandbox/meta"
	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
	"backend.example/services/internal/kit/testkit"
)

// socialScopes are all that a service of provider_social needs.
var socialScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic",
	"instagram_manage_insights"}

// What our app asks for.
var (
	pagesScopes  = append(slices.Clone(socialScopes), "business_management")
	photosScopes = []string{"pages_show_list", "pages_read_engagement", "instagram_basic",
		"instagram_manage_insights",
		"business_management"}
)

var pageMetrics = []string{
	"page_media_view", "page_total_media_view_unique", "page_post_engagements", "page_views_total",
	"page_daily_follows_unique", "page_daily_unfollows_unique",
}

func TestAuthURL(t *testing.T) {
	const usual = "https://www.facebook.com/v25.0/dialog/oauth"
	pages := url.Values{"scope": {strings.Join(pagesScopes, ",")}, "auth_type": {"rerequest"}}
	photos := url.Values{"scope": {strings.Join(photosScopes, ",")}, "auth_type": {"rerequest"}}
	withPKCE := url.Values{"code_challenge_method": {"S256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(verifier)}}
	maps.Copy(withPKCE, photos)
	both := []provider.Service{provider.SocialPages, provider.SocialPhotos}
	for name, test := range map[string]struct {
		options  meta.Options
		services []provider.Service
		address  string
		asked    url.Values
	}{
		"pages": {meta.Options{}, both[:1], usual, pages},
		"both":  {meta.Options{}, both, usual, pages},
		"another version": {meta.Options{APIVersion: "v26.0"}, both[1:],
			"https://www.facebook.com/v26.0/dialog/oauth", photos},
		"code challenge, another host": {
			meta.Options{PKCE: true, BaseURL: &url.URL{Scheme: "http", Host: "sandbox:9000"}}, both[1:],
			"http://sandbox:9000/v25.0/dialog/oauth", withPKCE,
		},
		"configuration for business": {meta.Options{ConfigID: "815"}, both[:1], usual,
			url.Values{"config_id": {"815"}}},
	} {
		t.Run(name, func(t *testing.T) {
			test.options.ClientID, test.options.ClientSecret = clientID, clientSecret
			test.options.PagesScopes, test.options.PhotosScopes = pagesScopes, photosScopes
			want := url.Values{
				"client_id": {clientID}, "redirect_uri": {redirectURL}, "state": {"7:8:state"},
				"response_type": {"code"},
			}
			maps.Copy(want, test.asked)
			got := meta.New(test.options).AuthURL(test.services, "7:8:state", verifier, redirectURL)
			testkit.Equal(t, "address", got, test.address+"?"+want.Encode())
		})
	}
}

// An app that does not ask for a scope cannot be granted it.
func TestLacks(t *testing.T) {
	all := meta.New(meta.Options{PagesScopes: pagesScopes, PhotosScopes: photosScopes})
	few := meta.New(meta.Options{PagesScopes: pagesScopes[:2], PhotosScopes: photosScopes[:3]})
	for name, test := range map[string]struct {
		client  *meta.Client
		service provider.Service
		granted []string
		want    []string
	}{
		"all of pages":     {all, provider.SocialPages, socialScopes, []string{}},
		"all of photos":    {all, provider.SocialPhotos, socialScopes, []string{}},
		"some of pages":    {all, provider.SocialPages, socialScopes[:2], []string{"read_insights"}},
		"some of photos":   {all, provider.SocialPhotos, socialScopes[:3], socialScopes[3:]},
		"none of pages":    {all, provider.SocialPages, nil, socialScopes[:3]},
		"another provider": {all, provider.SearchProfile, nil, nil},
		"few for pages":    {few, provider.SocialPages, nil, socialScopes[:2]},
		"few for photos":   {few, provider.SocialPhotos, nil, photosScopes[:3]},
	} {
		testkit.Equal(t, name+": lacking scopes", test.client.Lacks(test.service, test.granted), test.want)
	}
}

// Each request goes to the real host, and takes its turn in the budget. A renewal takes none, because it holds a lock.
func TestAddresses(t *testing.T) {
	askedBy := map[string]string{} // address → who waited for a turn; empty: nobody
	counted := map[string]float64{}
	registry := prometheus.NewRegistry()
	o := options(testkit.RoundTripper(func(r *http.Request) (*http.Response, error) {
		before := counted
		counted = testkit.Series(t, registry)
		address := r.URL.Scheme + "://" + r.URL.Host + r.URL.Path
		askedBy[address] = ""
		for _, by := range []string{"people", "scans"} {
			series := "directory_provider_requests_total graph " + by + " provider_social"
			if counted[series] > before[series] {
				askedBy[address] = by
			}
		}
		body := `{"access_token":"a","id":"1","instagram_business_account":{"id":"2"}}`
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)),
			Header: http.Header{"Content-Type": {"application/json"}}}, nil
	}))
	o.Budget = budget.New(budget.Options{Provider: provider.Social, API: "graph", PerMinute: 60_000,
		Clock: &pace.Memory{}, Metrics: metrics.New(registry)})
	client := meta.New(o)
	token := provider.Token{AccessToken: someToken, ProviderUserID: "9"}
	services := []provider.Service{provider.SocialPages}
	_, exchanging := client.Exchange(t.Context(), services, someCode, verifier, redirectURL)
	_, _, naming := client.Account(t.Context(), provider.SocialPages, token)
	_, listing := client.Pages(t.Context(), someToken, pagesScopes)
	_, reading := client.ForScans().ReadPage(t.Context(), someToken, "1", "1")
	_, looking := client.ForScans().ReadPhotos(t.Context(), someToken, "1", "1")
	revoking := client.Revoke(t.Context(), token)
	for name, err := range map[string]error{
		"code": exchanging, "person": naming, "pages": listing, "page": reading, "photos": looking,
		"revocation": revoking,
	} {
		t.Run(name, func(t *testing.T) { wantFault(t, err, none) })
	}
	const graph = "https://graph.facebook.com/v25.0/"
	want := map[string]string{
		graph + "oauth/access_token": "", graph + "debug_token": "", graph + "9/permissions": "people",
		graph + "me": "people", graph + "me/permissions": "people",
		graph + "me/accounts": "people", graph + "me/businesses": "people",
		graph + "1": "scans", graph + "1/insights": "scans",
		graph + "2": "scans", graph + "2/media": "scans", graph + "2/insights": "scans",
	}
	testkit.Equal(t, "who asked what", askedBy, want)
	clear(askedBy)
	_, err := client.Refresh(t.Context(), token)
	wantFault(t, err, none)
	want = map[string]string{graph + "oauth/access_token": "", graph + "debug_token": ""}
	testkit.Equal(t, "who asked what in a renewal", askedBy, want)
}

// FuzzGraphBody: whatever Meta responds is read, or is a fault without a secret.
func FuzzGraphBody(f *testing.F) {
	for _, body := range []string{
		`{"id":"1","name":"Anna","data":[{"id":"2","name":"P","access_token":"t","fan_count":3}],` +
			`"paging":{"cursors":{"after":"a"},"next":"https://evil.example/?access_token=` + someToken + `"}}`,
		`{"id":"1","instagram_business_account":{"id":"../me"},"followers_count":100,"data":[]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"followers_count":1,"data":[{"id":"5",` +
			`"timestamp":"2026-11-20T08:00:00+0000","like_count":9223372036854775807,"comments_count":1}]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"data":[{"name":"page_views_total","period":"day",` +
			`"values":[{"value":{"a":1},"end_time":"x"}],"total_value":{"value":1,` +
			`"breakdowns":[{"results":[{"dimension_values":["K"],"value":2}]}]}}]}`,
		`{"access_token":"a","expires_in":9223372036854775807}`, `access_token=a&expires_in=1e9`,
		`{"data":[{"timestamp":"` + someToken + `"}]}`, `{"data":{}}`, `null`, `{"id":1}`, "\xff", ``,
	} {
		f.Add(uint16(0), "", body) // 200 is added to the status
	}
	for _, body := range []string{
		`{"error":{"message":"(#100) ` + someToken + `","code":100}}`, `{"error":{"code":1,"is_transient":true}}`,
		`{"error":{"code":10,"message":"Not enough viewers"}}`, `{"error":{"code":4}}`, `{"error":"` + someCode + `"}`,
		`{"error":{"code":100,"error_subcode":36009}}`,
	} {
		f.Add(uint16(200), "60", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			client := meta.New(options(testkit.RoundTripper(func(r *http.Request) (*http.Response, error) {
				return &http.Response{
					StatusCode: 200 + int(status)%400, Body: io.NopCloser(strings.NewReader(body)), Request: r,
					Header: http.Header{
						"Content-Type": {"application/json"}, "Retry-After": {wait}, "X-App-Usage": {body},
					},
				}, nil
			})))
			check := func(value any, err error) {
				t.Helper()
				if err != nil {
					wantFault(t, err, fault.Code{Name: fault.From(err).Code})
				}
				if _, err := json.Marshal(value); err != nil {
					t.Errorf("%+v cannot be written as JSON: %v", value, err)
				}
			}
			token := provider.Token{AccessToken: someToken, ProviderUserID: annaID}
			services := []provider.Service{provider.SocialPages}
			check(client.Exchange(t.Context(), services, someCode, verifier, redirectURL))
			check(client.Refresh(t.Context(), token))
			check(nil, client.Revoke(t.Context(), token))
			check(client.Pages(t.Context(), someToken, nil))
			check(client.ReadPage(t.Context(), someToken, bakeryID, bakeryID))
			check(client.ReadPhotos(t.Context(), someToken, bakeryID, photoID))
		})
	})
}

// FuzzSignedRequest: nothing that is not signed is believed, and nothing panics.
func FuzzSignedRequest(f *testing.F) {
	f.Add("a.b")
	f.Add(signedWith("other", `{"algorithm":"HMAC-SHA256","issued_at":1,"user_id":"1"}`, base64.URLEncoding))
	client := meta.New(meta.Options{ClientSecret: clientSecret})
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := client.ReadRequest(text); err == nil {
			t.Errorf("believed %+v", got)
		}
	})
}

const (
	clientID     = "471100"
	clientSecret = "5ec2e70f5ec2e70f5ec2e70f5ec2e70f" // #nosec G101 -- made up
	redirectURL  = "https://firma.example/api/oauth/callback"
	verifier     = "verifier-of-forty-three-characters-at-the-least"
	someCode     = "code-of-the-consent-page"
	someToken    = "token-of-a-user-or-a-page" // #nosec G101 -- made up

	annaID   = "1022000000100001" // of the sandbox
	bakeryID = "105600000010001"  // the page of her bakery
)

var now = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

// none is the code of no fault.
var none fault.Code

func clock() time.Time { return now }

// site is the sandbox's provider_social behind HTTP, with a client of it.
type site struct {
	*sandbox.Provider
	*meta.Client
}

func newSite(t *testing.T) site {
	s := site{Provider: sandbox.New(sandbox.Options{
		ClientID: clientID, ClientSecret: clientSecret, RedirectURI: redirectURL, Now: clock,
	})}
	s.Client = meta.New(options(testkit.NewTransport(t, s.Provider)))
	return s
}

func options(transport http.RoundTripper) meta.Options {
	return meta.Options{
		ClientID: clientID, ClientSecret: clientSecret, PKCE: true, Transport: transport, Timeout: 10 * time.Second,
		Now: clock, PagesScopes: pagesScopes, PhotosScopes: photosScopes, PageMetrics: pageMetrics,
		Metrics: metrics.New(nil),
	}
}

func ok(body string) fake.Reply { return fake.Reply{Body: body} }

func failed(status int, body string) fake.Reply { return fake.Reply{Status: status, Body: body} }

// graphError is an error response of the Graph API.
func graphError(code, subcode int, message string) fake.Reply {
	return failed(400, fmt.Sprintf(
		`{"error":{"message":%q,"type":"OAuthException","code":%d,"error_subcode":%d,"fbtrace_id":"AbC"}}`, message,
		code, subcode))
}

// wantFault is testkit.WantFault with the secrets of these tests.
func wantFault(t *testing.T, err error, code fault.Code) *fault.Error {
	t.Helper()
	return testkit.WantFault(t, err, code, clientSecret, verifier, someCode, someToken)
}
