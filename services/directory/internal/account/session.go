package account

import (
	"context"
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
	idleLimit   = 12 * time.Hour     // since the last use
	totalLimit  = 7 * 24 * time.Hour // since the login
	seenEvery   = time.Minute        // the time of the last use is written no more often
	sessionName = "session"
)

// Session is a browser that is logged in. Its id is only in the browser's cookie.
type Session struct {
	IDHash     []byte `gorm:"primaryKey"` // SHA-256 of the id
	UserID     *int64
	OAuthState string `gorm:"column:oauth_state"` // an authorization at a provider that was begun, encrypted, or empty
	CreatedAt  time.Time
	LastSeenAt time.Time
	Browser    string // as lists show it, from the User-Agent
	Network    string // from which the user logged in

	User *User // as of the read; nil if there is none who may log in
}

// AfterFind implements gorm's callback.
func (s *Session) AfterFind(tx *gorm.DB) error {
	s.CreatedAt, s.LastSeenAt = s.CreatedAt.UTC(), s.LastSeenAt.UTC()
	if s.User == nil {
		return nil
	}
	return s.User.AfterFind(tx)
}

// Sessions is a store of gorilla/sessions in the database. The cookie contains a random id, signed so
// that made-up ids never reach the database, which contains its SHA-256. A login always creates a new
// id and ends the previous session (OWASP Session Management Cheat Sheet).
type Sessions struct {
	db      *database.DB
	keys    Keys
	secure  bool
	proxies []netip.Prefix
}

var _ sessions.Store = (*Sessions)(nil)

// NewSessions returns the sessions in db. With https, secure makes the cookie Secure and binds it to
// the host by the prefix of its name (RFC 6265bis, section 4.1.3.2).
func NewSessions(db *database.DB, keys Keys, secure bool, trustedProxies []netip.Prefix) *Sessions {
	return &Sessions{db: db, keys: keys, secure: secure, proxies: trustedProxies}
}

// ClientIP returns the network address of the client, past trusted proxies.
func (s *Sessions) ClientIP(r *http.Request) string { return httpx.ClientIP(s.proxies)(r) }

// Get returns the request's session, read once per request.
func (s *Sessions) Get(r *http.Request, name string) (*sessions.Session, error) {
	return sessions.GetRegistry(r).Get(s, name)
}

// New reads the session of the request's cookie, or returns a new one, which is not stored.
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
	session.Values[rowKey{}] = row
	return session, nil
}

// Save ends the session of the request's cookie. Unless MaxAge is negative, another one begins, under
// a new id, which w sends to the browser.
func (s *Sessions) Save(r *http.Request, w http.ResponseWriter, session *sessions.Session) error {
	if id, ok := s.signedText(r, session.Name()); ok {
		if err := s.db.Write(r.Context()).Delete(&Session{IDHash: hashOf(id)}).Error; err != nil {
			return fmt.Errorf("session: %w", err)
		}
	}
	id, signed := "", ""
	if session.Options.MaxAge >= 0 {
		id = newID()
		row, _ := session.Values[rowKey{}].(Session)
		row.IDHash = hashOf(id)
		row.Browser, row.Network = browserOf(r.UserAgent()), network.OfClient(s.ClientIP(r))
		var err error
		if signed, err = s.sign(session.Name(), id); err != nil {
			return fmt.Errorf("session: %w", err)
		}
		if err := s.insert(r.Context(), row); err != nil {
			return fmt.Errorf("session: %w", err)
		}
	}
	session.ID = id
	http.SetCookie(w, sessions.NewCookie(s.cookieName(session.Name()), signed, session.Options))
	return nil
}

// rowKey is the key of a Session in the values of gorilla's.
type rowKey struct{}

// User returns the user who is logged in, as of when the session was read; nil if there is none.
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

// Begin logs a user in: a new session under a new id, which w sends to the browser. The
// previous session ends. Its authorization at a provider survives, whose callback then says that
// another user began it.
func (s *Sessions) Begin(w http.ResponseWriter, r *http.Request, userID int64) error {
	previous, err := s.Get(r, sessionName)
	if err != nil {
		return err
	}
	row, _ := previous.Values[rowKey{}].(Session)
	session := sessions.NewSession(s, sessionName)
	session.Options = s.options()
	session.Values[rowKey{}] = Session{UserID: &userID, OAuthState: row.OAuthState}
	return s.Save(r, w, session)
}

// End logs out, and removes the cookie from the browser.
func (s *Sessions) End(w http.ResponseWriter, r *http.Request) error {
	session := sessions.NewSession(s, sessionName)
	session.Options = s.options()
	session.Options.MaxAge = -1
	return s.Save(r, w, session)
}

// PutState stores the authorization at a provider that the request begins, in place of an earlier
// one. It returns CodeNoSession if the login has ended.
func (s *Sessions) PutState(r *http.Request, state string) error {
	_, err := s.replaceState(r, state)
	return err
}

// TakeState removes the authorization from the session and returns it; it is empty if there is none.
// Of several requests that take it at once, at most one gets it.
func (s *Sessions) TakeState(r *http.Request) (state string, err error) {
	state, err = s.replaceState(r, "")
	if fault.Is(err, CodeNoSession) {
		return "", nil
	}
	return state, err
}

func (s *Sessions) replaceState(r *http.Request, state string) (previous string, err error) {
	id, ok := s.signedText(r, sessionName)
	if !ok {
		return "", CodeNoSession.Fault()
	}
	err = s.db.Transaction(r.Context(), func(tx *gorm.DB) error {
		row, err := s.find(database.ForUpdate(tx), hashOf(id))
		if err != nil {
			return err
		}
		previous = row.OAuthState
		return tx.Model(&Session{}).Where("id_hash = ?", row.IDHash).
			UpdateColumn("oauth_state", s.db.Seal(state, statePlace(row.IDHash))).Error
	})
	return previous, err
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

// use returns a session with its user, unless that one is disabled, and stores the time of its use.
func (s *Sessions) use(ctx context.Context, idHash []byte) (Session, error) {
	enabled := s.db.Read(ctx).Where("disabled_at IS NULL")
	row, err := s.find(s.db.Read(ctx).Joins("User", enabled), idHash)
	if err != nil {
		return Session{}, err
	}
	now := s.db.At(time.Time{})
	if now.Sub(row.LastSeenAt).Abs() < seenEvery { // negative after the clock was set back
		return row, nil
	}
	row.LastSeenAt = now
	seen := s.db.Write(ctx).Model(&Session{}).Where("id_hash = ?", idHash).UpdateColumn("last_seen_at", now)
	return row, database.Changed(seen, CodeNoSession)
}

// find returns the session whose id has that hash, or CodeNoSession if it is over or the key of its
// authorization is lost.
func (s *Sessions) find(query *gorm.DB, idHash []byte) (row Session, err error) {
	if err := query.Where("id_hash = ?", idHash).Take(&row).Error; err != nil {
		return Session{}, database.NotFound(err, CodeNoSession)
	}
	now := s.db.Now()
	if now.Sub(row.LastSeenAt) >= idleLimit || now.Sub(row.CreatedAt) >= totalLimit {
		return Session{}, CodeNoSession.Fault()
	}
	if row.OAuthState, err = s.db.Unseal(row.OAuthState, statePlace(idHash)); err != nil {
		return Session{}, CodeNoSession.Wrap(err)
	}
	return row, nil
}

func (s *Sessions) insert(ctx context.Context, row Session) error {
	row.OAuthState = s.db.Seal(row.OAuthState, statePlace(row.IDHash))
	row.CreatedAt, row.LastSeenAt = s.db.At(row.CreatedAt), s.db.At(row.LastSeenAt)
	return s.db.Write(ctx).Create(&row).Error
}

func statePlace(idHash []byte) database.Place {
	return database.PlaceOf("sessions", "oauth_state", idHash)
}

// browserOf returns browser and system, such as "Firefox, Windows", as far as the User-Agent names them.
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
	outcomeName   = "outcome" // the cookie that carries the outcome of a form to the next page
	outcomeLimit  = 10 * time.Minute
	outcomeLength = 200 // in bytes; what a provider sends may be long
)

// SetOutcome passes an outcome to the next page that the browser shows, signed, so that no link and
// no other site can make a page show a message, and apart from the session, which may have ended.
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

// TakeOutcome removes the outcome from the browser and returns it; it is empty if there is none.
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
