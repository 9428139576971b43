package ceneo

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"backend.example/deploy/sandbox/fake"
)

// category is a part of the range. The zero value is the whole range.
type category struct {
	ID       int
	Slug     string // as in /{Slug};szukaj-…
	Name     string // Polish
	Parent   string // Polish; empty for a group of categories
	Keywords string // words that find every product of it
	Boxes    bool   // listed as boxes instead of rows
}

type product struct {
	ID         int // 8 or 9 digits
	Name       string
	Short      string // brand and model
	Brand      string
	Category   category
	Price      price // of the cheapest offer in stock
	Shops      int   // number of offers in stock
	OfferOnly  bool  // sold by one shop, to which its row leads
	Popularity int   // 0 to 999, orders search results
	Rating     string
	Opinions   int
	words      []string
	glued      string   // all words without spaces, to find "rtx4070"
	keys       []string // queries that name exactly this product: name, short name and the maker's code
}

// newProduct reads a line of products.csv. "rare" puts a product behind ordinary ones, "single" gives it to one
// shop.
func newProduct(line []string, in category) product {
	brand := line[1]
	model := line[2]
	detail := line[3]
	code := line[4]
	note := line[6]
	zlotys, err := strconv.Atoi(line[5])
	if err != nil {
		panic(err) // the file is part of the binary
	}
	short := brand + " " + model
	name := strings.TrimSpace(short + " " + detail)
	if code != "" {
		name += " (" + code + ")"
	}
	random := fake.Rand("product", name)
	p := product{
		ID: 50_000_000 + random.IntN(150_000_000), Name: name, Short: short, Brand: brand, Category: in,
		OfferOnly: note == "single", Price: shopPrice(zlotys, random.IntN(6)),
		Shops: 4 + random.IntN(37), Popularity: 100 + random.IntN(900),
		Rating: "4," + strconv.Itoa(2+random.IntN(8)), Opinions: 1 + random.IntN(140),
		words: words(name + " " + in.Keywords),
	}
	p.glued = strings.Join(p.words, "")
	for _, text := range []string{name, short, code} {
		p.keys = append(p.keys, strings.Join(words(text), " "))
	}
	switch note {
	case "rare":
		p.Popularity, p.Shops = random.IntN(100), 1+random.IntN(3)
	case "single":
		p.Shops = 1
	}
	return p
}

func (p product) in(slug string) bool {
	switch slug {
	case "", departmentSlug, p.Category.Slug:
		return true
	case componentsSlug:
		return p.Category.Parent == "Podzespoły komputerowe"
	}
	return false
}

// Path returns the address of the product's page.
func (p product) Path() string { return "/" + strconv.Itoa(p.ID) }

// Variants returns the size of the product's group of variants, 0 for most products.
func (p product) Variants() int {
	if n := fake.Rand("variants", p.Name).IntN(12); n > 1 && n < 5 {
		return n
	}
	return 0
}

// Heading returns the name on the product's page, which is that of its group of variants.
func (p product) Heading() string {
	if p.Variants() != 0 {
		return p.Short
	}
	return p.Name
}

// Entities returns the name with HTML entities, as JSON-LD holds it.
func (p product) Entities() string { return html.EscapeString(p.Name) }

// price is an amount in grosze, a hundredth of a zloty.
type price int64

// shopPrice returns a price with an ending that shops like.
func shopPrice(zlotys, choice int) price {
	ending := []price{0, 99, 90, 0, 99, 49}[choice]
	if ending != 0 && zlotys > 1 {
		zlotys--
	}
	return price(zlotys)*100 + ending
}

// Fixed returns the price with a dot and two decimals: 2649.00.
func (p price) Fixed() string { return fmt.Sprintf("%d.%02d", p/100, p%100) }

// MarshalJSON returns a number with two decimals, as shops write it in JSON-LD.
func (p price) MarshalJSON() ([]byte, error) { return []byte(p.Fixed()), nil }

// Short returns the price without zero grosze: 449, 664.99.
func (p price) Short() string { return strings.TrimSuffix(p.Fixed(), ".00") }

// Zlotys returns the whole part with a plain, no-break or thin space between thousands.
func (p price) Zlotys() string {
	digits := strconv.FormatInt(int64(p/100), 10)
	if len(digits) <= 3 {
		return digits
	}
	separator := []string{" ", "\u00a0", "\u2009"}[p/100%3]
	return digits[:len(digits)-3] + separator + digits[len(digits)-3:]
}

// Grosze returns the fraction as two digits: 05.
func (p price) Grosze() string { return fmt.Sprintf("%02d", p%100) }

// Text returns the price as people write it: 2 649,05.
func (p price) Text() string { return p.Zlotys() + "," + p.Grosze() }
