package ceneo

import (
	"cmp"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/prices"
)

func (m productMarkup) offerID(item *goquery.Selection) string {
	for _, attr := range m.offerAttrs {
		if id := attrWithin(item, attr); id != "" {
			return "offer " + id
		}
	}
	return ""
}

// offerIn reads one offer; false when it names no shop or no price.
func (m productMarkup) offerIn(item *goquery.Selection, base *url.URL) (prices.Offer, bool) {
	price, ok := parseAttrPrice(attrWithin(item, m.priceAttr))
	if !ok {
		price, ok = readPrice(item.Find(m.price))
	}
	logo := m.logoText(item)
	offer := shopOffer(cmp.Or(attrWithin(item, m.shopAttr), logo), cmp.Or(m.shopName(item), logo), price)
	offer.PriceWithDelivery = m.priceWithDelivery(item, price)
	offer.Stock = m.stock(item)
	offer.ShopRating = m.shopRating(item)
	offer.URL = m.offerLink(item, base)
	return offer, ok && offer.Store != ""
}

// logoText is the text of the shop's logo: its address or its name. Badges that tell
// how good the shop is are no logos.
func (m productMarkup) logoText(item *goquery.Selection) string {
	text := ""
	item.Find(m.logos).EachWithBreak(func(_ int, logo *goquery.Selection) bool {
		if logo.Closest(m.badges).Length() == 0 {
			text = collapseSpace(logo.AttrOr("alt", ""))
		}
		return text == ""
	})
	return text
}

// shopName is the shop's name in the link to what is known about it.
func (m productMarkup) shopName(item *goquery.Selection) string {
	name, _ := strings.CutPrefix(collapseSpace(first(item, m.shopNames).Text()), m.shopNamesStart)
	return name
}

// priceWithDelivery is what a buyer pays with the cheapest delivery, zero where the page
// leaves it to the shop.
func (m productMarkup) priceWithDelivery(item *goquery.Selection, price float64) float64 {
	if saysFreeDelivery(item) {
		return price
	}
	text := strings.ToLower(collapseSpace(first(item, m.delivery).Text()))
	total, _ := strings.CutPrefix(text, m.deliveryStart)
	if sum, ok := parseShownPrice(total); ok && sum >= price {
		return sum
	}
	return 0
}

// saysFreeDelivery reports whether a row or an offer is sent for nothing, whatever is
// ordered.
func saysFreeDelivery(s *goquery.Selection) bool {
	return slices.Contains(freeDeliveryTexts, collapseSpace(first(s, freeDelivery).Text()))
}

// stock reads what the page says about when the shop can send the product.
func (m productMarkup) stock(item *goquery.Selection) prices.Stock {
	text := strings.ToLower(collapseSpace(first(item, m.availability).Text()))
	begins := func(start string) bool { return strings.HasPrefix(text, start) }
	switch {
	case slices.ContainsFunc(m.inStockStarts, begins):
		return prices.InStock
	case slices.ContainsFunc(m.onOrderStarts, begins):
		return prices.OnOrder
	}
	return prices.StockUnknown
}

// shopRating reads "Ocena 4,83 / 5", with two decimals. A shop that nobody has rated
// has none.
func (m productMarkup) shopRating(item *goquery.Selection) float64 {
	rating := 0.0
	item.Find(m.ratings).EachWithBreak(func(_ int, s *goquery.Selection) bool {
		text, isRating := strings.CutPrefix(collapseSpace(s.Text()), m.ratingStart)
		text, outOfFive := strings.CutSuffix(text, m.ratingEnd)
		v, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if isRating && outOfFive && err == nil && v > 0 && v <= prices.MaxShopRating {
			rating = math.Round(v*100) / 100
		}
		return rating == 0
	})
	return rating
}

// offerLink is the first link to the shop that is a web address.
func (m productMarkup) offerLink(item *goquery.Selection, base *url.URL) string {
	for _, link := range m.links {
		element := item.Filter(link.selector).AddSelection(item.Find(link.selector)).First()
		if address := absolute(base, element.AttrOr(link.attr, "")); address != "" {
			return address
		}
	}
	return ""
}

// isOutOfStock reports whether an offer is out of stock. What is folded away below it, such
// as other variants, does not count.
func (m productMarkup) isOutOfStock(item *goquery.Selection) bool {
	shown := item.Clone()
	shown.Find(m.details).Remove()
	marked := shown.Find("[class]").AddSelection(shown).IsFunction(func(_ int, s *goquery.Selection) bool {
		class := strings.ToLower(s.AttrOr("class", ""))
		return slices.ContainsFunc(m.outOfStockClasses, func(part string) bool { return strings.Contains(class, part) })
	})
	text := strings.ToLower(collapseSpace(shown.Text()))
	return marked || slices.ContainsFunc(m.outOfStockTexts, func(part string) bool { return strings.Contains(text, part) })
}
