package requestlog_test

import (
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/requestlog"
)

func TestSecretsOfTheQueryAreMasked(t *testing.T) {
	cases := []struct{ target, want string }{
		{"/cb?code=s3cret&state=a%3Ab", "/cb?code=***&state=a%3Ab"},
		{"/v25.0/me?fields=id,name&access_token=s3cret&appsecret_proof=s3cret", "/v25.0/me?fields=id,name&access_token=***&appsecret_proof=***"},
		{"/v1/places/x?key=s3cret&languageCode=pl", "/v1/places/x?key=***&languageCode=pl"},
		{"/revoke?token=s3cret", "/revoke?token=***"},
		{"/t?client_secret=s3cret&refresh_token=s3cret&id_token=s3cret", "/t?client_secret=***&refresh_token=***&id_token=***"},
		{"/t?code_verifier=s3cret&fb_exchange_token=s3cret&input_token=s3cret", "/t?code_verifier=***&fb_exchange_token=***&input_token=***"},
		{"/t?access%5Ftoken=s3cret", "/t?access%5Ftoken=***"},
		{"/t?ACCESS_TOKEN=s3cret", "/t?ACCESS_TOKEN=***"},
		{"/t?code=s3cret&code=s3cret=s3cret", "/t?code=***&code=***"},
		{"/t?code_challenge=abc&response_type=code&keys=1", "/t?code_challenge=abc&response_type=code&keys=1"},
		{"/t?code=&key", "/t?code=&key"},
		{"/;szukaj-key=1", "/;szukaj-key=1"},
	}
	for _, c := range cases {
		log := requestlog.New(1, tick())
		get(log.Record("search", answer(200)), c.target)
		if got := log.Entries("")[0].Path; got != c.want {
			t.Errorf("%s is logged as %s, want %s", c.target, got, c.want)
		}
	}
}

func TestASecretIsMaskedBeforeALongPathIsCut(t *testing.T) {
	log := requestlog.New(1, tick())
	get(log.Record("search", answer(200)), "/?code="+strings.Repeat("s3cret", 1000)+"&a=1")
	if got := log.Entries("")[0].Path; got != "/?code=***&a=1" {
		t.Errorf("logged as %.60s", got)
	}
}
