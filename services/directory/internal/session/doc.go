// Package session keeps who is logged in at a browser, and the authorization
// that the browser has under way. It implements the Store of gorilla/sessions
// over a repository, and on it the few steps that the service needs.
//
// The browser's cookie holds a random id, signed so that made-up ids never reach
// the repository; the repository holds the id's SHA-256 and everything else. A
// login always makes a new id and ends the session that was there before
// (OWASP Session Management Cheat Sheet).
//
// Who may log in and what a user may do is decided by package directory.
package session
