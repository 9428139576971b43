package account

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// passwordWorld is a Passwords and a Logins on one database, with a clock and the mails that
// were sent.
type passwordWorld struct {
	*Passwords
	t      *testing.T
	logins *Logins
	anna   User
	now    time.Time
	mails  []string // recipient and text
	fails  []error  // of the next mails
	log    bytes.Buffer
}

var oneHasher = sync.OnceValue(func() *Hasher { return NewHasher(2) })

func newPasswords(t *testing.T, db databasetest.Database) *passwordWorld {
	t.Helper()
	w := &passwordWorld{t: t, now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	log := slog.New(slog.NewJSONHandler(&w.log, nil))
	clock := func() time.Time { return w.now }
	w.Passwords = NewPasswords(PasswordOptions{DB: db.DB, Hasher: oneHasher(), PublicURL: "https://firmy.example", Send: w.send, Now: clock, Log: log})
	w.logins = NewLogins(w.users.ByEmail, db.DB, oneHasher(), clock, log)
	hash, err := oneHasher().Hash(t.Context(), goodPassword)
	ok(t, err)
	w.anna = User{Email: anna, PasswordHash: hash, Role: Member}
	ok(t, w.users.Add(t.Context(), &w.anna, trail.Entry{}))
	return w
}

var errPermanent = errors.New("refused")

func (w *passwordWorld) send(_ context.Context, to, subject, text string) (permanent bool, err error) {
	if len(w.fails) > 0 {
		err, w.fails = w.fails[0], w.fails[1:]
		return errors.Is(err, errPermanent), err
	}
	w.mails = append(w.mails, to+"\n"+subject+"\n"+text)
	return false, nil
}

// request asks for a link and sends what is due.
func (w *passwordWorld) request(email string) {
	w.t.Helper()
	ok(w.t, w.Request(w.t.Context(), email, address))
	ok(w.t, w.sendDue(w.t.Context()))
}

// tokenOf returns the token of a link in a text.
func tokenOf(t *testing.T, text string) string {
	t.Helper()
	found := regexp.MustCompile(`https://firmy\.example/konto/nowe-haslo\?token=(\S+)`).FindStringSubmatch(text)
	if found == nil {
		t.Fatalf("no link in %q", text)
	}
	token, err := url.QueryUnescape(found[1])
	ok(t, err)
	return token
}

const otherPassword = "inne dobre hasło 2026"

// eachPasswords runs test on each database.
func eachPasswords(t *testing.T, test func(t *testing.T, w *passwordWorld, db databasetest.Database)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, newPasswords(t, db), db) })
}

// TestLinkWorksOnce, and ends sessions and other links, on each database.
func TestLinkWorksOnce(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, db databasetest.Database) {
		ctx, sessions := t.Context(), newSessions(db.DB)
		ok(t, sessions.Insert(ctx, Session{IDHash: hash("old"), UserID: &w.anna.ID}))
		link, err := w.NewLink(ctx, Operator("ola"), w.anna)
		ok(t, err)
		other, err := w.NewLink(ctx, Operator("ola"), w.anna)
		ok(t, err)
		token := tokenOf(t, link.URL)
		if dump := fmt.Sprint(db.Dump(t)); strings.Contains(dump, token) || strings.Contains(w.log.String(), token) {
			t.Error("the token is stored or logged")
		}
		ok(t, w.CheckLink(ctx, token))
		wantCode(t, w.Redeem(ctx, token, "krótkie", address, ""), CodeInvalidPassword)
		wantCode(t, w.Redeem(ctx, token+"x", otherPassword, address, ""), CodeInvalidLink)
		var redeemed atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := w.Redeem(ctx, token, otherPassword, address, "r-1"); err == nil {
					redeemed.Add(1)
				} else if !fault.Is(err, CodeInvalidLink) {
					t.Error(err)
				}
			})
		}
		if all.Wait(); redeemed.Load() != 1 {
			t.Errorf("redeemed %d times", redeemed.Load())
		}
		wantCode(t, w.CheckLink(ctx, tokenOf(t, other.URL)), CodeInvalidLink)
		_, err = sessions.Find(ctx, hash("old"))
		wantCode(t, err, CodeNoSession)
		_, err = w.logins.Login(ctx, anna, goodPassword, address)
		wantCode(t, err, CodeInvalidLogin)
		_, err = w.logins.Login(ctx, anna, otherPassword, address)
		ok(t, err)
		lines, err := trail.Find(ctx, db.DB, trail.Search{UserID: w.anna.ID, Limit: 9})
		ok(t, err)
		if len(lines) != 4 || lines[0].Action != "password reset" || lines[0].RequestID != "r-1" || lines[1].Action != "user reset-link" || lines[1].Actor != "ola" {
			t.Errorf("trail %+v", lines)
		}
	})
}

// TestLinkOfADisabledUser cannot be used until the user is enabled.
func TestLinkOfADisabledUser(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	_, err := w.users.Edit(t.Context(), w.anna.ID, UserChange{Disabled: new(true)}, Actor{})
	ok(t, err)
	link, err := w.NewLink(t.Context(), Actor{}, w.anna)
	ok(t, err)
	wantCode(t, w.CheckLink(t.Context(), tokenOf(t, link.URL)), CodeInvalidLink)
	wantCode(t, w.Redeem(t.Context(), tokenOf(t, link.URL), otherPassword, address, ""), CodeInvalidLink)
}

func TestLinkEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, w *passwordWorld){
		"after an hour": func(_ *testing.T, w *passwordWorld) { w.now = w.now.Add(time.Hour) },
		"if the user is disabled": func(t *testing.T, w *passwordWorld) {
			for _, disabled := range []bool{true, false} {
				_, err := w.users.Edit(t.Context(), w.anna.ID, UserChange{Disabled: &disabled}, Actor{})
				ok(t, err)
			}
		},
		"if the password is changed": func(t *testing.T, w *passwordWorld) {
			ok(t, w.Change(t.Context(), Actor{User: w.anna}, goodPassword, otherPassword))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
			link, err := w.NewLink(t.Context(), Actor{}, w.anna)
			ok(t, err)
			w.now = w.now.Add(-time.Second)
			ok(t, w.CheckLink(t.Context(), tokenOf(t, link.URL)))
			w.now = w.now.Add(time.Second)
			end(t, w)
			wantCode(t, w.CheckLink(t.Context(), tokenOf(t, link.URL)), CodeInvalidLink)
			wantCode(t, w.Redeem(t.Context(), tokenOf(t, link.URL), otherPassword, address, ""), CodeInvalidLink)
			// As if it had ended while the password was hashed.
			entry := Actor{}.About(w.anna, "password reset", "")
			wantCode(t, w.users.redeem(t.Context(), hashOf(tokenOf(t, link.URL)), w.now, "$", entry), CodeInvalidLink)
		})
	}
}

// TestRequestReveals nothing: the work and the answer are the same for an account that does
// not exist, or is disabled.
func TestRequestRevealsNothing(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	gone := User{Email: "gone@firma.example", Role: Member, DisabledAt: &w.now}
	ok(t, w.users.Add(t.Context(), &gone, trail.Entry{}))
	var statements []string
	ok(t, databasetest.Observe(w.DB, func(statement string) { statements = append(statements, statement[:6]) }))
	var first string
	for _, email := range []string{" ANNA@firma.example ", "nikt@firma.example", gone.Email, "nie adres", "x\x00"} {
		statements = nil
		ok(t, w.Request(t.Context(), email, address))
		if work := strings.Join(statements, " "); first == "" {
			first = work
		} else if work != first && !strings.Contains(email, "\x00") {
			t.Errorf("%q: statements %s, want %s", email, work, first)
		}
	}
	ok(t, w.sendDue(t.Context()))
	if len(w.mails) != 1 || !strings.HasPrefix(w.mails[0], anna+"\nNowe hasło") {
		t.Errorf("sent %q", w.mails)
	}
	if mails := len(w.rows(t)); mails != 0 {
		t.Errorf("%d mails are left", mails)
	}
	if strings.Contains(w.log.String(), anna) || strings.Contains(w.log.String(), "token") {
		t.Errorf("log %s", w.log.String())
	}
}

func (w *passwordWorld) rows(t *testing.T) (mails []passwordMail) {
	t.Helper()
	ok(t, w.DB.Read(t.Context()).Find(&mails).Error)
	return mails
}

func TestRequestsAreLimited(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	for range 4 {
		w.request(anna)
	}
	if len(w.mails) != 3 {
		t.Errorf("%d mails for one account", len(w.mails))
	}
	for i := range 16 {
		w.request(fmt.Sprint(i, "@firma.example"))
	}
	wantCode(t, w.Request(t.Context(), "nowy@firma.example", address), CodeTooManyAttempts)
	ok(t, w.Request(t.Context(), "nowy@firma.example", "192.0.2.2"))
	w.now = w.now.Add(time.Hour)
	if w.request(anna); len(w.mails) != 4 {
		t.Errorf("%d mails after an hour", len(w.mails))
	}
	w.Send = nil
	wantCode(t, w.Request(t.Context(), anna, address), CodeNoMail)
}

// TestQueueIsBounded: then requests are refused, for every account, and invitations return
// their link.
func TestQueueIsBounded(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	ok(t, w.DB.Write(t.Context()).CreateInBatches(make([]passwordMail, maxMails), 100).Error)
	wantCode(t, w.Request(t.Context(), anna, address), CodeMailFull)
	wantCode(t, w.Request(t.Context(), "nikt@firma.example", address), CodeMailFull)
	if link, err := w.Invite(t.Context(), Actor{}, w.anna); err != nil || link == nil {
		t.Errorf("invited with %v, %v", link, err)
	}
}

// TestMailIsRetried in growing pauses for an hour, unless it was refused for good, also by
// another process than the one that took the request.
func TestMailIsRetried(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, db databasetest.Database) {
		w.fails = []error{errors.New("away"), errors.New("away")}
		w.request(anna)
		other := NewPasswords(w.PasswordOptions)
		for _, wait := range []time.Duration{30 * time.Second, time.Minute} {
			w.now = w.now.Add(wait - time.Second)
			ok(t, other.sendDue(t.Context()))
			if len(w.mails) > 0 {
				t.Fatalf("sent before %s", wait)
			}
			w.now = w.now.Add(time.Second)
			ok(t, other.sendDue(t.Context()))
		}
		if len(w.mails) != 1 || len(w.rows(t)) != 0 {
			t.Errorf("sent %d, %d left", len(w.mails), len(w.rows(t)))
		}
		ok(t, w.CheckLink(t.Context(), tokenOf(t, w.mails[0])))

		w.fails = []error{errPermanent}
		if w.request(anna); len(w.rows(t)) != 0 {
			t.Error("a mail that was refused for good is kept")
		}
		for range 20 {
			w.fails = append(w.fails, errors.New("away"))
		}
		w.request(anna)
		for len(w.rows(t)) > 0 && len(w.fails) > 0 {
			w.now = w.now.Add(5 * time.Minute)
			ok(t, w.sendDue(t.Context()))
		}
		if n := 20 - len(w.fails); n < 5 || n > 13 || len(w.rows(t)) != 0 {
			t.Errorf("tried %d times in an hour, %d left", n, len(w.rows(t)))
		}
		if strings.Contains(w.log.String(), anna) {
			t.Errorf("log %s", w.log.String())
		}
	})
}

// TestOneProcessSendsAMail of several that look for it at the same time; the others try again
// if that process has died.
func TestOneProcessSendsAMail(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, db databasetest.Database) {
		ok(t, w.Request(t.Context(), anna, address))
		other := NewUsers(databasetest.Open(t, db.URL))
		var claimed atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			users := []*Users{w.users, other}[i%2]
			all.Go(func() {
				mail, user, err := users.claimMail(t.Context(), w.now)
				if err != nil || mail != nil && user == nil {
					t.Errorf("claimed %+v for %+v, %v", mail, user, err)
				}
				if mail != nil {
					claimed.Add(1)
				}
			})
		}
		if all.Wait(); claimed.Load() != 1 {
			t.Errorf("claimed %d times", claimed.Load())
		}
		w.now = w.now.Add(mailClaim)
		if ok(t, w.sendDue(t.Context())); len(w.mails) != 1 {
			t.Errorf("%d mails after the claim", len(w.mails))
		}
	})
}

func TestInvitation(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	u := User{Email: "Nowa@firma.example", Name: " Nowa ", Role: Manager}
	link, err := w.AddUser(t.Context(), Operator("ola"), &u)
	ok(t, err)
	if ok(t, w.sendDue(t.Context())); link != nil || len(w.mails) != 1 || !strings.HasPrefix(w.mails[0], "nowa@firma.example\nZaproszenie") || u.Name != "Nowa" {
		t.Errorf("link %v, mails %q, user %+v", link, w.mails, u)
	}
	_, err = w.logins.Login(t.Context(), u.Email, "", address)
	wantCode(t, err, CodeInvalidLogin)
	ok(t, w.Redeem(t.Context(), tokenOf(t, w.mails[0]), otherPassword, address, ""))
	_, err = w.logins.Login(t.Context(), u.Email, otherPassword, address)
	ok(t, err)
	w.Send = nil
	if link, err = w.Invite(t.Context(), Operator("ola"), u); err != nil || link == nil || !link.ExpiresAt.Equal(w.now.Add(time.Hour)) {
		t.Errorf("link %+v, %v", link, err)
	}
	for email, want := range map[string]fault.Code{
		"nie adres": CodeInvalidEmail, "a@b.example\r\nBcc: c@d.example": CodeInvalidEmail, "NOWA@firma.example": CodeEmailTaken,
		strings.Repeat("x", 250) + "@b.example": CodeInvalidEmail,
	} {
		_, err := w.AddUser(t.Context(), Actor{}, &User{Email: email, Role: Member})
		wantCode(t, err, want)
	}
}

// TestPasswordChange: an old password that somebody else has replaced meanwhile is wrong.
func TestPasswordChangeOfAChangedPassword(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, db databasetest.Database) {
		ok(t, w.users.SetPasswordHash(t.Context(), w.anna.ID, "$other", trail.Entry{}))
		wantCode(t, w.users.replacePassword(t.Context(), w.anna, "$mine", trail.Entry{}), CodeWrongPassword)
		if u, err := w.users.ByID(t.Context(), w.anna.ID); err != nil || u.PasswordHash != "$other" {
			t.Errorf("%+v, %v", u, err)
		}
		if err := w.Change(t.Context(), Actor{User: w.anna}, goodPassword, otherPassword); fault.From(err).Kind != fault.Internal {
			t.Errorf("with an unknown form of hash: %v", err)
		}
	})
}

// attempts tries to log in n times and returns the last error.
func (w *passwordWorld) attempts(n int, password, address string) (err error) {
	for range n {
		_, err = w.logins.Login(w.t.Context(), anna, password, address)
	}
	return err
}

// tooLong is refused without a hash.
var tooLong = strings.Repeat("x", maxPassword+1)

// TestPasswordChangeWithoutANewSession checks that it is no success if the browser that sent the
// request is logged out like the others.
func TestPasswordChangeWithoutANewSession(t *testing.T) {
	w := onSQLite(t)
	ok(t, w.DB.Write(t.Context()).Exec("CREATE TRIGGER fails BEFORE INSERT ON sessions BEGIN SELECT RAISE(FAIL, 'the disk is full'); END").Error)
	keys, err := ParseKeys(keyList("one"))
	ok(t, err)
	h := &Handlers{Guard: &Guard{Sessions: NewSessions(w.DB, keys, false, w.Now)}, Passwords: w.Passwords}
	body, err := json.Marshal(map[string]string{"old_password": goodPassword, "new_password": goodPassword + "2"})
	ok(t, err)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/auth/password", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	response := httptest.NewRecorder()
	if err := h.ChangePassword(echo.New().NewContext(r, response), Actor{User: w.anna}); fault.From(err) == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("answered %s, %v", response.Body, err)
	}
}

// TestStrangersDoNotLockOut: failures at one address count there alone, and those from
// anywhere keep out only addresses that the account does not know.
func TestStrangersDoNotLockOut(t *testing.T) {
	eachPasswords(t, func(t *testing.T, w *passwordWorld, _ databasetest.Database) {
		const owner, neighbour, travelling = "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", "198.51.100.77"
		ok(t, w.attempts(1, goodPassword, owner))
		wantCode(t, w.attempts(10, tooLong, "203.0.113.1"), CodeInvalidLogin)
		wantCode(t, w.attempts(1, goodPassword, "203.0.113.1"), CodeTooManyAttempts)
		ok(t, w.attempts(1, goodPassword, travelling[:len(travelling)-1]+"8")) // 10 failures lock no other address
		for i := range 12 {
			_ = w.attempts(9, tooLong, fmt.Sprint("203.0.113.", 10+i))
		}
		wantCode(t, w.attempts(1, goodPassword, "192.0.2.99"), CodeTooManyAttempts)
		wantCode(t, w.attempts(1, goodPassword, travelling), CodeTooManyAttempts)
		if state, err := w.limits.Peek(t.Context(), w.now, FailureLimit("jan@firma.example")); err != nil || state.Left != failuresFromAnywhere {
			t.Errorf("another account has %d failures left, %v", state.Left, err)
		}
		ok(t, w.attempts(1, goodPassword, owner))
		ok(t, w.attempts(1, goodPassword, neighbour)) // of the same /64
		wantCode(t, w.attempts(10, tooLong, neighbour), CodeInvalidLogin)
		wantCode(t, w.attempts(1, goodPassword, owner), CodeTooManyAttempts)

		link, err := w.NewLink(t.Context(), Actor{}, w.anna)
		ok(t, err)
		ok(t, w.Redeem(t.Context(), tokenOf(t, link.URL), otherPassword, travelling, ""))
		ok(t, w.attempts(1, otherPassword, travelling))
		wantCode(t, w.attempts(1, otherPassword, "192.0.2.99"), CodeTooManyAttempts)
		w.now = w.now.Add(attemptWindow)
		ok(t, w.attempts(1, otherPassword, "192.0.2.99"))
	})
}

// TestLoginClearsItsOwnAddress and no other one.
func TestLoginClearsItsOwnAddress(t *testing.T) {
	w := newPasswords(t, databasetest.Database{DB: databasetest.Open(t, databasetest.NewSQLite(t))})
	for range 3 {
		wantCode(t, w.attempts(9, tooLong, "192.0.2.1"), CodeInvalidLogin)
		ok(t, w.attempts(1, goodPassword, "192.0.2.1"))
	}
	if state, err := w.limits.Peek(t.Context(), w.now, FailureLimit(anna)); err != nil || state.Left != failuresFromAnywhere-27 {
		t.Errorf("%+v, %v: logins that succeed count as failures", state, err)
	}
	wantCode(t, w.attempts(9, tooLong, "192.0.2.2"), CodeInvalidLogin)
	ok(t, w.attempts(1, goodPassword, "192.0.2.1"))
	wantCode(t, w.attempts(1, tooLong, "192.0.2.2"), CodeInvalidLogin)
	wantCode(t, w.attempts(1, goodPassword, "192.0.2.2"), CodeTooManyAttempts)
	for i := range 60 { // of any account
		_, err := w.logins.Login(t.Context(), fmt.Sprint(i, "@firma.example"), tooLong, "192.0.2.3")
		wantCode(t, err, CodeInvalidLogin)
	}
	wantCode(t, w.attempts(1, goodPassword, "192.0.2.3"), CodeTooManyAttempts)
}

// TestLastAdministratorStays, also if two demote each other at the same time through two
// replicas.
func TestLastAdministratorStays(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		replicas := []*Users{NewUsers(db.DB), NewUsers(databasetest.Open(t, db.URL))}
		ctx := t.Context()
		admins := []User{{Email: "a@x.pl", Role: Admin, PasswordHash: "$"}, {Email: "b@x.pl", Role: Admin, PasswordHash: "$"}}
		for i := range admins {
			ok(t, replicas[0].Add(ctx, &admins[i], trail.Entry{}))
		}
		ok(t, replicas[0].Add(ctx, &User{Email: "invited@x.pl", Role: Admin}, trail.Entry{}))
		var demoted atomic.Int32
		var both sync.WaitGroup
		for i, users := range replicas {
			change := []UserChange{{Role: new(Member)}, {Disabled: new(true)}}[i]
			both.Go(func() {
				switch _, err := users.Edit(ctx, admins[i].ID, change, Actor{}); {
				case err == nil:
					demoted.Add(1)
				case !fault.Is(err, CodeLastAdmin):
					t.Error(err)
				}
			})
		}
		if both.Wait(); demoted.Load() != 1 {
			t.Errorf("%d of two were demoted", demoted.Load())
		}
		users, err := replicas[0].List(ctx)
		ok(t, err)
		left := 0
		for _, u := range users {
			if u.administers() {
				left++
			}
		}
		if left != 1 {
			t.Errorf("%d administrators are left: %+v", left, users)
		}
	})
}

func TestEditUser(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users, companies, ctx := NewUsers(db.DB), company.New(db.DB), t.Context()
		u := User{Email: "a@x.pl", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{Action: "user add"}))
		open := company.Company{Name: "A", Slug: "a", Status: company.StatusActive}
		hidden := company.Company{Name: "B", Slug: "b", Status: company.StatusArchived}
		ok(t, companies.Create(ctx, &open))
		ok(t, companies.Create(ctx, &hidden))
		got, err := users.Edit(ctx, u.ID, UserChange{Name: new(" Anna "), Role: new(Manager), CompanyID: &open.ID}, Operator("ola"))
		if err != nil || got.Name != "Anna" || got.Role != Manager || *got.CompanyID != open.ID {
			t.Errorf("%+v, %v", got, err)
		}
		for id, want := range map[int64]fault.Code{hidden.ID: CodeArchived, 99: company.CodeNotFound} {
			_, err := users.Edit(ctx, u.ID, UserChange{CompanyID: &id}, Actor{})
			wantCode(t, err, want)
		}
		got, err = users.Edit(ctx, u.ID, UserChange{CompanyID: new(int64(0)), Name: new("Anna")}, Operator("ola"))
		if err != nil || got.CompanyID != nil || got.Role != Manager {
			t.Errorf("%+v, %v", got, err)
		}
		var actions []string
		lines, err := trail.Find(ctx, db.DB, trail.Search{UserID: u.ID, Limit: 9})
		ok(t, err)
		for _, line := range lines {
			actions = append(actions, line.Action+" "+line.Detail)
		}
		want := "user move company 1 → no company, user move no company → company 1, user set-role MEMBER → MANAGER, user rename , user add MEMBER"
		if strings.Join(actions, ", ") != want {
			t.Errorf("trail %q, want %q", actions, want)
		}
	})
}

func TestSearchUsers(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users, ctx := NewUsers(db.DB), t.Context()
		for i := range 30 {
			ok(t, users.Add(ctx, &User{Email: fmt.Sprintf("u%02d@x.pl", i), Name: "Łucja", Role: Member}, trail.Entry{}))
		}
		ok(t, users.Add(ctx, &User{Email: "100%_a@x.pl", Name: "Ewa", Role: Member}, trail.Entry{}))
		for _, test := range []struct {
			text  string
			after int64
			found int
			more  bool
		}{
			{"", 0, 25, true}, {"", 25, 6, false}, {"LUC", 0, 25, true}, {"łucj", 29, 1, false}, {"U01@", 0, 1, false}, {"%", 0, 1, false},
			{"_", 0, 1, false}, {`\`, 0, 0, false}, {"x\x00", 0, 0, false}, {"\xff", 0, 0, false},
		} {
			if found, more, err := users.Search(ctx, test.text, test.after); err != nil || len(found) != test.found || more != test.more {
				t.Errorf("%q after %d: %d, %t, %v", test.text, test.after, len(found), more, err)
			}
		}
	})
}

func TestSweep(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users, ctx, now := NewUsers(db.DB), t.Context(), time.Now()
		u := User{Email: "a@x.pl", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{}))
		ok(t, users.addLink(ctx, passwordLink{TokenHash: hash("old"), UserID: u.ID, ExpiresAt: now.Add(-time.Minute)}, trail.Entry{}))
		ok(t, users.addLink(ctx, passwordLink{TokenHash: hash("new"), UserID: u.ID, ExpiresAt: now.Add(time.Minute)}, trail.Entry{}))
		ok(t, addNetwork(ctx, db.DB, u.ID, "new"))
		ok(t, db.DB.Write(ctx).Create(&loginNetwork{UserID: u.ID, Network: "old", SeenAt: now.Add(-networkLife - time.Minute)}).Error)
		ok(t, users.Sweep(ctx))
		if dump := db.Dump(t); len(dump["password_links"]) != 1 || len(dump["login_networks"]) != 1 {
			t.Errorf("left %v and %v", dump["password_links"], dump["login_networks"])
		}
		_, err := users.ofLink(ctx, hash("new"), now)
		ok(t, err)
	})
}
