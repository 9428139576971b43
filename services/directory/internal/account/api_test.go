package account_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
)

// Messages of failures.
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
	from := func(address string) func(int) string { // {i} in the address, if any, is another number each time
		return func(i int) string { return strings.ReplaceAll(address, "{i}", fmt.Sprint(i+10)) }
	}
	account := func(i int) string { return fmt.Sprintf("konto-%d@poczta.example", i) }
	anna := func(int) string { return "anna@poczta.example" }
	for name, test := range map[string]struct {
		address, email func(i int) string // of the failure with that number
		failures       int                // that are allowed
		refused        string             // network address of a correct login that is refused afterwards
		allowed        string             // that of one that is not
	}{
		"of one account from one network": {from("203.0.113.7"), anna, 10, "203.0.113.7", "203.0.113.8"},
		"of one network":                  {from("203.0.113.7"), account, 60, "203.0.113.7", "203.0.113.8"},
		"of an IPv6 /56": {from("2001:db8:1:1{i}::1"), account, 60, "2001:db8:1:1ff::2",
			"2001:db8:1:200::1"},
		"of one account from anywhere": {from("198.51.100.{i}"), anna, 100, "203.0.113.7", "192.0.2.77"},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			logIn(a, "192.0.2.77", a.Anna.Email, apptest.Password).Want(http.StatusOK) // the owner's network
			for i := range test.failures {
				logIn(a, test.address(i), test.email(i), "zupełnie inne hasło").
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

// More messages of failures.
const (
	notBelow = "Możesz zapraszać i usuwać tylko osoby o niższych uprawnieniach niż Twoje."
	usedLink = "Ten link wygasł albo został już użyty. Poproś o nowy."
)

// token returns the token of a link.
func token(link string) string {
	_, token, _ := strings.Cut(link, "?token=")
	return token
}

// TestColleagues invites a person without a mail server, who logs in by the link within 7
// days, and takes the person out of the company again.
func TestColleagues(t *testing.T) {
	a := apptest.New(t)
	boss := a.Browser(a.AddUser("szefowa", account.OfficeManager, &a.Company))
	invite := func(role string) *apptest.Response {
		return boss.Post("/api/company/users",
			apptest.Body{"email": "jan@poczta.example", "name": "Jan Nowak", "role": role})
	}
	invite("OFFICE_MANAGER").WantError(http.StatusForbidden, notBelow)
	var invited struct {
		User struct{ ID int64 }
		Link account.Link
	}
	invite("EMPLOYEE").Want(http.StatusOK).Decode(&invited)
	if want := apptest.Start.Add(7 * 24 * time.Hour); !invited.Link.ExpiresAt.Equal(want) {
		t.Errorf("the invitation ends at %s, want %s", invited.Link.ExpiresAt, want)
	}

	a.Clock.Pass(7*24*time.Hour - time.Minute)
	jan := a.Visitor()
	accept := apptest.Body{"token": token(invited.Link.URL), "new_password": "pięć innych słów na drogę"}
	jan.Post("/api/auth/reset/confirm", accept).Want(http.StatusOK)
	me := func() any { return jan.Get("/api/auth/me").Want(http.StatusOK).JSON()["company"] }
	if me() == nil {
		t.Error("the person has no company after the invitation")
	}

	boss = a.Browser(a.AddUser("druga", account.OfficeManager, &a.Company))
	remove := func(id int64) *apptest.Response {
		return boss.Post(fmt.Sprintf("/api/company/users/%d/remove", id), nil)
	}
	other := a.AddCompany("cukiernia")
	remove(a.AddUser("obcy", account.Member, &other).ID).WantError(http.StatusNotFound,
		"Nie znaleziono użytkownika.")
	remove(a.AddUser("trzecia", account.OfficeManager, &a.Company).ID).WantError(http.StatusForbidden, notBelow)
	remove(invited.User.ID).Want(http.StatusOK)
	if company := me(); company != nil {
		t.Errorf("the person still has the company %v", company)
	}
}

// mail is an e-mail that was sent.
type mail struct{ To, Subject, Text string }

// deliver makes a request, and returns the e-mails that are sent because of it.
func deliver(t *testing.T, a *apptest.App, request func()) (sent []mail) {
	t.Helper()
	a.Passwords.Send = func(_ context.Context, to, subject, text string) (bool, error) {
		sent = append(sent, mail{to, subject, text})
		return false, nil
	}
	request()
	a.Work()
	return sent
}

// TestInvitationMail names the company and the person who invites.
func TestInvitationMail(t *testing.T) {
	a := apptest.New(t)
	boss := a.AddUser("szefowa", account.OfficeManager, &a.Company)
	sent := deliver(t, a, func() {
		invitation := apptest.Body{"email": "jan@poczta.example", "role": "EMPLOYEE"}
		a.Browser(boss).Post("/api/company/users", invitation).Want(http.StatusOK)
	})
	if len(sent) != 1 {
		t.Fatalf("%d e-mails were sent, want 1", len(sent))
	}
	for _, part := range []string{"szefowa zaprasza Cię do firmy „Piekarnia Kowalski”", "przez 7 dni",
		apptest.PublicURL + account.LinkPath + "?token="} {
		if !strings.Contains(sent[0].Text, part) {
			t.Errorf("the invitation lacks %q:\n%s", part, sent[0].Text)
		}
	}
	want := mail{To: "jan@poczta.example", Subject: "Zaproszenie: Piekarnia Kowalski", Text: sent[0].Text}
	if diff := cmp.Diff(want, sent[0]); diff != "" {
		t.Errorf("invitation (-want +got):\n%s", diff)
	}
}

// TestChangeOfEmail: a new address counts once its owner has opened the link.
func TestChangeOfEmail(t *testing.T) {
	a := apptest.New(t)
	a.AddUser("zajety", account.Member, nil)
	anna := a.Browser(a.Anna)
	request := func(email, password string) *apptest.Response {
		return anna.Post("/api/auth/email", apptest.Body{"email": email, "password": password})
	}
	request("anna@nowak.example", apptest.Password).Want(http.StatusServiceUnavailable) // without a mail server
	confirm := func(link string) *apptest.Response {
		return a.Visitor().Post("/api/auth/email/confirm", apptest.Body{"token": token(link)})
	}
	link := func(email string) string {
		sent := deliver(t, a, func() { request(email, apptest.Password).Want(http.StatusOK) })
		if len(sent) != 1 || sent[0].To != account.NormalEmail(email) {
			t.Fatalf("e-mails %+v, want one to %s", sent, email)
		}
		for line := range strings.Lines(sent[0].Text) {
			if strings.HasPrefix(line, apptest.PublicURL+account.EmailLinkPath) {
				return strings.TrimSpace(line)
			}
		}
		t.Fatalf("no link in %s", sent[0].Text)
		return ""
	}
	first := link("Anna@Nowak.example")
	request("anna@nowak.example", "zupełnie inne hasło").
		WantError(http.StatusBadRequest, "Obecne hasło jest nieprawidłowe.")
	request("adres", apptest.Password).WantError(http.StatusBadRequest, "To nie jest adres e-mail.")
	logIn(a, "203.0.113.7", "anna@nowak.example", apptest.Password).Want(http.StatusUnauthorized)
	asPasswordLink := apptest.Body{"token": token(first), "new_password": "pięć innych słów na drogę"}
	a.Visitor().Post("/api/auth/reset/confirm", asPasswordLink).WantError(http.StatusBadRequest, usedLink)
	confirm(first).Want(http.StatusOK)
	confirm(first).WantError(http.StatusBadRequest, usedLink)
	logIn(a, "203.0.113.7", "anna@nowak.example", apptest.Password).Want(http.StatusOK)
	confirm(link("zajety@poczta.example")).WantError(http.StatusBadRequest, "Ten adres e-mail jest już zajęty.")
	late := link("anna@inny.example")
	a.Clock.Pass(time.Hour)
	confirm(late).WantError(http.StatusBadRequest, usedLink)
}

func TestOwnName(t *testing.T) {
	a := apptest.New(t)
	a.Browser(a.Anna).Post("/api/auth/profile", apptest.Body{"name": " Anna Nowak "}).Want(http.StatusOK)
	a.WantTrail("user rename")
	if u, err := a.Users.ByID(t.Context(), a.Anna.ID); err != nil || u.Name != "Anna Nowak" {
		t.Errorf("name %q, error %v; want Anna Nowak", u.Name, err)
	}
}

// TestSessionsShowBrowserAndNetwork lists the browsers of a person.
func TestSessionsShowBrowserAndNetwork(t *testing.T) {
	a := apptest.New(t)
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0": "Firefox, Windows",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
			"Version/18.6 Mobile Safari/604": "Safari, iPhone",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/142.0 Safari/537.36 Edg/142.0": "Edge, Linux",
		"curl/8.16.0": "curl",
	} {
		b := a.Visitor()
		b.Address = "2001:db8:1:2ff::7"
		login := apptest.Body{"email": a.Anna.Email, "password": apptest.Password}
		b.Post("/api/auth/login", login, "User-Agent", agent).Want(http.StatusOK)
		var list struct{ Sessions []account.ListedSession }
		b.Get("/api/auth/sessions").Want(http.StatusOK).Decode(&list)
		i := slices.IndexFunc(list.Sessions, func(s account.ListedSession) bool { return s.Current })
		if i < 0 {
			t.Fatalf("%s: no session is the current one", agent)
		}
		if got := list.Sessions[i].Browser; got != want {
			t.Errorf("%s: browser %q, want %q", agent, got, want)
		}
		if got := list.Sessions[i].Network; got != "2001:db8:1:200::/56" {
			t.Errorf("%s: network %q, want the /56 of the address", agent, got)
		}
	}
}
