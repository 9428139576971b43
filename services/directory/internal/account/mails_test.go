package account

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// onSQLite returns a passwordWorld on a database of its own.
func onSQLite(t *testing.T) *passwordWorld {
	t.Helper()
	return newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
}

// logged returns the lines of the log without their times, and forgets them.
func (w *passwordWorld) logged() (lines []map[string]any) {
	w.t.Helper()
	for line := range strings.Lines(w.log.String()) {
		var fields map[string]any
		ok(w.t, json.Unmarshal([]byte(line), &fields))
		delete(fields, "time")
		lines = append(lines, fields)
	}
	w.log.Reset()
	return lines
}

func (w *passwordWorld) requireLog(want ...map[string]any) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.logged()); diff != "" {
		w.t.Errorf("log (-want +got): %s", diff)
	}
}

// TestInvitationsAndRequests differ in their letter, their line in the audit trail and the
// log. The letter has the link and the page for another one.
func TestInvitationsAndRequests(t *testing.T) {
	w := onSQLite(t)
	invited := User{Email: "nowa@firma.example", Role: Member}
	_, err := w.AddUser(t.Context(), Operator("ola"), &invited)
	ok(t, err)
	ok(t, w.sendDue(t.Context()))
	w.requireLog(map[string]any{"level": "INFO", "msg": "e-mail sent", "user": float64(invited.ID), "what": "invitation mail"})
	requireTrail(t, w.DB, invited.ID,
		trail.Entry{Actor: "service", AboutUserID: invited.ID, Action: "invitation mail"},
		trail.Entry{Actor: "ola", AboutUserID: invited.ID, Action: "user reset-link", Detail: "by e-mail"},
		trail.Entry{Actor: "ola", AboutUserID: invited.ID, Action: "user add", Detail: "MEMBER"})
	w.request(anna)
	w.requireLog(map[string]any{"level": "INFO", "msg": "e-mail sent", "user": float64(w.anna.ID), "what": "password mail"})
	requireTrail(t, w.DB, w.anna.ID,
		trail.Entry{Actor: "service", AboutUserID: w.anna.ID, Action: "password mail"}, trail.Entry{AboutUserID: w.anna.ID, Detail: "MEMBER"})
	if _, err = w.Invite(t.Context(), Operator("ola"), w.anna); err != nil { // has a password
		t.Error(err)
	}
	ok(t, w.sendDue(t.Context()))
	for i, begin := range []string{"nowa@firma.example\nZaproszenie do katalogu firm\n", anna + "\nNowe hasło w katalogu firm\n", anna + "\nNowe hasło"} {
		text := w.mails[i]
		if !strings.HasPrefix(text, begin) || !strings.Contains(text, "na stronie https://firmy.example/konto/reset\n") {
			t.Errorf("mail %q", text)
		}
		ok(t, w.CheckLink(t.Context(), tokenOf(t, text)))
	}
}

// TestLinkLivesAnHour in UTC and microseconds, whatever the clock.
func TestLinkLivesAnHour(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, _ databasetest.Database) {
		w.now = databasetest.Time
		link, err := w.NewLink(t.Context(), Actor{}, w.anna)
		ok(t, err)
		if link.ExpiresAt != database.Instant(w.now.Add(time.Hour)) {
			t.Errorf("expires at %s", link.ExpiresAt)
		}
		w.now = w.now.Add(time.Hour - time.Microsecond)
		ok(t, w.CheckLink(t.Context(), tokenOf(t, link.URL)))
		w.now = w.now.Add(time.Microsecond)
		wantCode(t, w.CheckLink(t.Context(), tokenOf(t, link.URL)), CodeInvalidLink)
	})
}

// TestPausesBetweenAttempts double up to 16 minutes.
func TestPausesBetweenAttempts(t *testing.T) {
	for attempts, want := range map[int]time.Duration{1: 30 * time.Second, 2: time.Minute, 3: 2 * time.Minute, 5: 8 * time.Minute, 6: 16 * time.Minute, 7: 16 * time.Minute, 99: 16 * time.Minute} {
		if got := retryMail(attempts); got != want {
			t.Errorf("after %d attempts %s, want %s", attempts, got, want)
		}
	}
}

// TestMailIsTriedForAnHour at growing times after the request; then it is dropped.
func TestMailIsTriedForAnHour(t *testing.T) {
	w, begin := onSQLite(t), databasetest.Time
	w.now = begin
	for range 9 {
		w.fails = append(w.fails, errors.New("away"))
	}
	w.request(anna)
	w.requireLog(map[string]any{"level": "WARN", "msg": "e-mail not sent", "user": float64(w.anna.ID), "attempt": 1.0, "permanent": false, "error": "away"})
	var tried []time.Duration
	for w.now.Before(begin.Add(70 * time.Minute)) {
		w.now = w.now.Add(30 * time.Second)
		left := len(w.fails)
		if ok(t, w.sendDue(t.Context())); len(w.fails) < left {
			tried = append(tried, w.now.Sub(begin))
		}
	}
	want := "[30s 1m30s 3m30s 7m30s 15m30s 31m30s 47m30s 1h3m30s]"
	if fmt.Sprint(tried) != want || len(w.rows(t)) != 0 {
		t.Errorf("tried after %v, want %s; %d are left", tried, want, len(w.rows(t)))
	}
	lines := w.logged()
	if last := lines[len(lines)-1]; last["attempt"] != 9.0 {
		t.Errorf("logged last %v", last)
	}
	w.fails = []error{errPermanent}
	w.request(anna)
	w.requireLog(map[string]any{"level": "WARN", "msg": "e-mail not sent", "user": float64(w.anna.ID), "attempt": 1.0, "permanent": true, "error": "refused"})
}

// TestMailOfAnHourIsDropped: at exactly an hour it is not tried again.
func TestMailOfAnHourIsDropped(t *testing.T) {
	for age, left := range map[time.Duration]int{time.Hour - time.Second: 1, time.Hour: 0} {
		w := onSQLite(t)
		ok(t, w.Request(t.Context(), anna, address))
		w.now = w.now.Add(age)
		w.fails = []error{errors.New("away")}
		ok(t, w.sendDue(t.Context()))
		if rows := w.rows(t); len(rows) != left {
			t.Errorf("after %s %+v", age, rows)
		}
	}
}

// TestOldestMailIsSentFirst, and those that are not due wait.
func TestOldestMailIsSentFirst(t *testing.T) {
	w := onSQLite(t)
	for i, after := range []time.Duration{2 * time.Second, time.Second, time.Second, 3 * time.Second, 4 * time.Second} {
		u := User{Email: fmt.Sprint("u", i, "@firma.example"), Role: Member}
		ok(t, w.users.Add(t.Context(), &u, trail.Entry{}))
		ok(t, w.users.addMail(t.Context(), passwordMail{UserID: &u.ID, DueAt: w.now.Add(after)}))
	}
	w.now = w.now.Add(3 * time.Second)
	ok(t, w.sendDue(t.Context()))
	var order []string
	for _, mail := range w.mails {
		order = append(order, mail[:2])
	}
	if strings.Join(order, " ") != "u1 u2 u0 u3" || len(w.rows(t)) != 1 {
		t.Errorf("sent %v, %d are left", order, len(w.rows(t)))
	}
}

// TestMailWaitsForAServer: a process without one leaves mails to others.
func TestMailWaitsForAServer(t *testing.T) {
	w := onSQLite(t)
	ok(t, w.Request(t.Context(), anna, address))
	send := w.Send
	w.Send = nil
	if ok(t, w.sendDue(t.Context())); len(w.rows(t)) != 1 {
		t.Errorf("%d mails wait", len(w.rows(t)))
	}
	requireTrail(t, w.DB, w.anna.ID, trail.Entry{AboutUserID: w.anna.ID, Detail: "MEMBER"})
	w.Send, w.now = send, w.now.Add(30*time.Second)
	if ok(t, w.sendDue(t.Context())); len(w.mails) != 1 || len(w.rows(t)) != 0 {
		t.Errorf("sent %q, %d wait", w.mails, len(w.rows(t)))
	}
}

// TestMailsInAnOutage: an error of the database is returned or logged, and nothing is
// sent.
func TestMailsInAnOutage(t *testing.T) {
	w := onSQLite(t)
	run := func(statement string) {
		t.Helper()
		ok(t, w.DB.Write(t.Context()).Exec(statement).Error)
	}
	ok(t, w.Request(t.Context(), anna, address))
	run("ALTER TABLE password_links RENAME TO hidden")
	if ok(t, w.sendDue(t.Context())); len(w.rows(t)) != 1 || len(w.mails) != 0 {
		t.Errorf("sent %q, %d wait", w.mails, len(w.rows(t)))
	}
	if lines := w.logged(); len(lines) != 1 || lines[0]["msg"] != "link not made" || lines[0]["user"] != float64(w.anna.ID) || lines[0]["error"] == nil {
		t.Errorf("logged %v", lines)
	}
	run("ALTER TABLE hidden RENAME TO password_links")
	w.now = w.now.Add(time.Minute)
	run("CREATE TRIGGER refuse BEFORE UPDATE ON password_mails BEGIN SELECT RAISE(ABORT, 'refused'); END")
	if err := w.sendDue(t.Context()); err == nil || len(w.mails) != 0 {
		t.Errorf("a mail that was not claimed: %v, sent %q", err, w.mails)
	}
	run("DROP TRIGGER refuse")
	run("CREATE TRIGGER refuse BEFORE DELETE ON password_mails BEGIN SELECT RAISE(ABORT, 'refused'); END")
	if err := w.sendDue(t.Context()); err == nil || len(w.mails) != 1 {
		t.Errorf("a mail that stays: %v, sent %q", err, w.mails)
	}
	run("DROP TRIGGER refuse")
	run("ALTER TABLE users RENAME TO hidden")
	w.now = w.now.Add(time.Hour)
	if err := w.sendDue(t.Context()); err == nil {
		t.Error("no error without users")
	}
	if err := w.Request(t.Context(), anna, address); err == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("request without users: %v", err)
	}
	run("ALTER TABLE hidden RENAME TO users")
	run("ALTER TABLE password_mails RENAME TO hidden")
	if err := w.sendDue(t.Context()); err == nil {
		t.Error("no error without mails")
	}
	if link, err := w.Invite(t.Context(), Actor{}, w.anna); err == nil || link != nil {
		t.Errorf("invited without mails: %v, %v", link, err)
	}
	run("ALTER TABLE limit_entries RENAME TO hidden_limits")
	if err := w.Request(t.Context(), anna, address); err == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("request without limits: %v", err)
	}
}

// TestFullQueue: the last mail that fits, and when to come again.
func TestFullQueue(t *testing.T) {
	w := onSQLite(t)
	ok(t, w.DB.Write(t.Context()).CreateInBatches(make([]passwordMail, 999), 100).Error)
	ok(t, w.Request(t.Context(), anna, address))
	err := w.Request(t.Context(), anna, address)
	if f := fault.From(err); !fault.Is(err, CodeMailFull) || f.RetryAfter != 15*time.Second {
		t.Errorf("error %v", err)
	}
}

// TestRequestsOfANetwork count together, and name when to come again; those for one account
// are dropped without a word.
func TestRequestsOfANetwork(t *testing.T) {
	w := onSQLite(t)
	for i := range 20 {
		ok(t, w.Request(t.Context(), fmt.Sprint("u", i%5, "@firma.example"), fmt.Sprint("2001:db8:1:2::", i)))
	}
	if rows := w.rows(t); len(rows) != 15 {
		t.Errorf("%d mails for 5 accounts", len(rows))
	}
	err := w.Request(t.Context(), anna, "2001:db8:1:2::ffff")
	if f := fault.From(err); !fault.Is(err, CodeTooManyAttempts) || f.RetryAfter != time.Hour {
		t.Errorf("error %v", err)
	}
	ok(t, w.Request(t.Context(), anna, "2001:db8:1:3::1"))
}

// TestPasswordChangesAreLimited counts wrong old passwords apart from logins, until one is right.
func TestPasswordChangesAreLimited(t *testing.T) {
	w := onSQLite(t)
	actor := Actor{User: w.anna, RequestID: "r-1"}
	change := func(old string) error { return w.Change(t.Context(), actor, old, otherPassword) }
	for range 9 {
		wantCode(t, change(tooLong), CodeWrongPassword)
	}
	ok(t, change(goodPassword))
	requireTrail(t, w.DB, w.anna.ID,
		trail.Entry{UserID: &w.anna.ID, AboutUserID: w.anna.ID, Action: "password change", RequestID: "r-1"}, trail.Entry{AboutUserID: w.anna.ID, Detail: "MEMBER"})
	for range 10 {
		wantCode(t, change(tooLong), CodeWrongPassword)
	}
	err := change(otherPassword)
	if f := fault.From(err); !fault.Is(err, CodeTooManyAttempts) || f.RetryAfter != 15*time.Minute {
		t.Errorf("error %v", err)
	}
	if state, err := w.limits.Peek(t.Context(), w.now, limit.Limit{Kind: "password", Subject: fmt.Sprint(w.anna.ID), Max: 10, Window: 15 * time.Minute}); err != nil || state.OK {
		t.Errorf("%+v, %v", state, err)
	}
	w.now = w.now.Add(15 * time.Minute)
	wantCode(t, change(goodPassword), CodeWrongPassword) // it was replaced
	wantCode(t, w.Change(t.Context(), actor, otherPassword, "krótkie"), CodeInvalidPassword)
	wantCode(t, w.Change(t.Context(), Actor{User: User{ID: 99}}, otherPassword, otherPassword), CodeNoUser)
}

// TestRedeemedLink: the client that used it is logged, and its network is known from then
// on.
func TestRedeemedLink(t *testing.T) {
	const address, neighbour = "2001:db8:1:2::1", "2001:db8:1:2:ffff::9"
	w := onSQLite(t)
	link, err := w.NewLink(t.Context(), Operator("ola"), w.anna)
	ok(t, err)
	wantCode(t, w.attempts(9, tooLong, address), CodeInvalidLogin)
	w.logged()
	ok(t, w.Redeem(t.Context(), tokenOf(t, link.URL), otherPassword, address, "r-1"))
	w.requireLog(map[string]any{"level": "INFO", "msg": "password reset", "user": float64(w.anna.ID), "client": address})
	requireTrail(t, w.DB, w.anna.ID,
		trail.Entry{UserID: &w.anna.ID, AboutUserID: w.anna.ID, Action: "password reset", RequestID: "r-1"},
		trail.Entry{Actor: "ola", AboutUserID: w.anna.ID, Action: "user reset-link"}, trail.Entry{AboutUserID: w.anna.ID, Detail: "MEMBER"})
	if known, err := knowsNetwork(t.Context(), w.DB, attempt{anna, network.OfClient(neighbour)}); err != nil || !known {
		t.Errorf("the network is known: %t, %v", known, err)
	}
	wantCode(t, w.attempts(9, tooLong, neighbour), CodeInvalidLogin) // the failures before are cleared
}

// TestRunSendsAtOnce what is requested while it waits.
func TestRunSendsAtOnce(t *testing.T) {
	w := onSQLite(t)
	sent := make(chan string, 1)
	w.Send = func(_ context.Context, to, _, _ string) (bool, error) {
		sent <- to
		return false, nil
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second) // less than until Run looks by itself
	var running sync.WaitGroup
	running.Go(func() { w.Run(ctx) })
	defer running.Wait()
	defer stop()
	for range 5 {
		ok(t, w.users.addMail(ctx, passwordMail{UserID: &w.anna.ID, DueAt: w.now.Add(time.Hour)}))
		if link, err := w.Invite(ctx, Actor{}, w.anna); err != nil || link != nil {
			t.Fatalf("invited with %v, %v", link, err)
		}
		select {
		case to := <-sent:
			if to != anna {
				t.Errorf("sent to %s", to)
			}
		case <-ctx.Done():
			t.Fatal("not sent")
		}
	}
}

// TestClaimOfAMail lasts two minutes, whatever the clock.
func TestClaimOfAMail(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, _ databasetest.Database) {
		w.now = databasetest.Time
		ok(t, w.Request(t.Context(), anna, address))
		for _, step := range []struct {
			after   time.Duration
			claimed bool
		}{{-time.Microsecond, false}, {0, true}, {2*time.Minute - time.Microsecond, false}, {2 * time.Minute, true}, {2 * time.Minute, false}} {
			mail, user, err := w.users.claimMail(t.Context(), databasetest.Time.Add(step.after))
			if err != nil || (mail != nil) != step.claimed || (user != nil) != step.claimed {
				t.Errorf("%s after it was due: %+v, %+v, %v", step.after, mail, user, err)
			}
		}
	})
}

// TestAttemptsOfAnAddress are forgotten after a quarter of an hour.
func TestAttemptsOfAnAddress(t *testing.T) {
	w := onSQLite(t)
	for i := range 60 {
		_, err := w.logins.Login(t.Context(), fmt.Sprint(i, "@firma.example"), tooLong, address)
		wantCode(t, err, CodeInvalidLogin)
	}
	err := w.attempts(1, tooLong, address)
	if f := fault.From(err); !fault.Is(err, CodeTooManyAttempts) || f.RetryAfter != 15*time.Minute {
		t.Errorf("error %v", err)
	}
	w.now = w.now.Add(15 * time.Minute)
	wantCode(t, w.attempts(10, tooLong, address), CodeInvalidLogin)
	err = w.attempts(1, tooLong, address)
	if f := fault.From(err); !fault.Is(err, CodeTooManyAttempts) || f.RetryAfter != 15*time.Minute {
		t.Errorf("error %v", err)
	}
}

// TestLoginThatIsNotStored fails: it is not known from where the account is used.
func TestLoginThatIsNotStored(t *testing.T) {
	w := onSQLite(t)
	ok(t, w.DB.Write(t.Context()).Exec("ALTER TABLE login_networks RENAME TO hidden").Error)
	user, err := w.logins.Login(t.Context(), anna, goodPassword, address)
	if err == nil || fault.From(err).Kind != fault.Internal || user.ID != 0 {
		t.Errorf("logged in as %+v, %v", user, err)
	}
	for i := range 12 {
		_ = w.attempts(9, tooLong, fmt.Sprint("203.0.113.", 10+i))
	}
	if err := w.attempts(1, goodPassword, "192.0.2.99"); err == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("after many failures: %v", err)
	}
}

// TestFailuresAreReported checks that nothing succeeds if one of its statements fails.
func TestFailuresAreReported(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, _ databasetest.Database) {
		ctx, now := t.Context(), w.DB.At(w.now)
		admin, link := User{Email: "szef@firma.example", Role: Admin, PasswordHash: "hash"}, Link{}
		ok(t, w.users.Add(ctx, &admin, trail.Entry{}))
		firm := company.Company{Slug: "a", Status: company.StatusActive}
		ok(t, company.New(w.DB).Create(ctx, &firm))
		sessions := NewSessions(w.DB, Keys{}, false, func() time.Time { return now })
		added := 0
		add := func() User {
			added++
			u := User{Email: fmt.Sprint(added, "@firma.example"), Role: Admin, PasswordHash: "hash"}
			ok(t, w.users.Add(ctx, &u, trail.Entry{}))
			return u
		}
		var u User
		before := func() { u = add() }
		databasetest.FailEach(t, w.DB, []databasetest.Call{
			{Name: "search", Run: func() error { _, _, err := w.users.Search(ctx, "a", 0); return err }},
			{Name: "by id", Run: func() error { return databasetest.ErrorOf(w.users.ByID(ctx, admin.ID)) }},
			{Name: "add", Run: func() error {
				return w.users.Add(ctx, &User{Email: "b@firma.example", Role: Member, CompanyID: &firm.ID}, trail.Entry{})
			}},
			{Name: "edit", Before: before, Run: func() error {
				change := UserChange{Name: new("Ewa"), Role: new(Member), CompanyID: &firm.ID, Disabled: new(true)}
				return databasetest.ErrorOf(w.users.Edit(ctx, u.ID, change, Actor{}))
			}},
			{Name: "password", Before: before, Run: func() error { return w.users.SetPasswordHash(ctx, u.ID, "other", trail.Entry{}) }},
			{Name: "own password", Before: before, Run: func() error { return w.users.replacePassword(ctx, u, "other", trail.Entry{}) }},
			{Name: "link", Before: before, Run: func() error { return databasetest.ErrorOf(w.NewLink(ctx, Actor{}, u)) }},
			{Name: "redeem", Before: func() {
				before()
				var err error
				link, err = w.NewLink(ctx, Actor{}, u)
				ok(t, err)
			}, Run: func() error {
				token := hashOf(tokenOf(t, link.URL))
				if _, err := w.users.ofLink(ctx, token, w.now); err != nil {
					return err
				}
				return w.users.redeem(ctx, token, w.now, "other", trail.Entry{AboutUserID: u.ID})
			}},
			{Name: "welcome", Run: func() error { return welcome(ctx, w.DB, w.limits, admin.ID, attempt{admin.Email, address}) }},
			{Name: "known network", Run: func() error { return databasetest.ErrorOf(knowsNetwork(ctx, w.DB, attempt{admin.Email, address})) }},
			{Name: "request", Before: func() { w.now = w.now.Add(requestWindow) }, Run: func() error { return w.Request(ctx, anna, address) }},
			{Name: "invite", Run: func() error { return databasetest.ErrorOf(w.Invite(ctx, Actor{}, admin)) }},
			{Name: "send", Before: func() {
				w.log.Reset()
				w.mails = nil
				ok(t, w.DB.Write(ctx).Where("true").Delete(&passwordMail{}).Error)
				ok(t, w.users.addMail(ctx, passwordMail{UserID: &admin.ID, DueAt: w.now}))
			}, Run: func() error {
				err := w.sendDue(ctx)
				if strings.Contains(w.log.String(), databasetest.ErrFails.Error()) && len(w.mails) == 0 && err == nil { // it is tried again
					return databasetest.ErrFails
				}
				return err
			}},
			{Name: "delay", Run: func() error { return w.users.delayMail(ctx, 1, w.now) }},
			{Name: "sweep", Run: func() error { return w.users.Sweep(ctx) }},
			{Name: "use", Before: func() {
				_ = sessions.Delete(ctx, hashOf("one"))
				ok(t, sessions.Insert(ctx, Session{IDHash: hashOf("one"), UserID: &admin.ID, CreatedAt: now, LastSeenAt: now.Add(-time.Hour)}))
			}, Run: func() error { return databasetest.ErrorOf(sessions.use(ctx, hashOf("one"))) }},
			{Name: "conflict", Run: func() error {
				if _, err := sessions.Replace(ctx, Session{IDHash: hashOf("one"), Version: 9}); !fault.Is(err, CodeSessionConflict) {
					return err
				}
				return nil
			}},
			{Name: "end", Run: func() error { return databasetest.ErrorOf(sessions.EndOf(ctx, Actor{}, admin, "", "")) }},
			{Name: "old sessions", Run: func() error { return databasetest.ErrorOf(sessions.Sweep(ctx)) }},
		}...)
	})
}
