package meta_test

import (
	"testing"
	"testing/synctest"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/provider/providertest"
)

// FuzzOAuthBody: whatever token and revocation endpoints answer is a token or a
// fault.
func FuzzOAuthBody(f *testing.F) {
	providertest.FuzzOAuth(f, provider.SocialPages, func(s *providertest.Server) providertest.OAuth {
		return newSocial(s)
	})
}

// FuzzGraphBody: whatever the Graph API answers is read, or is a fault.
func FuzzGraphBody(f *testing.F) {
	for _, body := range []string{
		`{"id":"1","name":"Anna","data":[{"id":"2","name":"P","access_token":"t","fan_count":3}],` +
			`"paging":{"cursors":{"after":"a"},"next":"https://evil.example/?access_token=SECRET"}}`,
		`{"id":"1","instagram_business_account":{"id":"../me"},"followers_count":100,"data":[]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"followers_count":1,"data":[{"id":"5",` +
			`"timestamp":"2026-11-20T08:00:00+0000","like_count":9223372036854775807,"comments_count":1}]}`,
		`{"id":"1","instagram_business_account":{"id":"9"},"data":[{"name":"page_views_total","period":"day",` +
			`"values":[{"value":{"a":1},"end_time":"x"}],"total_value":{"value":1,` +
			`"breakdowns":[{"results":[{"dimension_values":["K"],"value":2}]}]}}]}`,
		`{"data":[{"timestamp":"SECRET"}]}`, `{"data":{}}`, `null`, `{"id":1}`,
	} {
		f.Add(uint16(0), "", body)
	}
	for _, body := range []string{`{"error":{"message":"(#100) SECRET","code":100}}`,
		`{"error":{"code":10,"message":"Not enough viewers"}}`, `{"error":{"code":4}}`, `{"error":"SECRET"}`} {
		f.Add(uint16(200), "60", body)
	}
	f.Fuzz(func(t *testing.T, status uint16, wait, body string) {
		synctest.Test(t, func(t *testing.T) {
			s := providertest.NewFuzzServer(t, status, wait, body)
			social := newSocial(s)
			pages, err := social.Pages(t.Context(), someToken, nil)
			providertest.CheckFuzzValue(t, pages, err)
			page, err := social.ReadPage(t.Context(), someToken, bakeryID)
			providertest.CheckFuzzValue(t, page, err)
			photos, err := social.ReadPhotos(t.Context(), someToken, bakeryID)
			providertest.CheckFuzzValue(t, photos, err)
			_, _, err = social.Account(t.Context(), provider.SocialPages, provider.Token{AccessToken: someToken})
			providertest.CheckFuzzFault(t, err)
		})
	})
}
