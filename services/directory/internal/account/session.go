package account

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/sessions"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/network"
)

const (
	idleLimit  = 12 * time.Hour     // since the last use
	totalLimit = 7 * 24 * time.Hour // since the login
	// seenEvery is the precision of the time of the last use: reading a session writes it
	// no more often.
	seenEvery   = time.Minute
	sessionName = "session"
	// userValue is the name of the user's id in the Values of a session. All other values
	// are strings.
	userValue = "user_id"
	// attempts is how often a change is repeated because another request has saved the
	// session meanwhile, which is also how many requests may come at once.
	attempts = 100
)

// Session is a browser that is logged in. Its id is only in the browser's cookie.
type Session struct {
	IDHash     []byte `gorm:"primaryKey"` // SHA-256 of the id
	UserID     *int64
	Data       string // the values of Values, as encrypted JSON
	Version    int64  // grows with each save; saving an older one is a conflict
	CreatedAt  time.Time
	LastSeenAt time.Time
	Browser    string // as lists show it, from the User-Agent
	Network    string // from which the user logged in

	User   *User  // as of the read; nil if there is none who may log in
	Values []byte `gorm:"-"` // JSON
}

// AfterFind implements gorm's callback.
func (s *Session) AfterFind(tx *gorm.DB) error {
	s.CreatedAt, s.LastSeenAt = s.CreatedAt.UTC(), s.LastSeenAt.UTC()
	if s.User == nil {
		return nil
	}
	return s.User.AfterFind(tx)
}

// Sessions is a store of gorilla/sessions in the database, and on it the few steps that
// the service needs.
//
// The browser's cookie contains a random id, signed so that made-up ids never reach the
// database. The database contains the id's SHA-256 and everything else. A login always
// creates a new id and ends the previous session (OWASP Session Management Cheat Sheet).
type Sessions struct {
	db      *database.DB
	keys    Keys
	secure  bool
	proxies []netip.Prefix
}

var _ sessions.Store = (*Sessions)(nil)

// NewSessions returns the sessions in db. If browsers reach the service by https, secure
// makes the cookie Secure and binds it to the host by the prefix of its name
// (RFC 6265bis, section 4.1.3.2).
func NewSessions(db *database.DB, keys Keys, secure bool, trustedProxies []netip.Prefix) *Sessions {
	return &Sessions{db: db, keys: keys, secure: secure, proxies: trustedProxies}
}

// ClientIP returns the network address of the client, past trusted proxies.
func (s *Sessions) ClientIP(r *http.Request) string { return httpx.ClientIP(s.proxies)(r) }

// Get returns the request's session, read once per request.
func (s *Sessions) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New reads the session of the request's cookie. Without a valid one it returns a new
// session, which is not stored until it is saved.
func (s *Sessions) New(r *http.Request, name string) (*sessions.Session, error) {
	session := sessions.NewSession(s, name)
	session.Options = s.options()
	session.IsNew = true
	id, ok := s.signedText(r, name)
	if !ok {
		return session, nil
	}
	row, err := s.use(r.Context(), hashOf(id))
	if fault.Is(err, CodeNoSession) {
		return session, nil
	}
	if err != nil {
		return session, fmt.Errorf("session: %w", err)
	}
	session.ID, session.IsNew = id, false
	return session, fill(session, row)
}

// Save stores a session. One with a negative MaxAge ends. One without an ID gets a new
// one, and the previous session ends. The faults are CodeSessionConflict, if another
// request has saved it meanwhile, and CodeNoSession, if it has ended.
func (s *Sessions) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	row, stored := session.Values[rowKey{}].(Session)
	ending, renewing := session.Options.MaxAge < 0, session.ID == ""
	if stored && (ending || renewing) {
		if err := s.db.Write(r.Context()).Delete(&Session{IDHash: row.IDHash}).Error; err != nil {
			return fmt.Errorf("session: %w", err)
		}
	}
	switch {
	case ending:
		http.SetCookie(w, sessions.NewCookie(s.cookieName(session.Name()), "", session.Options))
		return nil
	case renewing:
		return s.begin(r, w, session)
	}
	changed, err := rowOf(session)
	if err != nil {
		return err
	}
	row.UserID, row.Values = changed.UserID, changed.Values
	if row, err = s.Replace(r.Context(), row); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	session.Values[rowKey{}] = row
	return nil
}

// User returns the user who is logged in at the request's browser, as of the time when
// the session was read; nil if there is none.
func (s *Sessions) User(r *http.Request) (*User, error) {
	session, err := s.Get(r, sessionName)
	if err != nil {
		return nil, err
	}
	row, _ := session.Values[rowKey{}].(Session)
	return row.User, nil
}

// Current returns the ID by which lists show the request's session; empty if there is none.
func (s *Sessions) Current(r *http.Request) string {
	id, ok := s.signedText(r, sessionName)
	if !ok {
		return ""
	}
	return (&Session{IDHash: hashOf(id)}).listedID()
}

// PendingName is the name of the value that survives a login: the authorization at a
// provider, whose callback then says that it was begun by another user.
const PendingName = "oauth_state"

// Begin logs a user in: a new session under a new id, which w sends to the browser. The
// previous session ends with all its values but that of PendingName.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, userID int64) error {
	previous, err := s.Get(r, sessionName)
	if err != nil {
		return err
	}
	session := s.unread(r)
	if pending, ok := previous.Values[PendingName]; ok {
		session.Values[PendingName] = pending
	}
	session.Values[userValue] = userID
	return s.Save(r, w, session)
}

// End logs out, and removes the cookie from the browser.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) error {
	session := s.unread(r)
	session.Options.MaxAge = -1
	return s.Save(r, w, session)
}

func (s *Sessions) unread(r *http.Request) *sessions.Session {
	session := sessions.NewSession(s, sessionName)
	session.Options = s.options()
	if id, ok := s.signedText(r, sessionName); ok {
		session.Values[rowKey{}] = Session{IDHash: hashOf(id)}
	}
	return session
}

// Put stores a value in the session, or returns CodeNoSession if the login has ended.
func (s *Sessions) Put(w http.ResponseWriter, r *http.Request, name, value string) error {
	return s.change(w, r, func(session *sessions.Session) bool {
		session.Values[name] = value
		return true
	})
}

// Take removes a value from the session and returns it; it is empty if there is none. Of
// several requests that take it at once, at most one gets it.
func (s *Sessions) Take(w http.ResponseWriter, r *http.Request, name string) (value string, err error) {
	err = s.change(w, r, func(session *sessions.Session) (found bool) {
		value, found = session.Values[name].(string)
		delete(session.Values, name)
		return found
	})
	if fault.Is(err, CodeNoSession) || fault.Is(err, CodeSessionConflict) {
		return "", nil
	}
	return value, err
}

// change saves what edit makes of the session, unless edit returns false. If another
// request has saved the session meanwhile, edit is repeated on what that one saved.
func (s *Sessions) change(w http.ResponseWriter, r *http.Request, edit func(*sessions.Session) bool) error {
	session, err := s.Get(r, sessionName)
	for range attempts {
		switch {
		case err != nil:
			return err
		case session.IsNew:
			return CodeNoSession.Fault()
		case !edit(session):
			return nil
		}
		if err = s.Save(r, w, session); !fault.Is(err, CodeSessionConflict) {
			return err
		}
		session, err = s.New(r, sessionName)
	}
	return CodeSessionConflict.Fault()
}

// Sweep deletes the sessions that are over, and returns their number.
func (s *Sessions) Sweep(ctx context.Context) (int64, error) {
	now := s.db.At(time.Time{})
	began, err := s.db.DeleteInBatches(ctx, "sessions", "created_at", "created_at < ?", now.Add(-totalLimit))
	if err != nil {
		return began, err
	}
	idle, err := s.db.DeleteInBatches(ctx, "sessions", "last_seen_at", "last_seen_at < ?", now.Add(-idleLimit))
	return began + idle, err
}

// use returns a session that is not over, and stores the time of its use.
func (s *Sessions) use(ctx context.Context, idHash []byte) (Session, error) {
	row, err := s.Find(ctx, idHash)
	if err != nil {
		return row, err
	}
	now := s.db.Now()
	idle := now.Sub(row.LastSeenAt)
	if idle >= idleLimit || now.Sub(row.CreatedAt) >= totalLimit {
		return row, CodeNoSession.Fault()
	}
	if idle.Abs() < seenEvery { // negative after the clock was set back
		return row, nil
	}
	row.LastSeenAt = now
	if row, err = s.Replace(ctx, row); fault.Is(err, CodeSessionConflict) {
		return s.Find(ctx, idHash) // another request has stored it, or more
	}
	return row, err
}

func (s *Sessions) begin(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	id := newID()
	row, err := rowOf(session)
	if err != nil {
		return err
	}
	row.IDHash = hashOf(id)
	row.Browser, row.Network = browserOf(r.UserAgent()), network.OfClient(s.ClientIP(r))
	signed, err := s.sign(session.Name(), id)
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	if err = s.Insert(r.Context(), row); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	session.ID = id
	session.IsNew = false
	session.Values[rowKey{}] = row
	http.SetCookie(w, sessions.NewCookie(s.cookieName(session.Name()), signed, session.Options))
	return nil
}

type rowKey struct{}

// rowOf returns the part of a Session that gorilla's session decides.
func rowOf(session *sessions.Session) (row Session, err error) {
	texts := map[string]string{}
	for key, value := range session.Values {
		if key == (rowKey{}) {
			continue
		}
		name, named := key.(string)
		switch value := value.(type) {
		case int64:
			row.UserID = &value
			named = named && name == userValue
		case string:
			texts[name] = value
		default:
			named = false
		}
		if !named {
			return row, fmt.Errorf("session: value %v cannot be stored", key)
		}
	}
	row.Values, err = json.Marshal(texts)
	return row, err
}

func fill(session *sessions.Session, row Session) error {
	session.Values[rowKey{}] = row
	if row.UserID != nil {
		session.Values[userValue] = *row.UserID
	}
	if len(row.Values) == 0 {
		return nil
	}
	var texts map[string]string
	if err := json.Unmarshal(row.Values, &texts); err != nil {
		return fmt.Errorf("session: values: %w", err)
	}
	for name, text := range texts {
		session.Values[name] = text
	}
	return nil
}

// browserOf returns the name of a browser and of its system, such as "Firefox, Windows", or
// as much of them as the User-Agent names.
func browserOf(userAgent string) string {
	var parts []string
	for _, names := range [][][2]string{ // the first one that occurs
		{{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser", "Samsung Internet"}, {"Firefox/", "Firefox"},
			{"FxiOS", "Firefox"},
			{"Chrome/", "Chrome"}, {"CriOS", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}},
		{{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"},
			{"CrOS", "ChromeOS"}, {"Linux", "Linux"}},
	} {
		i := slices.IndexFunc(names, func(name [2]string) bool { return strings.Contains(userAgent, name[0]) })
		if i >= 0 {
			parts = append(parts, names[i][1])
		}
	}
	return strings.Join(parts, ", ")
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
