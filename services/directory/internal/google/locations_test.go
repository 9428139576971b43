package google_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

func TestSearchLocations(t *testing.T) {
	const full = `{"name":"locations/5","title":"Auto Serwis Nowak","storeCode":"WAW1","languageCode":"pl",
		"phoneNumbers":{"primaryPhone":"22 123 45 67","additionalPhones":["22 123 45 68"]},
		"categories":{"primaryCategory":{"name":"categories/gcid:car_repair","displayName":"Warsztat samochodowy"}},
		"storefrontAddress":{"regionCode":"PL","postalCode":"00-238","locality":"Warszawa",
		"addressLines":["ul. Długa 12"]},
		"websiteUri":"https://nowak.example/","metadata":{"placeId":"ChIJ5","mapsUri":"https://maps.example/5",
		"hasVoiceOfMerchant":true}}`
	s := newServer(t, nil)
	s.Replies["GET /v1/accounts"] = ok(`{"accounts":[{"name":"accounts/1","accountName":"Konto 1","type":"PERSONAL"},
		{"name":"accounts/2","type":"LOCATION_GROUP"},{"name":"accounts/3","type":"ORGANIZATION"}]}`)
	s.Replies["GET /v1/accounts/1/locations"] = ok(`{"locations":[` + full + `]}`)
	s.Replies["GET /v1/accounts/2/locations"] = ok(`{"locations":[` + full + `,{"name":"locations/6","title":"Lokal 6"},
		{"name":"locations/7","openInfo":{"status":"CLOSED_PERMANENTLY"},"metadata":{"hasVoiceOfMerchant":true}},
		{"name":"locations/8","openInfo":{"status":"CLOSED_TEMPORARILY"},"metadata":{"hasVoiceOfMerchant":true}}]}`)
	s.Replies["GET /v1/accounts/3/locations"] = ok(`{}`)
	got, err := newSearch(s).Locations(t.Context(), someToken)
	wantFault(t, err, "")
	want := []google.Location{
		{
			Name: "locations/5", Title: "Auto Serwis Nowak", AccountName: "accounts/1", AccountType: "PERSONAL",
			StoreCode: "WAW1",
			Address:   "ul. Długa 12, 00-238 Warszawa", Phone: "22 123 45 67", Website: "https://nowak.example/",
			Category: "Warsztat samochodowy", PlaceID: "ChIJ5", MapsURL: "https://maps.example/5",
		},
		{Name: "locations/6", Title: "Lokal 6", AccountName: "accounts/2", AccountType: "LOCATION_GROUP",
			Closed: google.ClosedSuspended},
		{Name: "locations/7", AccountName: "accounts/2", AccountType: "LOCATION_GROUP", Closed: google.ClosedForGood},
		{Name: "locations/8", AccountName: "accounts/2", AccountType: "LOCATION_GROUP", Closed: google.ClosedForNow},
	}
	if !reflect.DeepEqual(got, provider.List[google.Location]{Items: want, Complete: true}) {
		t.Errorf("locations = %+v\nwant %+v, which are all", got, want)
	}
}

func TestSearchLocationsUnreadable(t *testing.T) {
	const accounts, locations = "GET /v1/accounts", "GET /v1/accounts/1/locations"
	tests := []struct{ name, at, body string }{
		{"account without a name", accounts, `{"accounts":[{"accountName":"x"}]}`},
		{"account with a path", accounts, `{"accounts":[{"name":"accounts/1/../../x"}]}`},
		{"account with a query", accounts, `{"accounts":[{"name":"accounts/1?a=b"}]}`},
		{"location without a name", locations, `{"locations":[{"title":"x"}]}`},
		{"name of another type", locations, `{"locations":[{"name":5}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies[accounts] = ok(`{"accounts":[{"name":"accounts/1"}]}`)
			s.Replies[test.at] = ok(test.body)
			_, err := newSearch(s).Locations(t.Context(), someToken)
			if wantFault(t, err, providertest.Changed); len(s.Calls) > 3 {
				t.Errorf("%d calls", len(s.Calls))
			}
		})
	}
}

// TestSearchLocationsFaultInTheMiddle: an account that cannot be read is named, and
// fails the others only when it says that the token is lost.
func TestSearchLocationsFaultInTheMiddle(t *testing.T) {
	const list = `{"locations":[{"name":"locations/1"}]}`
	for name, tt := range map[string]struct {
		first, second, third reply
		want                 string
		unread               []string
	}{
		"one": {ok(list), googleError(404, "NOT_FOUND", "", ""),
			ok(`{"locations":[{"name":"locations/3"}]}`), "", []string{"Sieć"}},
		"two": {ok(list), googleError(404, "NOT_FOUND", "", ""),
			googleError(403, "PERMISSION_DENIED", "", ""), "", []string{"Sieć", "accounts/3"}},
		"the first": {googleError(404, "NOT_FOUND", "", ""), ok(list),
			ok(`{"locations":[{"name":"locations/3"}]}`), "", []string{"accounts/1"}},
		"all": {googleError(404, "NOT_FOUND", "", ""), googleError(403, "PERMISSION_DENIED", "", ""),
			googleError(404, "NOT_FOUND", "", ""), providertest.Gone, nil},
		"the token's end": {ok(list), googleError(401, "UNAUTHENTICATED", "", ""), ok(`{}`), providertest.Reconnect,
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, nil)
			s.Replies["GET /v1/accounts"] = ok(
				`{"accounts":[{"name":"accounts/1"},{"name":"accounts/2","accountName":"Sieć"},{"name":"accounts/3"}]}`,
			)
			for i, answer := range []reply{tt.first, tt.second, tt.third} {
				s.Replies[fmt.Sprintf("GET /v1/accounts/%d/locations", i+1)] = answer
			}
			got, err := newSearch(s).Locations(t.Context(), someToken)
			if wantFault(t, err, tt.want); tt.want != "" {
				return
			}
			if !slices.Equal(got.Unread, tt.unread) || got.Complete || len(got.Items) != 3-len(tt.unread) {
				t.Errorf("locations = %+v", got)
			}
		})
	}
}

// roundTrip is a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSearchLocationsCanceled checks that a list of which only a part was read before the
// caller left is no result.
func TestSearchLocationsCanceled(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/accounts"] = ok(`{"accounts":[{"name":"accounts/1"},{"name":"accounts/2"}]}`)
	s.Replies["GET /v1/accounts/1/locations"] = ok(`{"locations":[{"name":"locations/1"}]}`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := make(chan struct{})
	leaving := roundTrip(func(r *http.Request) (*http.Response, error) {
		switch r.URL.Path {
		case "/v1/accounts/1/locations":
			defer close(read)
		case "/v1/accounts/2/locations":
			<-read
			cancel()
			return nil, ctx.Err()
		}
		return s.RoundTrip(r)
	})
	if got, err := newSearch(leaving).Locations(ctx, someToken); !errors.Is(err, context.Canceled) || got.Items != nil {
		t.Errorf("Locations = %+v, %v", got, err)
	}
}

// TestSearchLocationsSeveralAccountsAtOnce: 26 lists that take a second each are read in
// six turns of five.
func TestSearchLocationsSeveralAccountsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, s := newGoogle(t)
		token := fake.Grant("piotr", scopeProfile).Access
		s.Fake = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Second)
			fake.ServeHTTP(w, r)
		})
		began := time.Now()
		if _, err := newSearch(s).Locations(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 2*time.Second+7*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestSearchAccountOfProfiles(t *testing.T) {
	for _, test := range []struct {
		scopes []string
		empty  bool
		want   string
		calls  int
	}{
		{scopes: []string{"openid", scopeProfile}, want: "Anna Kowalska", calls: 1}, // her own account is the first
		{scopes: []string{"openid", scopeProfile}, empty: true, calls: 1},
		{scopes: []string{"openid"}},
	} {
		fake, s := newGoogle(t)
		fake.SetToggle("empty_lists", test.empty)
		token := provider.Token{AccessToken: fake.Grant("anna", test.scopes...).Access, Scopes: test.scopes}
		id, name, err := newSearch(s).Account(t.Context(), provider.SearchProfile, token)
		if err != nil || name != test.want {
			t.Fatalf("with %v: account %q %q, %v after %d calls; want %+v", test.scopes, id, name, err, len(s.Calls),
				test)
		}
		if (id == "") != (test.want == "") || len(s.Calls) != test.calls {
			t.Errorf("with %v: account %q %q, %v after %d calls; want %+v", test.scopes, id, name, err, len(s.Calls),
				test)
		}
	}
}

func TestSearchAccountWithOneProfile(t *testing.T) {
	s := newServer(t, nil)
	s.Replies["GET /v1/accounts"] = ok(`{"accounts":[{"name":"accounts/7","accountName":"Anna Kowalska"}]}`)
	id, name, err := newSearch(s).
		Account(t.Context(), provider.SearchProfile,
			provider.Token{AccessToken: someToken, Scopes: []string{scopeProfile}})
	if err != nil || id != "accounts/7" || name != "Anna Kowalska" {
		t.Errorf("account %q %q, %v", id, name, err)
	}
}
