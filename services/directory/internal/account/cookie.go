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
		Path: "/", MaxAge: int(totalLimit / time.Second), Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
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

const (
	// outcomeName is the name of the cookie that carries the outcome of a form to the
	// next page.
	outcomeName = "outcome"
	// outcomeLimit is how long that page may take: a login may come first.
	outcomeLimit = 10 * time.Minute
	// outcomeLength bounds an outcome in bytes; what a provider sends may be long.
	outcomeLength = 200
)

// SetOutcome passes an outcome to the next page that the browser shows. It is signed, so
// that neither a link nor another site can make a page show a message, and it is not part
// of the session, which may just have ended.
func (s *Sessions) SetOutcome(w http.ResponseWriter, outcome string) error {
	if len(outcome) > outcomeLength {
		outcome = outcome[:outcomeLength]
	}
	signed, err := s.sign(outcomeName, outcome)
	if err != nil {
		return fmt.Errorf("session: outcome: %w", err)
	}
	s.setOutcomeCookie(w, signed, int(outcomeLimit/time.Second))
	return nil
}

// TakeOutcome removes the outcome from the browser and returns it. It is empty if there
// is none.
func (s *Sessions) TakeOutcome(w http.ResponseWriter, r *http.Request) string {
	outcome, ok := s.signedText(r, outcomeName)
	if !ok {
		return ""
	}
	s.setOutcomeCookie(w, "", -1)
	return outcome
}

func (s *Sessions) setOutcomeCookie(w http.ResponseWriter, value string, maxAge int) {
	options := s.options()
	options.MaxAge = maxAge
	http.SetCookie(w, sessions.NewCookie(s.cookieName(outcomeName), value, options))
}
