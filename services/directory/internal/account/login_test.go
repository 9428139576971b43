package account_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
)

const (
	wrongLogin = "Nieprawidłowy adres e-mail lub hasło."
	tooMany    = "Zbyt wiele prób logowania. Spróbuj ponownie później."
)

// logIn sends a login from an address.
func logIn(a *apptest.App, address, email, password string) *apptest.Response {
	b := a.Visitor()
	b.Address = address
	return b.Post("/api/auth/login", apptest.Body{"email": email, "password": password})
}

// TestRefusedLoginsLookAlike: the response does not tell whether there is an account.
func TestRefusedLoginsLookAlike(t *testing.T) {
	a := apptest.New(t)
	disabled := a.AddUser("dawny", account.Member, &a.Company)
	on := true
	_, err := a.Users.Edit(t.Context(), disabled.ID, account.UserChange{Disabled: &on}, account.Operator("ola"))
	if err != nil {
		t.Fatal(err)
	}
	for _, login := range [][2]string{
		{a.Anna.Email, "zupełnie inne hasło"}, {"nie-ma@poczta.example", apptest.Password},
		{disabled.Email, apptest.Password},
	} {
		logIn(a, "203.0.113.7", login[0], login[1]).WantError(http.StatusUnauthorized, wrongLogin)
	}
	if log := a.Log.String(); strings.Contains(log, "nie-ma@") || strings.Contains(log, "inne hasło") {
		t.Error("the log contains what was typed")
	}
}

// TestSpellingsOfAnAddress: e-mail addresses are compared by NFKC and in lower case.
func TestSpellingsOfAnAddress(t *testing.T) {
	a := apptest.New(t)
	for _, email := range []string{"anna@poczta.example", " ANNA@poczta.example ", "ａnna@poczta.example"} {
		logIn(a, "203.0.113.7", email, apptest.Password).Want(http.StatusOK)
	}
}

// TestCorrectLoginsAreNotLimited: 61 people log in behind one address within a quarter of an
// hour.
func TestCorrectLoginsAreNotLimited(t *testing.T) {
	a := apptest.New(t)
	for range 61 {
		logIn(a, "203.0.113.7", a.Anna.Email, apptest.Password).Want(http.StatusOK)
	}
}

// TestFailedLoginsAreLimited checks how many failures a stranger has, and who may still log in.
func TestFailedLoginsAreLimited(t *testing.T) {
	from := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	account := func(i int) string { return fmt.Sprintf("konto-%d@poczta.example", i) }
	anna := func(int) string { return "anna@poczta.example" }
	for name, test := range map[string]struct {
		address, email func(i int) string
		failures       int    // that are allowed
		refused        string // address of a correct login that is refused afterwards
		allowed        string
	}{
		"of one account from one network": {from("203.0.113.7"), anna, 10, "203.0.113.7", "203.0.113.8"},
		"of one network":                  {from("203.0.113.7"), account, 60, "203.0.113.7", "203.0.113.8"},
		"of an IPv6 /56": {from("2001:db8:1:1%02x::1"), account, 60, "2001:db8:1:1ff::2",
			"2001:db8:1:200::1"},
		"of one account from anywhere": {from("198.51.100.%d"), anna, 100, "203.0.113.7", "192.0.2.77"},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			logIn(a, "192.0.2.77", a.Anna.Email, apptest.Password).Want(http.StatusOK) // the owner's network
			for i := range test.failures {
				logIn(a, trim(test.address(i)), test.email(i), "zupełnie inne hasło").
					WantError(http.StatusUnauthorized, wrongLogin)
			}
			refused := logIn(a, test.refused, a.Anna.Email, apptest.Password)
			refused.WantError(http.StatusTooManyRequests, tooMany)
			if refused.Header().Get("Retry-After") == "" {
				t.Error("no Retry-After")
			}
			logIn(a, test.allowed, a.Anna.Email, apptest.Password).Want(http.StatusOK)
			a.Clock.Pass(15 * time.Minute)
			logIn(a, test.refused, a.Anna.Email, apptest.Password).Want(http.StatusOK)
		})
	}
}

// trim removes what Sprintf adds for an argument that the format does not use.
func trim(address string) string {
	address, _, _ = strings.Cut(address, "%!")
	return address
}

// TestLoginClearsItsOwnNetwork: a login clears the failures of its network alone.
func TestLoginClearsItsOwnNetwork(t *testing.T) {
	a := apptest.New(t)
	fail := func(address string, times int) {
		for range times {
			logIn(a, address, a.Anna.Email, "zupełnie inne hasło").WantError(http.StatusUnauthorized, wrongLogin)
		}
	}
	fail("203.0.113.7", 9)
	fail("203.0.113.8", 9)
	logIn(a, "203.0.113.7", a.Anna.Email, apptest.Password).Want(http.StatusOK)
	fail("203.0.113.7", 10)
	fail("203.0.113.8", 1)
	logIn(a, "203.0.113.8", a.Anna.Email, "zupełnie inne hasło").WantError(http.StatusTooManyRequests, tooMany)
}
