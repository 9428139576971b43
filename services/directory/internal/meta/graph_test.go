package meta_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const graphPage = "GET /v25.0/" + bakeryID

// quoting is a message that repeats what was sent, as real ones may.
const quoting = "Malformed access token " + someToken + " of secret " + clientSecret

// The code decides, not the status.
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
						t.Errorf("code %d: message %q, want %q", code, f.Message, test.text)
					}
					what := fmt.Sprintf("whether code %d is a limit of the app", code)
					testkit.Equal(t, what, provider.IsAppLimit(err), code == 4)
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

func TestRevokedReasons(t *testing.T) {
	for subcode, want := range map[int]string{
		0: "cofnął", 458: "cofnął", 467: "cofnął", 459: "potwierdzenia", 464: "potwierdzenia", 460: "hasło",
		463: "wygasł", 492: "nie zarządza",
	} {
		s := newSite(t)
		s.SetReply(graphPage, graphError(190, subcode, quoting))
		_, err := s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
		f := wantFault(t, err, provider.CodeReconnect)
		if !strings.Contains(f.Message, want) {
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
		missed        fault.Code    // of the insights
		ofApp         bool          // the limit is that of all tokens
		wait          time.Duration // after a refusal
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
			testkit.Equal(t, "is a limit of the app", provider.IsAppLimit(data.Missed.Err), test.ofApp)
			testkit.Equal(t, "followers", data.FollowersCount, 134)
			refused := graphError(80001, 0, "limit")
			refused.Header = header
			s.SetReply(graphPage, refused)
			_, err = s.ReadPage(t.Context(), someToken, bakeryID, bakeryID)
			testkit.Equal(t, "wait", wantFault(t, err, provider.CodeThrottled).RetryAfter, test.wait)
		})
	}
}

const socialToken = "POST /v25.0/oauth/access_token"

// exchange exchanges the code of a consent page on which Anna allowed everything.
func (s site) exchange(t *testing.T) (provider.Token, error) {
	code := s.Provider.Code("anna", oauth2.S256ChallengeFromVerifier(verifier), socialScopes...)
	return s.Exchange(t.Context(), []provider.Service{provider.SocialPages}, code, verifier, redirectURL)
}

// sandboxTerm is how long a long-lived token of the sandbox is valid, nearly 60 days.
const sandboxTerm = 5183944 * time.Second

func TestToken(t *testing.T) {
	s := newSite(t)
	s.SetToggle("missing_permissions", []string{"read_insights"})
	token, err := s.exchange(t)
	wantFault(t, err, none)
	id, name, err := s.Account(t.Context(), provider.SocialPages, token)
	wantFault(t, err, none)
	testkit.Equal(t, "account", id+" "+name, annaID+" Anna Kowalska")
	if token.AccessToken == "" {
		t.Error("no access token")
	}
	token.AccessToken = ""
	slices.Sort(token.Scopes)
	granted := []string{"instagram_basic", "instagram_manage_insights", "pages_read_engagement", "pages_show_list"}
	want := provider.Token{
		ProviderUserID: annaID, ExpiresAt: new(now.Add(sandboxTerm)),
		Scopes:              granted,
		DataAccessExpiresAt: new(now.Add(90 * 24 * time.Hour)),
	}
	testkit.Equal(t, "token", token, want)
}

func TestTokenWithoutPKCE(t *testing.T) {
	s := newSite(t)
	client := meta.New(meta.Options{
		ClientID: clientID, ClientSecret: clientSecret, Transport: testkit.NewTransport(t, s.Provider), Now: clock,
	})
	_, err := client.Exchange(t.Context(), []provider.Service{provider.SocialPages},
		s.Provider.Code("anna", "", socialScopes...), verifier, redirectURL)
	wantFault(t, err, none)
}

// TestRefresh: a token without an end, or with one that cannot be, is renewed after 60 days.
func TestRefresh(t *testing.T) {
	sixtyDays := 60 * 24 * time.Hour
	for name, test := range map[string]struct {
		prepare func(site)
		term    time.Duration
	}{
		"usual":     {func(site) {}, sandboxTerm},
		"no expiry": {func(s site) { s.SetToggle("omit_expires_in", true) }, sixtyDays},
		"for ever": {func(s site) {
			s.SetReply(socialToken, ok(`{"access_token":"a","expires_in":9223372036854775807}`))
		}, sixtyDays},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			test.prepare(s)
			token, err := s.Refresh(t.Context(), provider.Token{AccessToken: s.Grant("anna", socialScopes...)})
			wantFault(t, err, none)
			testkit.Equal(t, "end of the token", token.ExpiresAt, new(now.Add(test.term)))
		})
	}
	s := newSite(t)
	user := s.Grant("anna", socialScopes...)
	s.Do("expire-tokens", `{"account":"anna"}`)
	_, err := s.Refresh(t.Context(), provider.Token{AccessToken: user})
	wantFault(t, err, provider.CodeReconnect)
}

func TestDataAccessUnknown(t *testing.T) {
	for name, reply := range map[string]fake.Reply{
		"no end": ok(`{"data":{"data_access_expires_at":0}}`), "absent": ok(`{"data":{}}`), "another form": ok(`[]`),
		"refused": graphError(190, 0, "app token"), "overflowing": ok(`{"data":{"data_access_expires_at":1e40}}`),
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.SetReply("GET /v25.0/debug_token", reply)
			token, err := s.Refresh(t.Context(), provider.Token{AccessToken: s.Grant("anna", socialScopes...)})
			wantFault(t, err, none)
			if token.AccessToken == "" {
				t.Error("no access token")
			}
			if token.DataAccessExpiresAt != nil {
				t.Errorf("access to data ends at %s, want no end", token.DataAccessExpiresAt)
			}
		})
	}
}

func TestDataAccessHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		client := meta.New(options(hanging(t, s.Provider, "/debug_token")))
		began := time.Now()
		token, err := client.Refresh(t.Context(), provider.Token{AccessToken: s.Grant("anna", socialScopes...)})
		wantFault(t, err, none)
		if token.AccessToken == "" {
			t.Error("no access token")
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the renewal took %v, want 5s at most", took)
		}
	})
}

// hanging returns a transport to a handler that does not respond to one path.
func hanging(t *testing.T, handler http.Handler, path string) http.RoundTripper {
	return testkit.NewTransport(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, path) {
			<-r.Context().Done()
			return
		}
		handler.ServeHTTP(w, r)
	}))
}

// Each row is tried at the exchange of a code and, where it applies, at a renewal.
func TestTokenErrors(t *testing.T) {
	const me, permissions = "GET /v25.0/me", "GET /v25.0/me/permissions"
	const codeExpired = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."
	passing := graphError(1, 0, "unknown")
	passing.Status = http.StatusInternalServerError
	for name, test := range map[string]struct {
		request string // that gets the reply
		reply   fake.Reply
		want    fault.Code
		message string // empty: any
	}{
		"code expired": {socialToken, graphError(100, 36007, someCode), provider.CodeReconnect,
			codeExpired},
		"code used": {socialToken, graphError(100, 36009, someCode), provider.CodeReconnect,
			codeExpired},
		"subcode of another code": {socialToken, graphError(2, 36009, "later"), provider.CodeTemporary, ""},
		"redirect address":        {socialToken, graphError(100, 36008, redirectURL), provider.CodeOperator, ""},
		"another parameter":       {socialToken, graphError(100, 0, "Missing client_id"), provider.CodeChanged, ""},
		"client id": {socialToken, graphError(101, 0, "Error validating app"), provider.CodeOperator,
			""},
		"client secret": {socialToken, graphError(1, 0, "Error validating client secret: "+clientSecret),
			provider.CodeOperator, ""},
		"code 1 with 500": {socialToken, passing, provider.CodeTemporary, ""},
		"transient": {socialToken, failed(400, `{"error":{"code":1,"is_transient":true}}`),
			provider.CodeTemporary, ""},
		"limit":        {socialToken, graphError(613, 0, "limit"), provider.CodeThrottled, ""},
		"app removed":  {socialToken, graphError(190, 458, someToken), provider.CodeReconnect, ""},
		"gateway page": {socialToken, failed(502, "<html>"+someCode), provider.CodeTemporary, ""},
		"a page":       {socialToken, ok("<html>" + someCode), provider.CodeChanged, ""},
		"a form":       {socialToken, ok("access_token=" + someToken), provider.CodeChanged, ""},
		"expiry is a text": {socialToken, ok(`{"access_token":"a","expires_in":"soon"}`),
			provider.CodeChanged, ""},
		"no token":                    {socialToken, ok(`{"token_type":"bearer"}`), provider.CodeChanged, ""},
		"no permissions":              {permissions, graphError(2, 0, "later"), provider.CodeTemporary, ""},
		"permissions of another form": {permissions, ok(`{"data":"` + someToken + `"}`), provider.CodeChanged, ""},
		"no person":                   {me, ok(`{"name":"Anna"}`), provider.CodeChanged, ""},
		"token revoked at once":       {me, graphError(190, 460, someToken), provider.CodeReconnect, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply(test.request, test.reply)
				_, err := s.exchange(t)
				f := wantFault(t, err, test.want)
				if test.message != "" && f.Message != test.message {
					t.Errorf("message = %q, want %q", f.Message, test.message)
				}
				if test.request == socialToken {
					_, err = s.Refresh(t.Context(), provider.Token{AccessToken: someToken})
					wantFault(t, err, test.want)
				}
			})
		})
	}
}

func TestRevoke(t *testing.T) {
	s := newSite(t)
	for _, personID := range []string{annaID, ""} { // connections from before the person's id was kept have none
		token := provider.Token{ProviderUserID: personID, AccessToken: s.Grant("anna", socialScopes...)}
		wantFault(t, s.Revoke(t.Context(), token), none)
		_, err := s.Pages(t.Context(), token.AccessToken, nil)
		wantFault(t, err, provider.CodeReconnect)
	}
	for want, replies := range map[fault.Code][]fake.Reply{
		none: {ok("true"), graphError(190, 458, "removed before"),
			graphError(100, 33, "unknown person")},
		provider.CodeReconnect: {graphError(190, 0, "the app's token is refused")},
		provider.CodeTemporary: {graphError(2, 0, "later")},
	} {
		for _, reply := range replies {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t)
				s.SetReply("DELETE /v25.0/"+annaID+"/permissions", reply)
				wantFault(t, s.Revoke(t.Context(), provider.Token{ProviderUserID: annaID}), want)
			})
		}
	}
}

// signedWith signs a payload as the provider does, apart from the client (RFC 2104).
func signedWith(secret, payload string, encoding *base64.Encoding) string {
	encoded := encoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(encoded))
	return encoding.EncodeToString(mac.Sum(nil)) + "." + encoded
}

func TestSignedRequest(t *testing.T) {
	const payload = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1022000000100001","expires":0}`
	social := meta.New(options(nil))
	digests := map[string]bool{}
	for name, encoding := range map[string]*base64.Encoding{"without padding": base64.RawURLEncoding,
		"with padding": base64.URLEncoding} {
		got, err := social.ReadRequest(signedWith(clientSecret, payload, encoding))
		if err != nil {
			t.Errorf("%s: err = %v", name, err)
			continue
		}
		testkit.Equal(t, name+": person", got.PersonID, annaID)
		testkit.Equal(t, name+": time of issue", got.IssuedAt, time.Date(2025, 11, 21, 10, 0, 0, 0, time.UTC))
		testkit.Equal(t, name+": length of the digest", len(got.Digest), 32)
		digests[got.Digest] = true
	}
	aSecondLater := strings.Replace(payload, "1763719200", "1763719201", 1)
	later, err := social.ReadRequest(signedWith(clientSecret, aSecondLater, base64.RawURLEncoding))
	if err != nil {
		t.Fatalf("another request: %v", err)
	}
	if digests[later.Digest] {
		t.Error("another request has the same digest")
	}
}

func TestSignedRequestRefused(t *testing.T) {
	// decodedSignature signs what the payload means, which a careless client would accept.
	decodedSignature := func(payload string) string {
		mac := hmac.New(sha256.New, []byte(clientSecret))
		mac.Write([]byte(payload))
		return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	const good = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1"}`
	raw := base64.RawURLEncoding
	signed := signedWith(clientSecret, good, raw)
	signature, payload, _ := strings.Cut(signed, ".")
	for name, text := range map[string]string{
		"nothing":             "",
		"a dot":               ".",
		"no payload":          signature,
		"no signature":        "." + payload,
		"signature cut":       signature[:len(signature)-4] + "." + payload,
		"another payload":     signature + "." + raw.EncodeToString([]byte(strings.Replace(good, `"1"`, `"2"`, 1))),
		"another secret":      signedWith("other", good, raw),
		"no secret":           signedWith("", good, raw),
		"signed when decoded": decodedSignature(good) + "." + payload,
		"another algorithm":   signedWith(clientSecret, strings.Replace(good, "HMAC-SHA256", "none", 1), raw),
		"no algorithm":        signedWith(clientSecret, `{"issued_at":1763719200,"user_id":"1"}`, raw),
		"no user":             signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200}`, raw),
		"user with a path": signedWith(
			clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"../me"}`, raw,
		),
		"no time": signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","user_id":"1"}`, raw),
		"time before all time": signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":-1,"user_id":"1"}`,
			raw),
		"not base64url": decodedSignature(payload+"!") + "." + payload + "!",
		"not JSON":      signedWith(clientSecret, "x", raw),
		"a third part":  signed + "." + payload,
	} {
		got, err := meta.New(options(nil)).ReadRequest(text)
		if !fault.Is(err, provider.CodeInvalidRequest) {
			t.Errorf("%s: err = %v, want %s", name, err, provider.CodeInvalidRequest.Name)
		}
		testkit.Equal(t, name, got, provider.PersonRequest{})
	}
}
