package requestlog

import (
	"net/url"
	"strings"
)

// masked stands in the log where a secret stood.
const masked = "***"

// mask returns the request target with the values of secret query parameters
// replaced; everything else stays as the client sent it, still encoded.
func mask(target string) string {
	path, query, found := strings.Cut(target, "?")
	if !found {
		return target
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if value != "" && secret(name) {
			pairs[i] = name + "=" + masked
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// secret reports whether the values of a parameter, its name still encoded, are
// codes, tokens or keys of any of the providers.
func secret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	switch strings.ToLower(name) {
	case "code", "code_verifier", "client_secret", "token", "access_token", "refresh_token", "id_token",
		"fb_exchange_token", "input_token", "appsecret_proof", "key":
		return true
	}
	return false
}
