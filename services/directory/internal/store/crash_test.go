package store_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
)

const refreshers = 50 // in each of two processes

// refreshAtOnce is a program: all its goroutines find the connection expired.
func refreshAtOnce(ctx context.Context, url, companyID string) error {
	s, err := openStore(ctx, url)
	if err != nil {
		return err
	}
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
			c, err := s.LockConnection(ctx, number, profile, func(_ context.Context, c *directory.Connection) (*directory.Entry, error) {
				if c.ExpiresAt.After(storetest.Time) {
					return nil, nil
				}
				fmt.Println("refreshing")
				listen()
				c.AccessToken, c.ExpiresAt = "fresh", new(storetest.Time.Add(time.Hour))
				return new(storetest.Entry(*c, "refresh")), nil
			})
			if err == nil && c.AccessToken != "fresh" {
				err = fmt.Errorf("access token %q", c.AccessToken)
			}
			if err != nil {
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

func TestOneRefreshOverProcesses(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := storetest.AddConnection(t, db.Store, "a", profile)
		processes := [2]*process{}
		for i := range processes {
			processes[i] = start(t, "refresh", db.URL, strconv.FormatInt(c.CompanyID, 10))
		}
		refreshed := 0
		for _, p := range processes {
			for said := ""; said != "begun"; said = p.output.Text() {
				if said == "refreshing" {
					refreshed++
				}
				if !p.output.Scan() {
					t.Fatal("a process has ended early")
				}
			}
		}
		for _, p := range processes {
			ok(t, p.input.Close()) // the provider answers
		}
		for _, p := range processes {
			refreshed += len(must(p.rest())(t))
		}
		if refreshed != 1 {
			t.Errorf("refreshed %d times", refreshed)
		}
		if lines := must(db.Store.Trail(t.Context(), c.CompanyID, 9))(t); len(lines) != 2 || lines[0].Action != "refresh" {
			t.Errorf("trail: %+v", lines)
		}
	})
}

// renewAll puts one token in all places of the connection.
func renewAll(ctx context.Context, s *store.Store, companyID int64, next func(c *directory.Connection) string) error {
	_, err := s.LockConnection(ctx, companyID, pages, func(_ context.Context, c *directory.Connection) (*directory.Entry, error) {
		token := next(c)
		c.AccessToken, c.RefreshToken, c.UserAccessToken = token, token, token
		return new(storetest.Entry(*c, "refresh")), nil
	})
	return err
}

// dieInRefresh is a program: it renews connection 1 and kills itself after as many
// statements as the argument says, counted from the provider's answer.
func dieInRefresh(ctx context.Context, url, argument string) error {
	statements, err := strconv.Atoi(argument)
	if err != nil {
		return err
	}
	s, err := openStore(ctx, url)
	if err != nil {
		return err
	}
	answered := false
	step := func() {
		if answered && statements == 0 {
			dieNow()
		}
		statements--
	}
	s.Observe(func(string) {
		if answered {
			step()
		}
	})
	return renewAll(ctx, s, 1, func(*directory.Connection) string {
		answered = true
		step()
		return "new"
	})
}

// dieNow is "kill -9" of this process.
func dieNow() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}

func TestKilledInRefresh(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		storetest.AddConnection(t, db.Store, "a", pages)
		ok(t, renewAll(t.Context(), db.Store, 1, func(*directory.Connection) string { return "old" }))
		for point := range 9 {
			_, err := start(t, "die", db.URL, strconv.Itoa(point)).rest()
			if err == nil {
				wantTokens(t, db.Store, "new", 3)
				if point != 3 {
					t.Errorf("%d points, want 3: the answer, the connection, the trail", point)
				}
				return
			}
			wantTokens(t, db.Store, "old", 2)
		}
		t.Error("the process dies every time")
	})
}

// wantTokens takes the lock that a killed process held.
func wantTokens(t *testing.T, s *store.Store, want string, trail int) {
	t.Helper()
	c := must(s.LockConnection(t.Context(), 1, pages, func(context.Context, *directory.Connection) (*directory.Entry, error) { return nil, nil }))(t)
	if c.AccessToken != want || c.RefreshToken != want || c.UserAccessToken != want {
		t.Errorf("tokens %q, %q and %q, want %q", c.AccessToken, c.RefreshToken, c.UserAccessToken, want)
	}
	if lines := must(s.Trail(t.Context(), c.CompanyID, 999))(t); len(lines) != trail {
		t.Errorf("%d lines in the trail, want %d", len(lines), trail)
	}
}

// writeOn is a program: it renews connection 1 again and again, with growing
// numbers.
func writeOn(ctx context.Context, url, _ string) error {
	s, err := openStore(ctx, url)
	for err == nil {
		var last string
		err = renewAll(ctx, s, 1, func(c *directory.Connection) string {
			number, _ := strconv.Atoi(c.AccessToken)
			last = strconv.Itoa(number + 1)
			fmt.Println("answered", last)
			return last
		})
		fmt.Println("stored", last)
	}
	return err
}

// TestKilledAtAnyTime kills a process from outside, most often in a transaction.
func TestKilledAtAnyTime(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		storetest.AddConnection(t, db.Store, "a", pages)
		ok(t, renewAll(t.Context(), db.Store, 1, func(*directory.Connection) string { return "0" }))
		stored := 0
		for round := range 4 {
			p := start(t, "write", db.URL, "")
			for range round + 1 {
				p.expect(t, fmt.Sprint("answered ", stored+1))
				p.expect(t, fmt.Sprint("stored ", stored+1))
				stored++
			}
			p.expect(t, fmt.Sprint("answered ", stored+1))
			last := stored + 1 // answered, and maybe stored
			for _, line := range p.kill(t) {
				said, number, _ := strings.Cut(line, " ")
				last = must(strconv.Atoi(number))(t)
				if said == "stored" {
					stored = last
				}
			}
			c := must(db.Store.LockConnection(t.Context(), 1, pages, func(context.Context, *directory.Connection) (*directory.Entry, error) { return nil, nil }))(t)
			if number := must(strconv.Atoi(c.AccessToken))(t); number == last {
				stored = last
			}
			wantTokens(t, db.Store, strconv.Itoa(stored), stored+2)
		}
	})
}
