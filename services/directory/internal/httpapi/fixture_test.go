package httpapi_test

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// addCompany adds an active company with a full record; edits may change it.
func (w *world) addCompany(slug string, edits ...func(*directory.Company)) directory.Company {
	w.t.Helper()
	c := directory.Company{
		Name: "Firma " + slug, Slug: slug, Status: directory.CompanyStatusActive,
		Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12", Website: "https://" + slug + ".example",
		Hours: "pn-pt 8-16", Description: "Rodzinna firma.", Categories: []string{"Piekarnia", "Cukiernia"},
		Services: []string{"Chleb"}, LogoURL: "https://" + slug + ".example/logo.png",
	}
	for _, edit := range edits {
		edit(&c)
	}
	w.ok(w.store.CreateCompany(w.t.Context(), &c))
	return c
}

// addUser adds a user without a password; company may be nil.
func (w *world) addUser(name string, role directory.Role, company *directory.Company) directory.User {
	w.t.Helper()
	u := directory.User{Email: name + "@poczta.example", Name: name, Role: role}
	if company != nil {
		u.CompanyID = &company.ID
	}
	w.ok(w.store.CreateUser(w.t.Context(), &u))
	return u
}

// setPassword gives a user a new password and returns it.
func (w *world) setPassword(u directory.User) string {
	w.t.Helper()
	password := w.secret("password")
	hash, err := hasher().Hash(w.t.Context(), password)
	w.ok(err)
	w.ok(w.store.SetPasswordHash(w.t.Context(), u.ID, hash))
	return password
}

// connect stores an active connection of piekarnia that the providers know.
func (w *world) connect(p directory.Pair, edits ...func(*directory.Connection)) directory.Connection {
	w.t.Helper()
	c := directory.Connection{
		CompanyID: w.piekarnia.ID, UserID: w.anna.ID, Pair: p, AccessToken: w.search.access, RefreshToken: w.secret("refresh"),
		Scopes: []string{scope}, ExpiresAt: ptr(w.now.Add(time.Hour)), AccountID: "konto", AccountName: "Konto", ProviderUserID: "osoba-1",
	}
	if p.Provider == directory.ProviderSocial {
		c.AccessToken, c.RefreshToken, c.ExpiresAt = w.social.user, "", ptr(w.now.Add(60*24*time.Hour))
	}
	for _, edit := range edits {
		edit(&c)
	}
	w.ok(w.store.SaveConnection(w.t.Context(), &c, directory.Entry{At: w.now, CompanyID: c.CompanyID, Action: "connect", Pair: p}))
	return c
}

// connectPage is connect with a page that was chosen.
func (w *world) connectPage() directory.Connection {
	w.t.Helper()
	return w.connect(pagesPair, func(c *directory.Connection) {
		page := w.social.pages[0]
		c.UserAccessToken, c.UserExpiresAt, c.ExpiresAt = c.AccessToken, c.ExpiresAt, nil
		c.AccessToken, c.AccountID, c.AccountName = page.AccessToken, page.ID, page.Name
	})
}

// connection is piekarnia's connection as it is stored.
func (w *world) connection(p directory.Pair) directory.Connection {
	w.t.Helper()
	c, err := w.store.Connection(w.t.Context(), w.piekarnia.ID, p)
	w.ok(err)
	return c
}

// newestEntry is the last line of piekarnia's audit trail.
func (w *world) newestEntry() directory.Entry {
	w.t.Helper()
	entries, err := w.store.Trail(w.t.Context(), w.piekarnia.ID, 1)
	w.ok(err)
	if len(entries) == 0 {
		w.t.Fatal("the audit trail is empty")
	}
	return entries[0]
}
