package site

import "backend.example/services/internal/kit/settings"

// Legal are the operator's addresses in the footer of every page.
type Legal = settings.Legal

// footer returns the links to l.
func footer(l Legal) (links []Link) {
	if l.Privacy != nil {
		links = append(links, Link{Href: l.Privacy.String(), Text: "Polityka prywatności"})
	}
	if l.Terms != nil {
		links = append(links, Link{Href: l.Terms.String(), Text: "Regulamin"})
	}
	if l.Contact != "" {
		links = append(links, Link{Href: l.ContactHref(), Text: "Kontakt"})
	}
	return links
}
