package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/services/directory/internal/directory"
)

// FuzzCookie: a cookie that the service did not sign for this very id is nobody's,
// and the database is not even asked. good is the place of a changed byte in a
// cookie that is good; a negative one takes value as it is.
func FuzzCookie(f *testing.F) {
	f.Add("", -1, byte(0))
	f.Add("MTc2MzcyNjQwMHw0fHx8fA==", -1, byte(0))
	f.Add(strings.Repeat("A", 8000), -1, byte(0))
	f.Add("", 3, byte(1))
	f.Add("AA==", 90, byte(0x20))
	f.Add("x; session=y", -1, byte(0))
	f.Fuzz(func(t *testing.T, value string, good int, change byte) {
		w := newWorld(t, false)
		signed := w.login(t, 7, nil)
		stranger := w.login(t, 8, nil)
		if good >= 0 {
			bytes := []byte(signed.Value)
			bytes[good%len(bytes)] ^= change
			value = string(bytes) + value
		}
		w.repo.calls = nil
		user, err := w.User(request(&http.Cookie{Name: signed.Name, Value: value}))
		switch {
		case err != nil || idOf(user) == 8 && value != stranger.Value:
			t.Errorf("%q: user %+v, %v", value, user, err)
		case user == nil && len(w.repo.calls) > 0:
			t.Errorf("%q: the database was asked: %q", value, w.repo.calls)
		}
	})
}

// FuzzStoredValues: whatever a stored session holds, its authorization is taken
// once or not at all, and an error shows nothing of it.
func FuzzStoredValues(f *testing.F) {
	for _, seed := range []string{
		`{"oauth_state":"{\"state\":\"1:7:s:r\",\"verifier\":\"hidden\",\"provider\":\"p\",\"created_at\":\"2026-11-21T12:00:00Z\"}"}`,
		`{"oauth_state":"hidden"}`, `{"oauth_state":7}`, `{"user_id":"8"}`, `null`, `hidden`, `{"oauth_state":"null"}`, ``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, values []byte) {
		w := newWorld(t, false)
		cookie := w.login(t, 7, nil)
		for id, row := range w.repo.rows {
			row.Values = values
			w.repo.rows[id] = row
		}
		first, err := w.Take(httptest.NewRecorder(), request(cookie))
		if err != nil && (first != nil || strings.Contains(err.Error(), "hidden")) {
			t.Fatalf("took %+v, %v", first, err)
		}
		second, again := w.Take(httptest.NewRecorder(), request(cookie))
		if second != nil || err == nil && again != nil {
			t.Errorf("took %+v, then %+v, %v", first, second, again)
		}
		if user, err := w.User(request(cookie)); user != nil && (user.ID != 7 || err != nil) {
			t.Errorf("user %+v, %v", user, err)
		}
		_ = w.Keep(httptest.NewRecorder(), request(cookie), &directory.Pending{State: "s"})
	})
}
