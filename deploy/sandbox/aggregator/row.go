package aggregator

import (
	"encoding/base64"
	"fmt"
	"strconv"

	"backend.example/deploy/sandbox/aggregator/products"
	"backend.example/deploy/sandbox/internal/fixtures"
)

// maxProductName is where the site cuts data-productName, in characters.
const maxProductName = 50

// rowView is one product, single-shop product or advert of a list.
type rowView struct {
	Product      products.Product
	Class        string
	Position     int
	ShortName    string // cut
	MinPrice     string // data-productMinPrice; empty: read the mark-up
	Zlotys       string
	Grosze       string
	OldPrice     string // before a reduction; mostly empty
	Link         string // product page, or the way to a shop
	LinkClass    string
	ProductLink  string // besides Link, where that leads to a shop
	ShopCount    string // "w 18 sklepach"; empty for a single shop
	ShopURL      string // of a single shop, or the mark of a row that leads to one of several
	Label        string // before the name
	BoldName     bool
	ShowCategory bool // the list is of more than one category
	FreeDelivery bool
	Advert       bool
	SEORating    string
}

// The labels that stand inside the link with the name, and how often rows have them.
const (
	recommended = "Polecany"
	novelty     = "Nowość"
)

func label(n int) string { return map[int]string{0: recommended, 1: novelty}[n] }

// clickTokenSize is the length in bytes of what an offer link hides.
const clickTokenSize = 54

// clickPath is the counted link to a shop's offer, the same one for the same words. On
// the real site a request to it costs the shop money.
func clickPath(words ...string) string {
	random := fixtures.Rand(append([]string{"click"}, words...)...)
	token := make([]byte, clickTokenSize)
	for i := range token {
		token[i] = byte(random.UintN(256))
	}
	return "/Click/Offer/?e=" + base64.RawURLEncoding.EncodeToString(token) + "&a=2"
}

// rowClasses are the class attributes found on rows: the same names in
// another order, with spare spaces and line breaks.
func rowClasses() []string {
	return []string{
		"cat-prod-row js_category-list-item js_clickHashData js_man-track-event",
		"js_category-list-item  cat-prod-row   js_redirectorLinkData ",
		"\n            cat-prod-row\n            js_category-list-item\n            js_clickHashData\n        ",
	}
}

// zlotys writes the whole part of a price as the mark-up does: with a plain, a
// no-break or a thin space between thousands, the same one for the same key.
func zlotys(price products.Price, key string) string {
	return price.Zlotys(fixtures.Pick([]string{" ", "\u00a0", "\u2009"}, "separator", key))
}

func productRow(product products.Product, position int) rowView {
	random := fixtures.Rand("row", product.Name)
	row := rowView{
		Product: product, Position: position, ShortName: cutName(product.Name),
		Class:  fixtures.Pick(rowClasses(), "row class", product.Name),
		Zlotys: zlotys(product.Price, product.Name), Grosze: product.Price.Grosze(),
		Link: productPath(product), LinkClass: "go-to-product js_seoUrl js_clickHash",
		ShopCount: shopCount(product.Shops), Label: label(random.IntN(9)), BoldName: random.IntN(2) == 0,
		SEORating: strconv.Itoa(random.IntN(2)+3) + ".75/1", FreeDelivery: random.IntN(4) > 0,
	}
	if random.IntN(5) > 0 {
		row.MinPrice = product.Price.Short()
	}
	if random.IntN(8) == 0 {
		row.OldPrice = (product.Price * 5 / 4).Text()
	}
	row.leadToShop()
	return row
}

// leadToShop gives the row of a product that one or two shops sell a link to a shop. That
// of two leads there by way of the site itself, which it marks as "red".
func (r *rowView) leadToShop() {
	switch p := r.Product; {
	case p.OfferOnly:
		r.Link, r.ShopURL, r.ShopCount = clickPath(p.Name, "single"), p.Seller().Domain, ""
	case p.Shops == 2:
		r.Link, r.ShopURL = "https://redirect.example/offers"+productPath(p)+"/40251?e=1", "red"
	default:
		return
	}
	r.LinkClass, r.ProductLink = "go-to-shop js_seoUrl js_clickHash", productPath(r.Product)
}

// advertIDs keeps the numbers of adverts apart from those of products: they
// have no page.
const advertIDs = 10_000_000

// advertRow is a paid place: it looks like a row of the product, is cheaper
// and leads straight to a shop.
func advertRow(product products.Product, position int) rowView {
	row := productRow(product, position)
	price := product.Price * 83 / 100
	row.Product.ID = advertIDs + fixtures.IntN(advertIDs, "advert", product.Name)
	row.Class = "cat-prod-row js_category-list-item promoted-offer js_analytics-promotedItem"
	row.Advert, row.Label, row.ShopCount, row.ProductLink = true, "", "", ""
	row.MinPrice, row.Zlotys, row.Grosze = price.Short(), zlotys(price, product.Name), price.Grosze()
	row.Link, row.LinkClass = clickPath(product.Name, "advert"), "go-to-shop"
	row.ShopURL = product.Seller().Domain
	return row
}

func shopCount(shops int) string {
	if shops == 1 {
		return "w 1 sklepie"
	}
	return fmt.Sprintf("w %d sklepach", shops)
}

func cutName(name string) string {
	if letters := []rune(name); len(letters) > maxProductName {
		return string(letters[:maxProductName])
	}
	return name
}
