package httpapi_test

import (
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// setPassword gives a user a new password and returns it.
func (w *world) setPassword(u account.User) string {
	w.t.Helper()
	password := w.secret("password")
	w.SetPassword(u, password)
	return password
}

// connect stores an active connection of the company that the providers know.
func (w *world) connect(p provider.Pair, edits ...func(*connection.Connection)) connection.Connection {
	w.t.Helper()
	granting := w.Search
	if p.Provider == provider.Social {
		granting = w.Social
	}
	c := connection.Connection{
		CompanyID: w.Company.ID, UserID: w.Anna.ID, Pair: p, AccessToken: granting.Token.AccessToken,
		Scopes: []string{directorytest.Scope}, ExpiresAt: granting.Token.ExpiresAt, AccountID: "konto", AccountName: "Konto", ProviderUserID: "osoba-1",
	}
	if p.Provider == provider.Search {
		c.RefreshToken = w.secret("refresh")
	}
	for _, edit := range edits {
		edit(&c)
	}
	return w.Connect(c)
}

// connectPage is connect with a page that was chosen.
func (w *world) connectPage() connection.Connection {
	w.t.Helper()
	return w.connect(pagesPair, func(c *connection.Connection) {
		page := w.Social.Pages[0]
		c.Chosen, c.UserAccessToken, c.UserExpiresAt, c.ExpiresAt = connection.ChosenPage, c.AccessToken, c.ExpiresAt, nil
		c.AccessToken, c.AccountID, c.AccountName = page.AccessToken, page.ID, page.Name
	})
}

// connection is the company's connection as it is stored.
func (w *world) connection(p provider.Pair) connection.Connection {
	w.t.Helper()
	c, err := w.Store.Connections.Find(w.t.Context(), w.Company.ID, p)
	w.ok(err)
	return c
}

// newestEntry is the last line of the company's audit trail.
func (w *world) newestEntry() trail.Entry {
	w.t.Helper()
	entries, err := w.Store.Trail(w.t.Context(), trail.Search{CompanyID: w.Company.ID, Limit: 1})
	w.ok(err)
	if len(entries) == 0 {
		w.t.Fatal("the audit trail is empty")
	}
	return entries[0]
}
