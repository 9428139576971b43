package social

import (
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/social/tokens"
)

// person is one of the people of the fixtures, with what they have here.
type person struct {
	fixtures.Person
	id      string // as this app sees it
	manages []string
}

// newPeople lists them with what each finds here, in Polish.
func newPeople(pages []page) []person {
	notes := map[string]string{
		"anna":   "trzy strony piekarni i targu, konto ze zdjęciami, jedna strona bez prawa publikacji",
		"marek":  "strona warsztatu, bez konta ze zdjęciami",
		"zofia":  "strona studia z kontem, które ukrywa polubienia, i strona prawie bez fanów",
		"piotr":  "agencja: strony klientów i ponad sto stron portfolio firmowego",
		"tomasz": "nowe konto bez żadnej strony",
	}
	var people []person
	for i, known := range fixtures.People() {
		known.Note = notes[known.Key]
		p := person{Person: known, id: "1022000000" + strconv.Itoa(100001+i)}
		for _, page := range pages {
			if page.manager == known.Key {
				p.manages = append(p.manages, page.id)
			}
		}
		people = append(people, p)
	}
	return people
}

// manages reports whether the account behind the token may do anything for a page. A
// token of another page may not.
func (s *site) manages(t tokens.Token, page string) bool {
	return (t.Kind != tokens.Page || t.Page == page) && slices.ContainsFunc(s.people, func(p person) bool {
		return p.id == t.Account && slices.Contains(p.manages, page)
	})
}

// find returns what the id in the path means to the caller: a person, page or photo.
// Somebody else's does not exist, but for a page.
func (s *site) find(c *call) (any, *refusal) {
	id := c.PathValue("node")
	if id == me {
		if id = c.token.Account; c.token.Kind == tokens.Page {
			id = c.token.Page
		}
	}
	if id == "" {
		return nil, missingToken(me)
	}
	for _, p := range s.people {
		if p.id == id && c.token.Kind == tokens.User && id == c.token.Account {
			return p, nil
		}
	}
	for _, p := range s.pages {
		switch {
		case p.id == id && !s.manages(c.token, id):
			return nil, lacks(readPages)
		case p.id == id:
			return p, nil
		case p.photoID == id && s.manages(c.token, p.id):
			linked, _ := s.photo(id)
			return linked, c.lacks(photoBasic)
		}
	}
	return nil, unknownObject(c.Method, id)
}

// showNode answers the fields of one object.
func (s *site) showNode(c *call) (any, *refusal) {
	node, refused := s.find(c)
	if refused != nil {
		return nil, refused
	}
	switch n := node.(type) {
	case person:
		return object{kind: "User", usual: []string{"name"}, fields: map[string]any{"id": n.id, "name": n.Name}}.pick(c.readFields())
	case page:
		if refused := c.mayRead(c.readFields()); refused != nil {
			return nil, refused
		}
		return s.pageObject(c, n).pick(c.readFields())
	default:
		return node.(photo).object(c.now).pick(c.readFields())
	}
}
