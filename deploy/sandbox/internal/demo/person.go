// Package demo owns the invented people and businesses that several stand-ins
// show: who can be chosen on a consent page, and the facts of the businesses they
// run. What a provider calls these facts, who may see what there, and figures that
// only one provider has, stay in the stand-ins.
//
// Nobody and nothing here exists: the addresses end in .example (RFC 2606), and no
// telephone number in Poland begins with 000 after the area code.
package demo

// Person is somebody whose account an app may be given access to.
type Person struct {
	Key   string // value in forms and options, e.g. "anna"
	Name  string
	Email string
	Note  string // Polish: what their accounts hold
}

// People lists everybody, in the order in which consent pages show them.
func People() []Person {
	return []Person{
		{"anna", "Anna Kowalska", "anna.kowalska@piekarnia-kowalski.example", "Piekarnia Kowalski w Krakowie, profil kompletny"},
		{"marek", "Marek Nowak", "marek.nowak@warsztat-nowak.example", "Warsztat Nowak w Poznaniu, profil w połowie uzupełniony"},
		{"zofia", "Zofia Wiśniewska", "zofia@studio-wisniewska.example", "Studio Fotografii Wiśniewska w Gdańsku, profil prawie pusty"},
		{"piotr", "Piotr Zieliński", "piotr.zielinski@widoczni.example", "agencja z wieloma kontami i ponad setką lokalizacji"},
		{"tomasz", "Tomasz Wójcik", "tomasz.wojcik@poczta.example", "nowe konto, w którym nic jeszcze nie ma"},
	}
}

// FindPerson returns the person with that key.
func FindPerson(key string) (Person, bool) {
	for _, person := range People() {
		if person.Key == key {
			return person, true
		}
	}
	return Person{}, false
}
