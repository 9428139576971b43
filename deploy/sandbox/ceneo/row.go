package ceneo

import (
	"fmt"
	"strconv"

	"backend.example/deploy/sandbox/fake"
)

// row is one product, single-shop product or advert of a list.
type row struct {
	Product      product
	ID           int // of the product; an advert has a number without a page
	Price        price
	Class        string
	Position     int
	PriceInAttr  bool   // also in an attribute, not in the text alone
	OldPrice     string // before a reduction; mostly empty
	Link         string // product page, or the way to a shop
	LinkClass    string
	ProductLink  string // besides Link, if that leads to a shop
	ShopCount    string // "w 18 sklepach"; empty for a single shop
	ShopURL      string // of a single shop; "red" if the row leads to one of several by way of the site
	Label        string // in the name
	BoldName     bool
	ShowCategory bool // the list is of more than one category
	FreeDelivery bool
	Advert       bool
	SEORating    string
}

// ShortName returns data-productName, which the site cuts after 50 characters.
func (r row) ShortName() string {
	letters := []rune(r.Product.Name)
	return string(letters[:min(len(letters), 50)])
}

// clickPath returns the link to an offer, the same one for the same words. On the real site a request costs the
// shop money.
func clickPath(words ...string) string {
	random := fake.Rand(append([]string{"click"}, words...)...)
	return fmt.Sprintf("/Click/Offer/?e=%016x-%016x_%016x&a=2", random.Uint64(), random.Uint64(), random.Uint64())
}

func newRow(p product, position int) row {
	random := fake.Rand("row", p.Name)
	classes := []string{ // the same names in another order, with spare spaces and line breaks
		"cat-prod-row js_category-list-item js_clickHashData js_man-track-event",
		"js_category-list-item  cat-prod-row   js_redirectorLinkData ",
		"\n            cat-prod-row\n            js_category-list-item\n            js_clickHashData\n        ",
	}
	r := row{
		Product: p, ID: p.ID, Price: p.Price, Class: classes[random.IntN(3)], Position: position,
		PriceInAttr: random.IntN(5) > 0,
		Link:        p.Path(), LinkClass: "go-to-product js_seoUrl js_clickHash",
		ShopCount: fmt.Sprintf("w %d sklepach", p.Shops),
		Label:     map[int]string{0: "Polecany", 1: "Nowość"}[random.IntN(9)], BoldName: random.IntN(2) == 0,
		SEORating: strconv.Itoa(random.IntN(2)+3) + ".75/1", FreeDelivery: random.IntN(4) > 0,
	}
	if random.IntN(8) == 0 {
		r.OldPrice = (p.Price * 5 / 4).Text()
	}
	const toShop = "go-to-shop js_seoUrl js_clickHash"
	switch {
	case p.OfferOnly:
		r.Link = clickPath(p.Name, "single")
		r.LinkClass = toShop
		r.ProductLink = p.Path()
		r.ShopURL = seller
		r.ShopCount = ""
	case p.Shops == 2:
		r.Link = "https://redirect.example/offers" + p.Path() + "/40251?e=1"
		r.LinkClass = toShop
		r.ProductLink = p.Path()
		r.ShopURL = "red"
	case p.Shops == 1:
		r.ShopCount = "w 1 sklepie"
	}
	return r
}

const seller = "procesornia.example"

// advertRow returns a paid place, which looks like a cheaper row and leads straight to a shop.
func advertRow(p product, position int) row {
	r := newRow(p, position)
	r.ID = 10_000_000 + fake.Rand("advert", p.Name).IntN(10_000_000)
	r.Price = p.Price * 83 / 100
	r.Class = "cat-prod-row js_category-list-item promoted-offer js_analytics-promotedItem"
	r.Advert = true
	r.PriceInAttr = true
	r.Label = ""
	r.ShopCount = ""
	r.ProductLink = ""
	r.Link = clickPath(p.Name, "advert")
	r.LinkClass = "go-to-shop"
	r.ShopURL = seller
	return r
}
