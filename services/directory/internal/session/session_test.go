package session_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

func TestBegin(t *testing.T) {
	f := newFixture(t)
	f.requireUser(t, nil, 0)
	cookie := f.login(t, 7, nil)
	f.requireUser(t, cookie, 7)
	for hash, row := range f.repository.rows {
		if len(hash) != sha256.Size || *row.UserID != 7 || !row.CreatedAt.Equal(f.now) || !row.LastSeenAt.Equal(f.now) {
			t.Errorf("kept %x: %+v", hash, row)
		}
		if strings.Contains(cookie.Value, base64.RawURLEncoding.EncodeToString([]byte(hash))) {
			t.Error("the cookie holds what the repository holds")
		}
	}
	if len(f.repository.rows) != 1 {
		t.Errorf("%d sessions", len(f.repository.rows))
	}
}

// TestFixation: a session that was there before a login, whoever
// planted it, ends with the login.
func TestFixation(t *testing.T) {
	f := newFixture(t)
	planted := f.login(t, 666, nil)
	f.keep(t, planted, "666")
	cookie := f.login(t, 7, planted)
	if cookie.Value == planted.Value {
		t.Error("the id was kept")
	}
	f.requireUser(t, planted, 0)
	f.requireUser(t, cookie, 7)
	f.requireTake(t, request(cookie), "")
	again := f.login(t, 7, cookie)
	f.requireUser(t, cookie, 0)
	f.requireUser(t, again, 7)
}

func TestExpiry(t *testing.T) {
	const week = 7 * 24 * time.Hour
	tests := []struct {
		name  string
		every time.Duration // between two uses
		until time.Duration // the last use
		want  int64
	}{
		{"used within 12 hours", 12*time.Hour - time.Second, 12*time.Hour - time.Second, 7},
		{"not used for 12 hours", 12 * time.Hour, 12 * time.Hour, 0},
		{"used for days", 11 * time.Hour, 15 * 11 * time.Hour, 7},
		{"nearly a week old", 6 * time.Hour, week - 6*time.Hour, 7},
		{"a week old", 6 * time.Hour, week, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			cookie := f.login(t, 7, nil)
			for end := f.now.Add(test.until); f.now.Add(test.every).Before(end); {
				f.now = f.now.Add(test.every)
				f.requireUser(t, cookie, 7)
			}
			f.now = f.now.Add(test.every)
			f.requireUser(t, cookie, test.want)
		})
	}
}

// TestClockGoesBack: a session that was last used in what is now the future lives,
// and its idle time counts from its next use.
func TestClockGoesBack(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.now = f.now.Add(-13 * time.Hour)
	f.requireUser(t, cookie, 7)
	f.now = f.now.Add(12*time.Hour - 1)
	f.requireUser(t, cookie, 7)
	f.now = f.now.Add(12 * time.Hour)
	f.requireUser(t, cookie, 0)
}

func TestLastUseIsWrittenOnceAMinute(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	for range 180 {
		f.now = f.now.Add(time.Second)
		f.requireUser(t, cookie, 7)
	}
	if n := f.repository.count("save"); n != 3 {
		t.Errorf("written %d times in 3 minutes", n)
	}
	r := request(cookie)
	f.repository.calls = nil
	for range 3 {
		if _, err := f.User(r); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.repository.count("read"); n != 1 {
		t.Errorf("read %d times for one request", n)
	}
}

func TestConflictOnTheLastUse(t *testing.T) {
	f := newFixture(t)
	cookie := f.login(t, 7, nil)
	f.now = f.now.Add(time.Hour)
	f.repository.fail = conflictOnSave
	f.requireUser(t, cookie, 7)
}

func TestSweep(t *testing.T) {
	const week = 7 * 24 * time.Hour
	tests := []struct {
		name      string
		age, idle time.Duration
		want      int64 // sessions swept
	}{
		{"new", 0, 0, 0},
		{"old and in use", 13 * time.Hour, time.Minute, 0},
		{"not used for 12 hours", 12 * time.Hour, 12 * time.Hour, 0},
		{"not used for longer", 12*time.Hour + 1, 12*time.Hour + 1, 1},
		{"a week old", week, 0, 0},
		{"older than a week", week + 1, 0, 1},
	}
	for _, test := range tests {
		f := newFixture(t)
		f.login(t, 7, nil)
		for id, row := range f.repository.rows {
			row.CreatedAt, row.LastSeenAt = f.now.Add(-test.age), f.now.Add(-test.idle)
			f.repository.rows[id] = row
		}
		if n, err := f.Sweep(t.Context()); n != test.want || err != nil {
			t.Errorf("%s: swept %d, %v; want %d", test.name, n, err, test.want)
		}
	}
}

// TestRepositoryFails: a failure is not the same as nobody being logged in.
func TestRepositoryFails(t *testing.T) {
	f := newFixture(t)
	cookie, failure := f.login(t, 7, nil), errors.New("database away")
	f.repository.fail = func(string) error { return failure }
	response := httptest.NewRecorder()
	_, userErr := f.User(request(cookie))
	_, takeErr := f.Take(response, request(cookie))
	for call, err := range map[string]error{
		"User": userErr, "Take": takeErr, "Begin": f.Begin(response, request(nil), 7), "End": f.End(response, request(cookie)),
		"Keep": f.Keep(response, request(cookie), &directory.Pending{}),
	} {
		if !errors.Is(err, failure) {
			t.Errorf("%s: %v", call, err)
		}
	}
	if cookies := response.Result().Cookies(); len(cookies) > 0 {
		t.Errorf("cookies %v", cookies)
	}
}
