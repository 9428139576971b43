package network

import (
	"slices"
	"strconv"

	"backend.example/deploy/sandbox/internal/demo"
)

// Person is one of the people of package demo, with what they have here.
type Person struct {
	demo.Person
	ID        string // as this app sees it
	Manages   []Role
	Portfolio *Portfolio // nil: none
}

// HasRole reports whether the person manages the page.
func (p Person) HasRole(page string) bool {
	return slices.ContainsFunc(p.Manages, func(r Role) bool { return r.PageID == page })
}

// Role is what a person may do for a page.
type Role struct {
	PageID string
	Tasks  []string // e.g. "ANALYZE"
}

// Acts reports whether the role lets the person act as the page, and so have a
// credential of it.
func (r Role) Acts() bool { return slices.Contains(r.Tasks, "CREATE_CONTENT") }

// Portfolio owns pages, or works for the pages of others.
type Portfolio struct {
	ID   string
	Name string
}

func allTasks() []string {
	return []string{"ADVERTISE", "ANALYZE", "CREATE_CONTENT", "MESSAGING", "MODERATE", "MANAGE"}
}

// notes tells what each person finds here, in Polish, by key.
func notes() map[string]string {
	return map[string]string{
		"anna":   "trzy strony piekarni i targu, konto ze zdjęciami, jedna strona bez prawa publikacji",
		"marek":  "strona warsztatu, bez konta ze zdjęciami",
		"zofia":  "strona studia z kontem, które ukrywa polubienia, i strona prawie bez fanów",
		"piotr":  "agencja: strony klientów i ponad sto stron portfolio firmowego",
		"tomasz": "nowe konto bez żadnej strony",
	}
}

func people(pages []Page) []Person {
	var people []Person
	for i, person := range demo.People() {
		person.Note = notes()[person.Key]
		p := Person{Person: person, ID: "1022000000" + strconv.Itoa(100001+i)}
		for _, page := range pages {
			if page.manager == person.Key {
				p.Manages = append(p.Manages, Role{PageID: page.ID, Tasks: page.tasks})
			}
		}
		if person.Key == agency {
			p.Portfolio = &Portfolio{ID: portfolioID, Name: "Widoczni – strony klientów"}
		}
		people = append(people, p)
	}
	return people
}
