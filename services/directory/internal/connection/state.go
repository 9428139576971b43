package connection

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
)

// stateLifetime is how long an authorization may take.
const stateLifetime = 10 * time.Minute

// Pending is an authorization under way. The user's session contains it until it is read.
type Pending struct {
	State     string             `json:"state"`
	Verifier  string             `json:"verifier,omitempty"` // of PKCE
	Provider  provider.Name      `json:"provider"`
	More      []provider.Service `json:"more,omitempty"` // asked for besides the service in State
	CreatedAt time.Time          `json:"created_at"`
}

// String returns p as the session stores it.
func (p *Pending) String() string {
	encoded, _ := json.Marshal(p) // texts and a time
	return string(encoded)
}

// ParsePending is the reverse of String. It returns nil for an empty text.
func ParsePending(text string) (*Pending, error) {
	if text == "" {
		return nil, nil
	}
	p := &Pending{}
	if err := json.Unmarshal([]byte(text), p); err != nil {
		return nil, errors.New("pending authorization: not the JSON of one") // the text may hold a verifier
	}
	return p, nil
}

// meets reports whether a callback from a provider with a state ends the authorization p, which may be nil.
func (p *Pending) meets(name provider.Name, state string, now time.Time) bool {
	if p == nil || p.State == "" {
		return false
	}
	inTime := now.Sub(p.CreatedAt).Abs() <= stateLifetime
	sameState := subtle.ConstantTimeCompare([]byte(p.State), []byte(state)) == 1
	return p.Provider == name && inTime && sameState
}

// newState makes "<company_id>:<user_id>:<service>:<random>" with a random part
// of 16 bytes.
func newState(companyID, userID int64, s provider.Service) string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%d:%d:%s:%s", companyID, userID, s, base64.RawURLEncoding.EncodeToString(random))
}

// newVerifier makes a code verifier of 32 random bytes (RFC 7636, section 4.1).
func newVerifier() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// stateParts is what a state says; its random part only has to be compared.
type stateParts struct {
	companyID, userID int64
	service           provider.Service
}

func parseState(state string) (stateParts, bool) {
	parts := strings.SplitN(state, ":", 4)
	if len(parts) < 4 {
		return stateParts{}, false
	}
	company, err1 := strconv.ParseInt(parts[0], 10, 64)
	user, err2 := strconv.ParseInt(parts[1], 10, 64)
	if err1 != nil || err2 != nil || parts[2] == "" {
		return stateParts{}, false
	}
	return stateParts{companyID: company, userID: user, service: provider.Service(parts[2])}, true
}
