package settings

import (
	"fmt"
	"net/mail"
	"net/url"
)

// Legal is the operator's addresses, which every page links to.
type Legal struct {
	Privacy, Terms *url.URL // http or https; may be nil
	Contact        string   // e-mail address or http(s) URL; may be empty
}

// Check returns an error for each invalid address, with the name of its setting.
func (l Legal) Check(prefix string) (problems []error) {
	for name, u := range map[string]*url.URL{"PRIVACY_URL": l.Privacy, "TERMS_URL": l.Terms} {
		if u != nil && !IsWebURL(u) {
			problems = append(problems, fmt.Errorf("%s%s: must be an http(s) address", prefix, name))
		}
	}
	if l.Contact != "" && l.ContactHref() == "" {
		problems = append(problems, fmt.Errorf("%sCONTACT: must be an e-mail address or an http(s) address", prefix))
	}
	return problems
}

// ContactHref returns the link to the contact, or an empty string if it is invalid.
func (l Legal) ContactHref() string {
	if u, _ := url.Parse(l.Contact); IsWebURL(u) {
		return u.String()
	}
	if a, err := mail.ParseAddress(l.Contact); err == nil && a.Address == l.Contact {
		return (&url.URL{Scheme: "mailto", Opaque: url.PathEscape(l.Contact)}).String()
	}
	return ""
}

// Missing returns the settings that are not set. Google reviews an app only if its home page links to the privacy
// policy.
func (l Legal) Missing(prefix string) (names []string) {
	for _, setting := range []struct {
		name string
		set  bool
	}{{"PRIVACY_URL", l.Privacy != nil}, {"TERMS_URL", l.Terms != nil}, {"CONTACT", l.Contact != ""}} {
		if !setting.set {
			names = append(names, prefix+setting.name)
		}
	}
	return names
}
