package directorytest

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// AddCompany adds an active company with a full record; edits may change it.
func (s *Service) AddCompany(slug string, edits ...func(*company.Company)) company.Company {
	s.T.Helper()
	c := company.Company{
		Name: "Firma " + slug, Slug: slug, Status: company.StatusActive,
		Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12", Website: "https://" + slug + ".example",
		Hours: "pn-pt 8-16", Description: "Rodzinna firma.", Categories: []string{"Piekarnia", "Cukiernia"},
		Services: []string{"Chleb"}, LogoURL: "https://" + slug + ".example/logo.png",
	}
	for _, edit := range edits {
		edit(&c)
	}
	s.must(s.Store.Companies().Create(context.Background(), &c))
	return c
}

// AddUser adds a user without a password; company may be nil.
func (s *Service) AddUser(name string, role account.Role, company *company.Company) account.User {
	s.T.Helper()
	u := account.User{Email: name + "@poczta.example", Name: name, Role: role}
	if company != nil {
		u.CompanyID = &company.ID
	}
	s.must(s.Store.Users().Create(context.Background(), &u))
	return u
}

// SetPassword gives a user a password.
func (s *Service) SetPassword(u account.User, password string) {
	s.T.Helper()
	hash, err := Hasher().Hash(context.Background(), "", account.User{}, password)
	s.must(err)
	s.must(s.Store.Users().SetPasswordHash(context.Background(), u.ID, hash, trail.Entry{}))
}

// Actor is u with a request's id.
func Actor(u account.User) account.Actor { return account.Actor{User: u, RequestID: "req-1"} }

// Granted stores a connection without a page.
func (s *Service) Granted() connection.Connection {
	s.T.Helper()
	return s.Connect(connection.Connection{
		Pair: PagesPair, AccessToken: "access-1", AccountID: "p-1", AccountName: "Anna", ExpiresAt: After(time.Hour),
	})
}

// WithPage stores a connection with a page and a user's token that expires after d.
func (s *Service) WithPage(d time.Duration) connection.Connection {
	s.T.Helper()
	return s.Connect(connection.Connection{
		Pair: PagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118",
		UserAccessToken: "user-1", UserExpiresAt: After(d),
	})
}

// Inactive ends a connection, for Change.
func Inactive(c *connection.Connection) { c.Active = false }

// WantPublishing checks the token of the publishing configuration. Without one the
// configuration has to be switched off.
func (s *Service) WantPublishing(token string) {
	s.T.Helper()
	config, err := social.ReadConfig(context.Background(), s.Store.DB, s.Company.ID)
	if err != nil || config.AccessToken != token || config.IsActive != (token != "") {
		s.T.Errorf("configuration = %+v, %v, want the token %q", config, err, token)
	}
}

// ActorOf is u as a member of another company, or of none if companyID is 0.
func ActorOf(u account.User, companyID int64) account.Actor {
	u.CompanyID = nil
	if companyID != 0 {
		u.CompanyID = &companyID
	}
	return Actor(u)
}

// WantFault checks the kind and the code of an error, and that it has a text for the
// user.
func WantFault(t testing.TB, err error, kind fault.Kind, code string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || f.Kind != kind {
		t.Errorf("err = %v, want %s of kind %d", err, code, kind)
		return
	}
	if f.Message == "" {
		t.Errorf("%s has no text for the user", code)
	}
}
