package connection_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/trail"
)

const refreshers = 50 // in each of two processes

// refreshAtOnce is a program: all its goroutines find the connection expired.
func refreshAtOnce(ctx context.Context, url, companyID string) error {
	db, err := databasetest.Connect(ctx, url)
	if err != nil {
		return err
	}
	s := directorytest.NewStore(db)
	number, err := strconv.ParseInt(companyID, 10, 64)
	if err != nil {
		return err
	}
	var begun, done sync.WaitGroup
	begun.Add(refreshers)
	failures := make(chan error, refreshers)
	for range refreshers {
		done.Go(func() {
			begun.Done()
			if err := refreshOnce(ctx, s, number); err != nil {
				failures <- err
			}
		})
	}
	begun.Wait()
	fmt.Println("begun")
	done.Wait()
	close(failures)
	return <-failures
}

func refreshOnce(ctx context.Context, s *directorytest.Store, companyID int64) error {
	c, err := s.Connections.HoldSlowly(ctx, companyID, profilePair)
	if err != nil {
		return err
	}
	defer c.Release()
	if c.ExpiresAt.After(databasetest.Time) {
		if c.AccessToken != "fresh" {
			return fmt.Errorf("access token %q", c.AccessToken)
		}
		return nil
	}
	fmt.Println("refreshing")
	databasetest.AwaitInput()
	c.AccessToken, c.ExpiresAt = "fresh", new(databasetest.Time.Add(time.Hour))
	return c.Save(new(directorytest.Entry(c.Connection, "refresh")))
}

func TestOneRefreshOverProcesses(t *testing.T) {
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		c := directorytest.AddConnection(t, s, "a", profilePair)
		var processes [2]*databasetest.Process
		for i := range processes {
			processes[i] = databasetest.Start(t, "refresh", db.URL, strconv.FormatInt(c.CompanyID, 10))
		}
		refreshed := 0
		for _, p := range processes {
			for said := ""; said != "begun"; said = p.Output.Text() {
				if said == "refreshing" {
					refreshed++
				}
				if !p.Output.Scan() {
					t.Fatal("a process has ended early")
				}
			}
		}
		for _, p := range processes {
			ok(t, p.Input.Close()) // the provider answers
		}
		for _, p := range processes {
			refreshed += len(must(p.Rest())(t))
		}
		if refreshed != 1 {
			t.Errorf("refreshed %d times", refreshed)
		}
		if lines := must(s.Trail(t.Context(), trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t); len(lines) != 2 ||
			lines[0].Action != "refresh" {
			t.Errorf("trail: %+v", lines)
		}
	})
}

// renew puts one token in all places of connection 1.
func renew(ctx context.Context, s *directorytest.Store, token func() string) error {
	c, err := s.Connections.HoldSlowly(ctx, 1, pagesPair)
	if err != nil {
		return err
	}
	defer c.Release()
	c.AccessToken = token()
	c.RefreshToken, c.UserAccessToken = c.AccessToken, c.AccessToken
	return c.Save(new(directorytest.Entry(c.Connection, "refresh")))
}

// dieInRefresh is a program: it renews connection 1 and kills itself after as many
// statements as the argument says, counted from the provider's answer.
func dieInRefresh(ctx context.Context, url, argument string) error {
	statements, err := strconv.Atoi(argument)
	if err != nil {
		return err
	}
	db, err := databasetest.Connect(ctx, url)
	if err != nil {
		return err
	}
	answered := false
	step := func(string) {
		if answered && statements == 0 {
			killSelf()
		}
		if answered {
			statements--
		}
	}
	if err := databasetest.Observe(db, step); err != nil {
		return err
	}
	return renew(ctx, directorytest.NewStore(db), func() string {
		answered = true
		step("")
		return "new"
	})
}

// killSelf is "kill -9" of this process.
func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

func TestKilledInRefresh(t *testing.T) {
	const points = 3 // the answer, the connection, the trail
	onEachStore(t, func(t *testing.T, db databasetest.Database, s *directorytest.Store) {
		directorytest.AddConnection(t, s, "a", pagesPair)
		ok(t, renew(t.Context(), s, func() string { return "old" }))
		for point := range points + 1 {
			_, err := databasetest.Start(t, "die", db.URL, strconv.Itoa(point)).Rest()
			if survived := point == points; (err == nil) != survived {
				t.Fatalf("point %d: %v", point, err)
			}
			want, lines := "old", 2
			if err == nil {
				want, lines = "new", 3
			}
			// This needs the lock that a killed process held.
			c := must(s.Connections.Find(t.Context(), 1, pagesPair))(t)
			change(t, s, c, func(*connection.Connection) {})
			if c.AccessToken != want || c.RefreshToken != want || c.UserAccessToken != want {
				t.Errorf("point %d: tokens %q, %q and %q, want %q", point, c.AccessToken, c.RefreshToken,
					c.UserAccessToken, want)
			}
			if trail := must(s.Trail(t.Context(), trail.Search{CompanyID: 1, Limit: 9}))(t); len(trail) != lines {
				t.Errorf("point %d: %d lines in the trail, want %d", point, len(trail), lines)
			}
		}
	})
}
