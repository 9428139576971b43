package account

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/gorilla/sessions"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/trail"
)

// Of lists a user's sessions, the last used first.
func (s *Sessions) Of(ctx context.Context, userID int64) (list []Session, err error) {
	err = s.db.Read(ctx).Omit("oauth_state").Where("user_id = ?", userID).Order("last_seen_at DESC").Find(&list).Error
	return list, err
}

// ListedSession is a session as a list shows it.
type ListedSession struct {
	ID         string    `json:"id"` // enough of the hash to distinguish a user's sessions
	CreatedAt  time.Time `json:"created_at"`
	LastSeenAt time.Time `json:"last_seen_at"`
	Browser    string    `json:"browser"` // such as "Firefox, Windows"; empty if unknown
	Network    string    `json:"network"` // from which the user logged in
	Current    bool      `json:"current"` // of the browser that sends the request
}

// Listed returns sessions as a list shows them.
func Listed(sessions []Session, current string) []ListedSession {
	list := []ListedSession{}
	for _, s := range sessions {
		id := s.listedID()
		list = append(list, ListedSession{id, s.CreatedAt, s.LastSeenAt, s.Browser, s.Network, id == current})
	}
	return list
}

func (s *Session) listedID() string { return hex.EncodeToString(s.IDHash[:min(6, len(s.IDHash))]) }

// EndOf ends the user's session with that ID, or all but the one called except if the ID is empty. It
// returns how many, and CodeUnknownSession if there is none with that ID.
func (s *Sessions) EndOf(ctx context.Context, actor Actor, u User, id, except string) (ended int, err error) {
	sessions, err := s.Of(ctx, u.ID)
	if err != nil {
		return 0, err
	}
	var hashes [][]byte
	for _, session := range sessions {
		listed := session.listedID()
		if id == listed || id == "" && listed != except {
			hashes = append(hashes, session.IDHash)
		}
	}
	if id != "" && len(hashes) == 0 {
		return 0, CodeUnknownSession.Fault()
	}
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("id_hash IN ?", hashes).Delete(&Session{}).Error; err != nil {
			return err
		}
		return trail.Record(tx, actor.About(u, "session end", fmt.Sprintf("%d ended", len(hashes))))
	})
	return len(hashes), err
}

// minKey is the shortest key in bytes: that of SHA-256 (RFC 2104, section 3).
const minKey = 32

// Keys sign cookies with the first key and accept the signature of any.
type Keys struct{ codecs []securecookie.Codec }

// ParseKeys reads "id:base64,id:base64…", with white space around entries. Errors name a key by its
// position and show nothing of it.
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

func (s *Sessions) sign(name, text string) (string, error) {
	return securecookie.EncodeMulti(s.cookieName(name), []byte(text), s.keys.codecs...)
}

// signedText returns the text of a cookie of the request, if one of the keys signed it.
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
