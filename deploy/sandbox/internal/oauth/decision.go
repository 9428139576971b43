package oauth

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

const maxForm = 64 << 10

// all stands for every scope in a form that is not sent by a browser.
const all = "all"

// Decision is what a person decided.
type Decision struct {
	Allowed bool
	Account string   // key; empty when denied
	Scopes  []string // granted, in the order in which they were asked for; the fixed ones are among them
}

// Decide reads the form of the page from a POST. An error names every problem; it
// is a mistake of who sent the form.
func (p Page) Decide(w http.ResponseWriter, r *http.Request) (Decision, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return Decision{}, fmt.Errorf("form cannot be read: %w", err)
	}
	switch r.PostForm.Get("decision") {
	case "deny":
		return Decision{}, nil
	case "allow":
	default:
		return Decision{}, errors.New("decision must be allow or deny")
	}
	account := r.PostForm.Get("account")
	scopes, err := p.granted(r.PostForm["scope"])
	if err := errors.Join(p.checkAccount(account), err); err != nil {
		return Decision{}, err
	}
	return Decision{Allowed: true, Account: account, Scopes: scopes}, nil
}

func (p Page) checkAccount(key string) error {
	keys := make([]string, 0, len(p.Accounts))
	for _, account := range p.Accounts {
		if account.Key == key {
			return nil
		}
		keys = append(keys, account.Key)
	}
	return fmt.Errorf("account must be one of: %s", strings.Join(keys, ", "))
}

func (p Page) granted(ticked []string) ([]string, error) {
	var granted, names []string
	for _, scope := range p.Scopes {
		names = append(names, scope.Name)
		if scope.Fixed || slices.Contains(ticked, scope.Name) || slices.Contains(ticked, all) {
			granted = append(granted, scope.Name)
		}
	}
	for _, name := range ticked {
		if name != all && !slices.Contains(names, name) {
			return nil, fmt.Errorf("scope %q was not asked for; these were: %s", name, strings.Join(names, ", "))
		}
	}
	return granted, nil
}
