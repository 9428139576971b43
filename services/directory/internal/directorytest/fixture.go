package directorytest

import (
	"context"

	"backend.example/services/directory/internal/directory"
)

// AddCompany adds an active company with a full record; edits may change it.
func (s *Service) AddCompany(slug string, edits ...func(*directory.Company)) directory.Company {
	s.T.Helper()
	c := directory.Company{
		Name: "Firma " + slug, Slug: slug, Status: directory.CompanyStatusActive,
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
func (s *Service) AddUser(name string, role directory.Role, company *directory.Company) directory.User {
	s.T.Helper()
	u := directory.User{Email: name + "@poczta.example", Name: name, Role: role}
	if company != nil {
		u.CompanyID = &company.ID
	}
	s.must(s.Store.CreateUser(context.Background(), &u))
	return u
}

// SetPassword gives a user a password.
func (s *Service) SetPassword(u directory.User, password string) {
	s.T.Helper()
	hash, err := Hasher().Hash(context.Background(), password)
	s.must(err)
	s.must(s.Store.SetPasswordHash(context.Background(), u.ID, hash, directory.Entry{}))
}

// Actor is u with a request's id.
func Actor(u directory.User) directory.Actor { return directory.Actor{User: u, RequestID: "req-1"} }
