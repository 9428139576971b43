package session

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/gorilla/sessions"

	"backend.example/services/directory/internal/directory"
)

// Names in the Values of a session. Other names may be used, for strings.
const (
	userValue    = "user_id"     // int64
	pendingValue = "oauth_state" // string, a pendingValues as JSON
)

// pendingValues is a directory.Pending as a session keeps it.
type pendingValues struct {
	State     string             `json:"state"`
	Verifier  string             `json:"verifier,omitempty"`
	Provider  directory.Provider `json:"provider"`
	CreatedAt time.Time          `json:"created_at"`
}

// rowKey is where a session's Values hold the repository's state of it.
type rowKey struct{}

// rowOf returns the part of a repository's session that Values decide.
func rowOf(session *sessions.Session) (row directory.Session, err error) {
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
			return row, fmt.Errorf("session: value %v cannot be kept", key)
		}
	}
	row.Values, err = json.Marshal(texts)
	return row, err
}

// fill is the reverse of rowOf.
func fill(session *sessions.Session, row directory.Session) error {
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
