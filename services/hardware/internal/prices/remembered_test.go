package prices_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// What was looked up is suggested to others for as long as it is remembered, with its price
// while that is known.
func TestLookedUpProductsAreSuggested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		for number, name := range map[string]string{"8": "MSI GeForce RTX 5060", "9": "Corsair RM750e", "10": "Corsair RM850e"} {
			shop.means[number+" wanted"], shop.rows[number], shop.pages[number] = number, name, name
		}
		p := newProcess(shop)
		get := func(text string, category catalog.Category, class lookup.Class) {
			if _, _, err := p.Get(t.Context(), lookup.Caller{Class: class}, catalog.Query{Text: text, Category: category}); err != nil {
				t.Fatal(err)
			}
		}
		get("8 wanted", "gpu", lookup.Awaited)
		get("rtx 4070 super", "gpu", lookup.Awaited)
		get("geforce rtx 4070 super", "", lookup.Awaited) // the words name the category
		get("9 wanted", "psu", lookup.Idle)               // warming is no demand
		get("nothing of this name", "case", lookup.Awaited)
		shop.soldOut = true
		get("10 wanted", "ram", lookup.Awaited) // no shop sells it
		shop.soldOut = false
		const super, other = "MSI GeForce RTX 4070 SUPER 12GB", "MSI GeForce RTX 5060"
		expect := func(when string, category catalog.Category, text string, n int, want ...prices.Suggestion) {
			t.Helper()
			if got := p.Suggest(category, text, n); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", when, got, want)
			}
		}
		expect("the most wanted first", "gpu", "", 5, prices.Suggestion{super, 99}, prices.Suggestion{other, 99})
		expect("one of them", "gpu", "", 1, prices.Suggestion{super, 99})
		expect("by their words", "gpu", "MSI 5060 Ventus", 5, prices.Suggestion{other, 99}, prices.Suggestion{super, 99})
		expect("no common word", "gpu", "Radeon", 5)
		for _, category := range []catalog.Category{"psu", "case", "ram"} {
			expect("nothing", category, "", 5)
		}
		time.Sleep(2 * day)
		expect("without old prices", "gpu", "5060", 5, prices.Suggestion{ProductName: other})
		time.Sleep(30 * day)
		expect("when they are forgotten", "gpu", "", 5)
	})
}

// Suggestions are ordered by their words, then by how often they were asked for, then by name.
func TestSuggestionsAreOrdered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		var byWords, byDemand []string
		for _, words := range []string{"Black Case", "Black", "Case"} {
			for times := 3; times > 0; times-- {
				for _, letter := range "ABC" {
					name := fmt.Sprintf("%s %c%d", words, letter, times)
					shop.means[strings.ToLower(name)], shop.rows[name], shop.pages[name] = name, name, name
					for range times {
						if _, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: name, Category: "case"}); err != nil {
							t.Fatal(err)
						}
					}
					byDemand = append(byDemand, fmt.Sprint(9-times, name))
					byWords = append(byWords, fmt.Sprint(9-len(strings.Fields(words)), 9-times, name))
				}
			}
		}
		for text, want := range map[string][]string{"": byDemand, "case BLACK": byWords} {
			slices.Sort(want)
			suggestions := p.Suggest("case", text, len(want))
			if len(suggestions) != len(want) {
				t.Fatalf("%q: %d suggestions", text, len(suggestions))
			}
			for i, s := range suggestions {
				if strings.TrimLeft(want[i], "0123456789 ") != s.ProductName {
					t.Errorf("%q: suggestion %d is %q, want %q", text, i, s.ProductName, want[i])
				}
			}
		}
	})
}

// asked is what replicas share, without bounds.
type asked struct {
	mu  sync.Mutex
	all map[catalog.Category][]prices.Asked
	err error

	meanwhile func() // is called once while products are merged
}

// Merge implements prices.SharedProducts.
func (s *asked) Merge(_ context.Context, category catalog.Category, added []prices.Asked, _ time.Time) ([]prices.Asked, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if meanwhile := s.meanwhile; category == "gpu" && meanwhile != nil {
		s.meanwhile = nil
		meanwhile()
	}
	if s.err == nil {
		s.all[category] = append(s.all[category], added...)
	}
	return s.all[category], s.err
}

func (s *asked) set(err error, meanwhile func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err, s.meanwhile = err, meanwhile
}

// Replicas suggest what any of them was asked for, also after a restart and an outage of what they
// share.
func TestReplicasShareSuggestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := &asked{all: map[catalog.Category][]prices.Asked{}}
		ctx, stop := context.WithCancel(t.Context())
		replica := func() *process {
			shop := cards()
			shop.means["8 wanted"], shop.rows["8"], shop.pages["8"] = "8", "MSI GeForce RTX 5060", "MSI GeForce RTX 5060"
			p := newProcess(shop)
			go p.ShareRemembered(ctx, shared)
			synctest.Wait()
			return p
		}
		ask := func(p *process, texts ...string) {
			for _, text := range texts {
				if _, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: text, Category: "gpu"}); err != nil {
					t.Error(err)
				}
			}
		}
		const super, other = "MSI GeForce RTX 4070 SUPER 12GB", "MSI GeForce RTX 5060"
		expect := func(when string, p *process, want ...string) {
			t.Helper()
			var got []string
			for _, s := range p.Suggest("gpu", "", 5) {
				got = append(got, s.ProductName)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", when, got, want)
			}
		}
		first, second := replica(), replica()
		shared.set(errAway, nil)
		ask(first, "rtx 4070 super", "rtx 4070 super")
		time.Sleep(90 * time.Second)
		expect("its own", first, super)
		expect("while nothing is shared", second)
		shared.set(nil, nil)
		time.Sleep(2 * time.Minute) // which replica comes first is not certain
		expect("the other's", second, super)
		ask(second, "8 wanted", "8 wanted", "8 wanted")
		time.Sleep(2 * time.Minute)
		expect("each is counted once", first, other, super)
		expect("after a restart", replica(), other, super)
		shared.set(nil, func() { ask(first, "rtx 4070 super", "rtx 4070 super") })
		time.Sleep(time.Minute)
		expect("asked for while it was shared", first, super, other)
		time.Sleep(2 * time.Minute)
		expect("and with the next exchange by the other", second, super, other)
		stop()
		synctest.Wait()
	})
}

func TestSuggestionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		for n := range 300 {
			text, number := fmt.Sprintf("case %d", n), fmt.Sprint(n)
			shop.means[text], shop.rows[number], shop.pages[number] = number, text, text
			if _, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: text, Category: "case"}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if got := p.Suggest("case", "", 1000); len(got) != 200 || len(p.Suggest("case", "99", 5)) != 2 { // 199, 299
			t.Errorf("%d products are remembered", len(got))
		}
	})
}
