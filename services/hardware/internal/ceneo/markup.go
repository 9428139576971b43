package ceneo

import "regexp"

// This file is what depends on how the site's pages are built, as of autumn 2026: selectors, attributes and texts,
// both in lower case unless noted.

// Addresses. The site packs parameters into the path behind semicolons.
const (
	searchPath   = ";szukaj-"    // before the text of a search
	productTail  = ";0280-0.htm" // offers ascending by price
	clickCounter = "/click/"     // folder of the paid click counters
	department   = "Komputery"   // section of everything around computers
)

// Search results. Rows are a list in most sections and boxes in some.
const (
	rowItem         = ".cat-prod-row, .cat-prod-box, .js_category-list-item"
	rowAdvert       = ".promoted-offer, .js_analytics-promotedItem"
	rowName         = ".cat-prod-row__name a, .cat-prod-box__name a"
	rowLabel        = "[class*='-label'], .badge" // parts of rowName that are no name
	rowCategory     = ".cat-prod-row__category a, .cat-prod-box__category a"
	rowWishes       = ".js_wishlist-toggle" // button that carries the category too
	rowProductLinks = "a.go-to-product, a.js_seoUrl"
	rowShopLinks    = "a.go-to-shop, a[href*='/Click/'], a[href*='/click/']" // of a row that leads to a shop
	rowPrice        = ".cat-prod-row__price, .cat-prod-box__price"
	rowShops        = ".shop-numb" // "w 18 sklepach"
	rowShopLogos    = ".cat-prod-row__shop img[alt], .cat-prod-box__shop img[alt]"
	resultList      = ".category-list-body, .js_category-list-body, .js_search-results, .js_products-list-main, " +
		"#page-counter"
	anyProduct = "[data-pid], [data-productid], .price .value" // on no page without results

	attrMinPrice = "data-productminprice" // "664.99"
	attrName     = "data-productname"     // cut at 50 characters
	attrCategory = "data-label"           // of rowWishes
)

var (
	rowIDs       = []string{"data-pid", "data-productid"}
	advertStarts = []string{"oferta specjalna", "reklama", "sponsorowan"}
	noResults    = []string{"nie znaleźliśmy", "nie znaleziono", "brak wyników", "brak produktów"}
)

// A product page. An offer's attributes are on its list item or inside.
const (
	productName    = "h1.product-top__product-info__name, .product-top__title h1, h1.product-name"
	productSummary = `script[type="application/ld+json"]`
	productTabs    = ".page-tab__title"
	offersTab      = "Oferty" // start of "Oferty (26)", in this letter case
	offerLists     = ".product-offers__list"
	offerItem      = ".product-offers__list > .product-offers__list__item, .product-offers__list " +
		".js_productOfferGroupItem"
	offerForeign   = ".product-offers__list__ado-item, [class*='similar-offers']" // adverts, similar products
	offerPrice     = ".product-offer__product__price"
	offerLogos     = ".product-offer__logo img[alt], .product-offer__store img[alt]"
	offerBadges    = ".product-offer__badges, .product-offer__rating" // their images are no logos
	offerShopName  = "a.js_product-offer-link"
	shopNameStart  = "Dane i opinie o " // in this letter case
	offerTitle     = ".short-name__txt"
	offerTitleLink = ".product-offer__product__offer-details__name a[title]" // has the title as an attribute
	offerDelivery  = ".product-delivery-info"
	deliveryStart  = "z wysyłką od "
	offerStock     = ".product-availability, .instock, .onrequest, .shipmentday-container"
	offerRatings   = ".screen-reader-text" // one of them is "Ocena 4,83 / 5"
	ratingStart    = "Ocena "
	ratingEnd      = " / 5"
	offerBoxes     = ".product-offer, .product-offer__container" // of the whole offer
	offerDetails   = ".product-offer__details"                   // folded away below an offer

	attrPrice = "data-price"   // "2892.28"
	attrShop  = "data-shopurl" // the shop's domain; in rows too
)

var (
	offerIDs      = []string{"data-offer", "data-offerid"}
	inStockStarts = []string{"dostępny", "w magazynie", "wysyłka w", "wysyłka do"}
	onOrderStarts = []string{"na zamówienie", "przedsprzedaż"}
	// parts of class names
	outOfStockClasses = []string{"outofstock", "out-of-stock", "unavailable"}
	// the best first
	offerLinks = []struct{ selector, attr string }{
		{"[data-click-url]", "data-click-url"},
		{"a.go-to-shop[href]", "href"},
		{"[data-basket-click-url]", "data-basket-click-url"},
	}
)

// soldOut begins a text about an offer that is sold out. "Niedostępny w salonie" and "odbiór osobisty niedostępny"
// do not say so.
const soldOut = `(?:(?:jest|chwilowo|obecnie|aktualnie|tymczasowo|czasowo) )*` +
	`(?:niedostępn[yae]|brak (?:w magazynie|towaru|na stanie))(?: w magazynie)? ?(?:$|[.,;:!()–-])`

var (
	// as the stock of an offer
	soldOutOffer        = regexp.MustCompile(`^(?:(?:produkt|towar|artykuł|oferta) )?` + soldOut)
	soldOutWithASubject = regexp.MustCompile(`^(?:produkt|towar|artykuł|oferta) ` + soldOut) // anywhere in an offer
)

// Rows and offers.
const (
	priceValue = ".value" // "2 892" of a shown price
	pricePenny = ".penny" // ",28", next to it
	// former prices, with a coupon, by instalments
	priceOther   = "del, s, [class*='--old'], [class*='old-price'], [class*='coupon'], [class*='installment']"
	freeDelivery = ".free-delivery-label"
)

// freeDeliveryTexts are those of free delivery of any order.
var freeDeliveryTexts = []string{"Darmowa wysyłka", "Darmowa dostawa"}

// challenges are markers of the page that demands proof of a human visitor.
var challenges = []string{"js_f-container", "fdetection", "Przejdź do Ceneo", "/Captcha/Add"}
