package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/gorilla/securecookie"
)

// minKey is the least length of a key in bytes: that of the HMAC's hash, SHA-256
// (RFC 2104, section 3).
const minKey = 32

// Keys sign cookies with the first key and accept the signature of any.
type Keys struct{ codecs []securecookie.Codec }

// ParseKeys reads "id:base64,id:base64…", keys of at least 32 bytes. White space
// around an entry does not count. Errors name a key by its position and show
// nothing of it.
func ParseKeys(list string) (Keys, error) {
	var keys Keys
	for i, entry := range strings.Split(list, ",") {
		codec, err := parseKey(strings.TrimSpace(entry))
		if err != nil {
			return Keys{}, fmt.Errorf("session key %d: %w", i+1, err)
		}
		keys.codecs = append(keys.codecs, codec)
	}
	return keys, nil
}

func parseKey(entry string) (securecookie.Codec, error) {
	id, encoded, ok := strings.Cut(entry, ":")
	if !ok || id == "" {
		return nil, errors.New("want <identifier>:<key in base64>")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) < minKey {
		return nil, errors.New("want at least 32 bytes in base64 after the identifier")
	}
	// The repository knows how old a session is, so the cookie's own age does not count.
	return securecookie.New(key, nil).MaxAge(0).SetSerializer(securecookie.NopEncoder{}), nil
}

// sign returns the value of the cookie of that name for an id.
func (k Keys) sign(cookie, id string) (string, error) {
	return securecookie.EncodeMulti(cookie, []byte(id), k.codecs...)
}

// verify returns the id that one of the keys signed.
func (k Keys) verify(cookie, value string) (id string, ok bool) {
	var signed []byte
	err := securecookie.DecodeMulti(cookie, value, &signed, k.codecs...)
	return string(signed), err == nil
}
