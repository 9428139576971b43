package main

import (
	"context"
	"log/slog"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// loggedLogins writes who logged in, and from where somebody was refused, into the
// log. What was typed stays out of it: it may be a password in the wrong field.
type loggedLogins struct {
	*directory.Logins
	log *slog.Logger
}

func (l loggedLogins) Login(ctx context.Context, email, password, address string) (directory.User, error) {
	user, err := l.Logins.Login(ctx, email, password, address)
	if err != nil {
		l.log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return user, err
	}
	l.log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}
