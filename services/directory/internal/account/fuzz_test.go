package account

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// FuzzCookie: a cookie that the service did not sign for this very id has no user, and
// the database is not even read. good is the place of a changed byte in a
// cookie that is good; a negative one takes value as it is.
func FuzzCookie(fz *testing.F) {
	fz.Add("", -1, byte(0))
	fz.Add("MTc2MzcyNjQwMHw0fHx8fA==", -1, byte(0))
	fz.Add(strings.Repeat("A", 8000), -1, byte(0))
	fz.Add("", 3, byte(1))
	fz.Add("AA==", 90, byte(0x20))
	fz.Add("x; session=y", -1, byte(0))
	fz.Fuzz(func(t *testing.T, value string, good int, change byte) {
		b := newBrowsers(t)
		signed := b.login(t, userOne, nil)
		stranger := b.login(t, userTwo, nil)
		if good >= 0 {
			bytes := []byte(signed.Value)
			bytes[good%len(bytes)] ^= change
			value = string(bytes) + value
		}
		b.statements = nil
		user, err := b.User(request(&http.Cookie{Name: signed.Name, Value: value}))
		switch {
		case err != nil || user != nil && user.ID == userTwo && value != stranger.Value:
			t.Errorf("%q: user %+v, %v", value, user, err)
		case user == nil && len(b.statements) > 0:
			t.Errorf("%q: the database was read: %q", value, b.statements)
		}
	})
}

// FuzzStoredValues: whatever a stored session contains, its value is taken once or not at all, and an
// error shows nothing of it.
func FuzzStoredValues(fz *testing.F) {
	for _, seed := range []string{`{"value":"hidden"}`, `{"value":7}`, `{"user_id":"8"}`, `null`, `hidden`,
		`{"value":"null"}`, ``} {
		fz.Add([]byte(seed))
	}
	fz.Fuzz(func(t *testing.T, values []byte) {
		b := newBrowsers(t)
		cookie := b.login(t, userOne, nil)
		hash := b.rows(t)[0].IDHash
		stored := b.db.Seal(string(values), sessionPlace(hash))
		ok(t, b.db.Write(t.Context()).Model(&Session{}).Where("true").Update("data", stored).Error)
		first, err := b.Take(httptest.NewRecorder(), request(cookie), "value")
		if err != nil && (first != "" || strings.Contains(err.Error(), "hidden")) {
			t.Fatalf("took %q, %v", first, err)
		}
		second, again := b.Take(httptest.NewRecorder(), request(cookie), "value")
		if second != "" || err == nil && again != nil {
			t.Errorf("took %+v, then %q, %v", first, second, again)
		}
		if user, err := b.User(request(cookie)); user != nil && (user.ID != userOne || err != nil) {
			t.Errorf("user %+v, %v", user, err)
		}
		_ = b.Put(httptest.NewRecorder(), request(cookie), "value", "s")
	})
}
