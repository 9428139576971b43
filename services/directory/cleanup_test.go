package main

import (
	"context"
	"crypto/sha256"
	"runtime"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/storetest"
)

// TestCleanUp: what has expired is deleted, what still counts stays.
func TestCleanUp(t *testing.T) {
	const day = 24 * time.Hour
	settings := environ(t)
	now := time.Now()
	expired, alive := sha256.Sum256([]byte("expired")), sha256.Sum256([]byte("alive"))
	login := func(subject string) limit.Limit {
		return limit.Limit{Kind: "login", Subject: subject, Max: 1, Window: 30 * day}
	}
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		for hash, lastSeen := range map[[32]byte]time.Time{expired: now.Add(-13 * time.Hour), alive: now} {
			if err := s.Sessions().Insert(ctx, account.Session{IDHash: hash[:], CreatedAt: now.Add(-day), LastSeenAt: lastSeen}); err != nil {
				return err
			}
		}
		for subject, age := range map[string]time.Duration{"old": 9 * day, "counts": 7 * day} {
			if err := limit.New(s.DB).Take(ctx, now.Add(-age), account.CodeTooManyAttempts, login(subject)); err != nil {
				return err
			}
		}
		return nil
	})
	p := startApp(t, settings, 0, time.Millisecond)
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		patience, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		for { // the use of the limit goes last
			state, err := limit.New(s.DB).Peek(patience, now, login("old"))
			if err != nil || state.OK {
				break
			}
			runtime.Gosched()
		}
		if _, err := s.Sessions().Find(ctx, expired[:]); err == nil {
			t.Error("an expired session is kept")
		}
		if state, err := limit.New(s.DB).Peek(ctx, now, login("counts")); state.OK || err != nil {
			t.Errorf("a use that counts is gone: %+v, %v", state, err)
		}
		_, err := s.Sessions().Find(ctx, alive[:])
		return err
	})
	p.end(t)
}
