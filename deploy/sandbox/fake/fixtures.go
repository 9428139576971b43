package fake

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"unicode"
)

// Person owns an account to which an app may get access. The people do not exist: their addresses end in .example
// (RFC 2606).
type Person struct {
	Key   string // value in forms and options, e.g. "anna"
	Name  string
	Email string
	Note  string // Polish: what the account holds
}

// People returns everyone, in the order in which consent pages show them.
func People() []Person {
	return []Person{
		{"anna", "Anna Kowalska", "anna.kowalska@piekarnia-kowalski.example",
			"Piekarnia Kowalski w Krakowie, profil kompletny"},
		{"marek", "Marek Nowak", "marek.nowak@warsztat-nowak.example",
			"Warsztat Nowak w Poznaniu, profil w połowie uzupełniony"},
		{"zofia", "Zofia Wiśniewska", "zofia@studio-wisniewska.example",
			"Studio Fotografii Wiśniewska w Gdańsku, profil prawie pusty"},
		{"piotr", "Piotr Zieliński", "piotr.zielinski@widoczni.example",
			"agencja z wieloma kontami i ponad setką lokalizacji"},
		{"tomasz", "Tomasz Wójcik", "tomasz.wojcik@poczta.example", "nowe konto, w którym nic jeszcze nie ma"},
	}
}

// FindPerson returns the person with that key. The error lists the keys.
func FindPerson(key string) (Person, error) {
	var keys []string
	for _, person := range People() {
		if person.Key == key {
			return person, nil
		}
		keys = append(keys, person.Key)
	}
	return Person{}, fmt.Errorf("account %q is not one of: %s", key, strings.Join(keys, ", "))
}

// ReadFixtures decodes an embedded JSON list. An item with "repeat": n stands for n items, in which {n} is the
// number 001, 002, ….
func ReadFixtures[T any](text []byte) []T {
	var items, all []json.RawMessage
	must(json.Unmarshal(text, &items))
	for _, item := range items {
		var repeated struct{ Repeat int }
		must(json.Unmarshal(item, &repeated))
		if repeated.Repeat == 0 {
			all = append(all, item)
		}
		for n := 1; n <= repeated.Repeat; n++ {
			all = append(all, json.RawMessage(strings.ReplaceAll(string(item), "{n}", fmt.Sprintf("%03d", n))))
		}
	}
	text, err := json.Marshal(all)
	must(err)
	var list []T
	must(json.Unmarshal(text, &list))
	return list
}

// Rand returns a generator that gives the same sequence for the same words, so that every start of the sandbox
// serves the same figures.
func Rand(words ...string) *rand.Rand {
	hash := fnv.New64a()
	for _, word := range words {
		_, _ = hash.Write([]byte(word + "\x00"))
	}
	// #nosec G404 -- repeatable on purpose, guards nothing
	return rand.New(rand.NewPCG(hash.Sum64(), 0x9e3779b97f4a7c15))
}

// Words splits a text into lower-case words of letters and digits without Polish diacritics, which people leave out
// when they search.
func Words(text string) []string {
	plain := strings.NewReplacer("ą", "a", "ć", "c", "ę", "e", "ł", "l", "ń", "n", "ó", "o", "ś", "s", "ź", "z", "ż",
		"z")
	return strings.FieldsFunc(plain.Replace(strings.ToLower(text)),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
