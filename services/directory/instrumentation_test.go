package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// account is the only one there is, and no limit is ever reached.
type account directory.User

func (a account) UserByEmail(_ context.Context, email string) (directory.User, error) {
	if email != a.Email {
		return directory.User{}, fault.New(fault.NotFound, "no_user", "Brak użytkownika.")
	}
	return directory.User(a), nil
}

func (account) TakeLimits(context.Context, []directory.Limit, time.Time) (directory.LimitState, error) {
	return directory.LimitState{OK: true}, nil
}

func TestLoginsAreLogged(t *testing.T) {
	hasher := directory.NewHasher(1)
	hash, err := hasher.Hash(t.Context(), "poprawne-haslo-2026")
	if err != nil {
		t.Fatal(err)
	}
	anna := account{ID: 7, Email: "anna@poczta.example", PasswordHash: hash}
	var log bytes.Buffer
	logins := instrumentedLogins{directory.NewLogins(anna, anna, hasher, time.Now), slog.New(slog.NewJSONHandler(&log, nil))}
	for _, test := range []struct{ email, password, line string }{
		{anna.Email, "poprawne-haslo-2026", `"msg":"logged in","user":7,"client":"192.0.2.7"`},
		{anna.Email, "zle-haslo-2026", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.7"`},
		{"poprawne-haslo-2026", "", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.7"`},
	} {
		log.Reset()
		_, err := logins.Login(t.Context(), test.email, test.password, "192.0.2.7")
		var refused *fault.Error
		if line := log.String(); !strings.Contains(line, test.line) || strings.Contains(line, "haslo") || strings.Contains(line, "anna") {
			t.Errorf("%v: %s", err, line)
		}
		if wanted := strings.Contains(test.line, "refused"); errors.As(err, &refused) != wanted {
			t.Errorf("the outcome changed: %v", err)
		}
	}
}
