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
func FuzzCookie(fz *testing.F) {
	fz.Add("", -1, byte(0))
	fz.Add("MTc2MzcyNjQwMHw0fHx8fA==", -1, byte(0))
	fz.Add(strings.Repeat("A", 8000), -1, byte(0))
	fz.Add("", 3, byte(1))
	fz.Add("AA==", 90, byte(0x20))
	fz.Add("x; session=y", -1, byte(0))
	fz.Fuzz(func(t *testing.T, value string, good int, change byte) {
		f := newFixture(t)
		signed := f.login(t, 7, nil)
		stranger := f.login(t, 8, nil)
		if good >= 0 {
			bytes := []byte(signed.Value)
			bytes[good%len(bytes)] ^= change
			value = string(bytes) + value
		}
		f.repository.calls = nil
		user, err := f.User(request(&http.Cookie{Name: signed.Name, Value: value}))
		switch {
		case err != nil || idOf(user) == 8 && value != stranger.Value:
			t.Errorf("%q: user %+v, %v", value, user, err)
		case user == nil && len(f.repository.calls) > 0:
			t.Errorf("%q: the database was asked: %q", value, f.repository.calls)
		}
	})
}

// FuzzStoredValues: whatever a stored session holds, its authorization is taken
// once or not at all, and an error shows nothing of it.
func FuzzStoredValues(fz *testing.F) {
	for _, seed := range []string{
		`{"oauth_state":"{\"state\":\"1:7:s:r\",\"verifier\":\"hidden\",\"provider\":\"p\",\"created_at\":\"2026-11-21T12:00:00Z\"}"}`,
		`{"oauth_state":"hidden"}`, `{"oauth_state":7}`, `{"user_id":"8"}`, `null`, `hidden`, `{"oauth_state":"null"}`, ``,
	} {
		fz.Add([]byte(seed))
	}
	fz.Fuzz(func(t *testing.T, values []byte) {
		f := newFixture(t)
		cookie := f.login(t, 7, nil)
		for id, row := range f.repository.rows {
			row.Values = values
			f.repository.rows[id] = row
		}
		first, err := f.Take(httptest.NewRecorder(), request(cookie))
		if err != nil && (first != nil || strings.Contains(err.Error(), "hidden")) {
			t.Fatalf("took %+v, %v", first, err)
		}
		second, again := f.Take(httptest.NewRecorder(), request(cookie))
		if second != nil || err == nil && again != nil {
			t.Errorf("took %+v, then %+v, %v", first, second, again)
		}
		if user, err := f.User(request(cookie)); user != nil && (user.ID != 7 || err != nil) {
			t.Errorf("user %+v, %v", user, err)
		}
		_ = f.Keep(httptest.NewRecorder(), request(cookie), &directory.Pending{State: "s"})
	})
}
