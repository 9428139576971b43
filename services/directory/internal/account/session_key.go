package account

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
)

// minKey is the minimum length of a key in bytes: that of the HMAC's hash, SHA-256
// (RFC 2104, section 3).
const minKey = 32

// Keys sign cookies with the first key and accept the signature of any.
type Keys struct{ codecs []securecookie.Codec }

// ParseKeys reads "id:base64,id:base64…", keys of at least 32 bytes. White space around
// an entry is ignored. Errors name a key by its position and show nothing of it.
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
	// The database has the age of a session, so the cookie's own age does not count.
	return securecookie.New(key, nil).MaxAge(0).SetSerializer(securecookie.NopEncoder{}), nil
}

func (s *Sessions) options() *sessions.Options {
	return &sessions.Options{
		Path: "/", MaxAge: int(totalLimit / time.Second), Secure: s.secure, HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

func (s *Sessions) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

// sign returns the value of the cookie of that name, without its prefix, for a text.
func (s *Sessions) sign(name, text string) (string, error) {
	return securecookie.EncodeMulti(s.cookieName(name), []byte(text), s.keys.codecs...)
}

// signedText returns the text of the request's cookie of that name, if one of the keys
// signed it.
func (s *Sessions) signedText(r *http.Request, name string) (text string, ok bool) {
	name = s.cookieName(name)
	cookie, err := r.Cookie(name)
	if err != nil {
		return "", false
	}
	var signed []byte
	err = securecookie.DecodeMulti(name, cookie.Value, &signed, s.keys.codecs...)
	return string(signed), err == nil
}

func newID() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

func hashOf(id string) []byte {
	sum := sha256.Sum256([]byte(id))
	return sum[:]
}
