package prices_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
)

// Asked as a whole every day, each spelling would take two requests a day: six.
func TestThreeSpellingsOfOneProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		ask := func(spellings ...string) {
			for _, text := range spellings {
				if got := named(t, p, text); got != shop.pages["7"] {
					t.Errorf("%s is %q", text, got)
				}
			}
		}
		ask("RTX 4070 Super", "rtx  4070 super")
		shop.expect(t, "the first spelling", "rtx 4070 super", "7")
		ask("GeForce RTX 4070 SUPER", "MSI 4070 Super")
		shop.expect(t, "two more while the offers are fresh", "geforce rtx 4070 super", "msi 4070 super")
		ask("rtx 4070 super", "geforce rtx 4070 super", "msi 4070 super")
		shop.expect(t, "all of them once more")
		for range 3 {
			time.Sleep(day)
			ask("rtx 4070 super", "geforce rtx 4070 super", "msi 4070 super")
			shop.expect(t, "all of them on another day", "7")
		}
		time.Sleep(27 * day)
		ask("rtx 4070 super")
		shop.expect(t, "when the product was forgotten", "rtx 4070 super", "7")
	})
}

// By its name the place in the queue of a look-up is asked for.
func TestStepsHaveNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, q := newProcess(cards()), catalog.Query{Text: "RTX 4070 Super"}
		if got := p.Step(q); got != p.Key(q) {
			t.Errorf("the search is %q", got)
		}
		named(t, p, q.Text)
		if got := p.Step(q); got != "offers:prices.example:7" {
			t.Errorf("the page is %q", got)
		}
	})
}

func TestAnAnswerComesFromItsFarthestStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		for _, step := range []struct {
			after time.Duration
			text  string
			via   lookup.Via
			begun []bool // of each request: whether one before it was the same look-up's
		}{
			{0, "rtx 4070 super", lookup.ViaSource, []bool{false, true}},
			{0, "msi 4070 super", lookup.ViaSource, []bool{false}}, // the offers are kept
			{0, "msi 4070 super", lookup.ViaLocal, nil},
			{day, "msi 4070 super", lookup.ViaSource, []bool{false}}, // the product is known
		} {
			time.Sleep(step.after)
			var begun []bool
			shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
				begun, r.Begun = append(begun, r.Begun), true
				return nil
			})
			if _, via, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: step.text}); err != nil || via != step.via || !slices.Equal(begun, step.begun) {
				t.Errorf("%s: via %q, begun %v, %v", step.text, via, begun, err)
			}
		}
		p.lookups.expect(t, "metrics of look-ups, which end with the page", "found", "found")
		time.Sleep(day)
		shop.pages["7"], shop.means["rtx 4070 super"] = "MSI GeForce RTX 4070 Ti", "8"
		shop.rows["8"], shop.pages["8"] = "RTX 4070 SUPER", "RTX 4070 SUPER"
		var begun []bool
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			begun, r.Begun = append(begun, r.Begun), true
			return nil
		})
		named(t, p, "rtx 4070 super")
		if want := []bool{false, true, true}; !slices.Equal(begun, want) {
			t.Errorf("searched again: begun %v, want %v", begun, want)
		}
		if a, ok := p.Kept(catalog.Query{Text: "msi 4070 super"}); ok {
			t.Errorf("kept %+v for the product that was there before", a.Value)
		}
	})
}

// Whose page is being read for another spelling: the search was a look-up of its own.
func TestAnAnswerOfTwoLookupsComesFromTheSlowerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.setTurn(takes(2 * time.Second))
		p := newProcess(shop)
		go func() { _, _, _ = p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "rtx 4070 super"}) }()
		time.Sleep(time.Second)
		expectVia(t, p.ask(t, "msi 4070 super", ""), "source")
		shop.expect(t, "together", "rtx 4070 super", "msi 4070 super", "7")
		synctest.Wait()
	})
}

// A product that the search names is meant, whatever its page calls it, also for who has joined
// the search.
func TestWhoJoinsASearchTrustsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.pages["7"] = "Karta graficzna"
		p := newProcess(shop)
		named(t, p, "rtx 4070 super") // its page is known
		shop.setTurn(takes(time.Second))
		go func() { expectVia(t, p.ask(t, "msi 4070 super", ""), "source") }()
		synctest.Wait()
		expectVia(t, p.ask(t, "msi 4070 super", ""), "collapsed")
		synctest.Wait()
		shop.expect(t, "together", "rtx 4070 super", "7", "msi 4070 super")
	})
}

// The server cuts off an answer that takes five seconds more than a look-up may.
func TestBothStepsShareOneDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.setTurn(takes(50 * time.Second))
		p, begun := newProcess(shop), time.Now()
		_, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "rtx 4070 super"})
		if took := time.Since(begun); codeOf(err) != lookup.CodeSlow || took != lookup.DefaultTiming().Limit {
			t.Errorf("%v after %v", err, took)
		}
		time.Sleep(time.Minute)
		expectVia(t, p.ask(t, "rtx 4070 super", ""), "local") // the page was read for the cache
	})
}

// What the first step waited counts in the second one.
func TestBothStepsShareTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop, came := cards(), time.Now()
		var waited []time.Duration
		shop.setTurn(func(ctx context.Context, r *lookup.Request) error {
			waited = append(waited, r.AskedAt.Sub(came))
			return takes(time.Second)(ctx, r)
		})
		time.Sleep(time.Minute)
		named(t, newProcess(shop), "rtx 4070 super")
		if want := []time.Duration{time.Minute, time.Minute}; !slices.Equal(waited, want) {
			t.Errorf("waiting since %v, want %v", waited, want)
		}
	})
}

func TestASearchOfAMomentAgoIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		named(t, p, "rtx 4070 super")
		time.Sleep(day - 30*time.Second)
		named(t, p, "msi 4070 super") // its offers are nearly a day old
		time.Sleep(30 * time.Second)
		shop.drain()
		shop.pages["7"] = "MSI GeForce RTX 4070 Ti"
		named(t, p, "msi 4070 super")
		shop.expect(t, "half a minute after the search", "7")
	})
}

// What a page is about may change, and the aggregator may write a product's name in two
// ways.
func TestAPageThatNoLongerMatchesIsSearchedForAgain(t *testing.T) {
	const super, ti = "MSI GeForce RTX 4070 SUPER 12GB", "MSI GeForce RTX 4070 Ti 12GB"
	tests := []struct {
		name    string
		change  func(*market)
		found   string
		first   []string // requests of the day after
		another []string // requests of the day after that one
	}{
		{"renamed, and still meant", func(m *market) { m.pages["7"] = "Karta " + super }, "Karta " + super, []string{"7"}, []string{"7"}},
		{"another product, and the search leads to a new one", func(m *market) {
			m.pages["7"], m.pages["8"], m.rows["8"], m.means["rtx 4070 super"] = ti, super, super, "8"
		}, super, []string{"7", "rtx 4070 super", "8"}, []string{"8"}},
		{"another product, and the search still leads to it", func(m *market) { m.pages["7"] = ti }, ti, []string{"7", "rtx 4070 super"}, []string{"7"}},
		{"another product, and the search finds none", func(m *market) {
			m.pages["7"] = ti
			delete(m.means, "rtx 4070 super")
		}, "nothing", []string{"7", "rtx 4070 super"}, []string{"7", "rtx 4070 super"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				shop := cards()
				p := newProcess(shop)
				named(t, p, "rtx 4070 super")
				shop.drain()
				time.Sleep(day)
				tt.change(shop)
				for _, want := range [][]string{tt.first, tt.another} {
					if got := named(t, p, "rtx 4070 super"); got != tt.found {
						t.Errorf("found %q, want %q", got, tt.found)
					}
					shop.expect(t, "a day later", want...)
					time.Sleep(day)
				}
			})
		})
	}
}

func TestASearchThatFailsAfterThePageIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		p := newProcess(shop)
		named(t, p, "rtx 4070 super")
		time.Sleep(day)
		shop.pages["7"] = "MSI GeForce RTX 4070 Ti 12GB"
		turns := 0
		shop.setTurn(func(context.Context, *lookup.Request) error {
			if turns++; turns == 2 {
				return lookup.Unreachable(errAway)
			}
			return nil
		})
		expectVia(t, p.ask(t, "rtx 4070 super", ""), "source_unavailable")
	})
}

// The spelling that asks second would get what the first one's page has become.
func TestAnotherSpellingChecksThePageToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.means["4070"] = "7" // fits the card with and without "Ti"
		p := newProcess(shop)
		named(t, p, "rtx 4070 super")
		named(t, p, "msi 4070 super")
		time.Sleep(day)
		shop.pages["8"], shop.rows["8"] = shop.pages["7"], shop.rows["7"]
		shop.pages["7"] = "MSI GeForce RTX 4070 Ti 12GB"
		shop.means["rtx 4070 super"], shop.means["msi 4070 super"] = "8", "8"
		for _, text := range []string{"rtx 4070 super", "msi 4070 super"} {
			if got := named(t, p, text); got != shop.pages["8"] {
				t.Errorf("%s is %q", text, got)
			}
		}
	})
}

func TestAProductThatTheSiteNamesIsJudgedByItsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.nameless = true
		p := newProcess(shop)
		if got := named(t, p, "rtx 4070 super"); got != shop.pages["7"] {
			t.Errorf("found %q", got)
		}
		shop.expect(t, "the first time", "rtx 4070 super", "7")
		time.Sleep(day)
		named(t, p, "rtx 4070 super")
		shop.expect(t, "a day later", "7")
		shop.means["rtx 4070 ti"] = "7"
		a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "rtx 4070 ti"})
		if err != nil || a.Value.Note == "" || a.Value.ProductURL != nothing.ProductURL || a.Shareable {
			t.Errorf("%+v, %v; want that nothing matched", a, err)
		}
	})
}

// A product that older rules chose is searched for again as soon as the rules change.
func TestTheKeyOfAQueryHasTheVersionOfTheRules(t *testing.T) {
	p := newProcess(cards())
	if key := p.Key(catalog.Query{Text: "RTX 4070", Category: "gpu"}); key != "price:prices.example:"+match.Version+":gpu:rtx 4070" {
		t.Error(key)
	}
}

func TestANoteSaysThatAQueryMeansSeveralProducts(t *testing.T) {
	for ambiguous, want := range map[bool]string{true: "HDD i SSD", false: "Nie znaleziono"} {
		shop := &shop{finding: prices.Finding{ProductURL: nothing.ProductURL, Ambiguous: ambiguous}}
		a, _, err := newProcess(shop).Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "WD Blue 1TB"})
		if err != nil || !strings.Contains(a.Value.Note, want) || a.Shareable {
			t.Errorf("%t: %+v, %v", ambiguous, a, err)
		}
	}
}

// Names do not hold their bar codes, so no name could show that the site is right.
func TestTheSiteKnowsBarCodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := cards()
		shop.nameless = true
		shop.means["4006381333931"], shop.means["4006381333932"] = "7", "7"
		p := newProcess(shop)
		for range 2 {
			if got := named(t, p, "4006381333931"); got != shop.pages["7"] {
				t.Errorf("found %q", got)
			}
		}
		shop.expect(t, "asked twice", "4006381333931", "7")
		if a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "4006381333932"}); err != nil || a.Value.Note == "" {
			t.Errorf("a wrong check digit: %+v, %v", a, err)
		}
	})
}

// Alternatives are rows of the search, whose prices grow old as the offers do.
func TestAlternativesLastADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(cards())
		for _, want := range []int{1, 0} {
			a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "rtx 4070 super"})
			if err != nil || len(a.Value.Alternatives) != want || a.Value.OfferCount != 3 { // the page counts none
				t.Errorf("%d alternatives, want %d; %d offers; %v", len(a.Value.Alternatives), want, a.Value.OfferCount, err)
			}
			time.Sleep(day)
		}
	})
}

func TestAMatchCountsItsBytes(t *testing.T) {
	bare := prices.Match{}.Size()
	if m := (prices.Match{Number: "1234", Key: "123456"}); m.Size() != bare+10 || bare <= (prices.Price{}).Size() {
		t.Errorf("%d bytes, bare %d", m.Size(), bare)
	}
}
