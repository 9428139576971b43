package ceneo

// markup is everything that depends on how the aggregator's pages are built: when
// the site changes them, only this file changes. Attribute names are in lower case,
// as an HTML parser returns them.
type markup struct {
	address   addressMarkup
	search    searchMarkup
	product   productMarkup
	challenge challengeMarkup
}

// addressMarkup are the parts of the site's addresses. The site packs parameters
// into the path behind semicolons.
type addressMarkup struct {
	search      string // before the text of a search
	productTail string // behind the product number: offers ascending by price
	clicks      string // folder of the paid click counters, in lower case
	challenge   string // folder of the challenge page, in lower case
}

// searchMarkup describes a page of search results. Rows come as a list in most
// categories and as boxes in some.
type searchMarkup struct {
	row          string   // one result
	advert       string   // a row that is an advert
	advertTexts  []string // what an advert's text starts with, in lower case
	name         string   // the link that holds the name
	label        string   // parts of that link that are no name
	department   string   // link to the product's category
	wishes       string   // button that carries the category too
	productLinks string   // links to the product page
	shopLinks    string   // links straight to a shop: a row without product page
	price        string   // the lowest price, as value and penny
	shops        string   // "w 18 sklepach"
	shopLogos    string   // images whose alt text is the shop's name
	container    string   // on every page of results, even without any
	anyProduct   string   // on no page without results
	noResults    []string // texts of a page without results, in lower case

	idAttrs      []string // product number
	minPriceAttr string   // lowest price, "664.99"
	nameAttr     string   // name, cut at 50 characters
	shopAttr     string   // a single shop's address

	departmentAttr string // category on the button for a list of wishes
}

// productMarkup describes a product page. The attributes of an offer are on its list
// item or on an element inside it.
type productMarkup struct {
	name              string         // the heading, current and older
	summary           string         // JSON-LD blocks
	tabs              string         // page tabs, one of which reads "Oferty (26)"
	offersTab         string         // how that tab starts
	lists             string         // the standard list of offers and the bidding list
	offer             string         // item of an offer in them
	foreign           string         // item that is an advert, or list of similar products
	price             string         // shown price, as value and penny
	logos             string         // images whose alt text is the shop's name
	badges            string         // around images that tell how good the shop is
	shopNames         string         // link to what is known about the shop
	shopNamesStart    string         // what stands in that link before the shop's name
	delivery          string         // says what delivery costs
	deliveryStart     string         // its text before the price with delivery, in lower case
	availability      string         // says when the shop can send the product
	inStockStarts     []string       // how that begins for a product in stock, in lower case
	onOrderStarts     []string       // and for one that the shop does not have yet
	ratings           string         // elements of which one is the shop's rating
	ratingStart       string         // what stands before the figure
	ratingEnd         string         // and behind it
	links             []attrSelector // links to the shop, the best first
	details           string         // what is folded away below an offer
	outOfStockClasses []string       // parts of class names of an offer out of stock
	outOfStockTexts   []string       // texts of an offer out of stock, in lower case

	priceAttr  string   // "2892.28"
	shopAttr   string   // the shop's domain
	offerAttrs []string // number of the offer
}

// attrSelector names an attribute of the first element that selector finds.
type attrSelector struct{ selector, attr string }

// The two parts of a shown price, "2 892" and ",28".
const (
	priceValue = ".value"
	pricePenny = ".penny"
)

// freeDelivery is the label of rows and offers whose delivery costs nothing, and
// freeDeliveryTexts what it then reads.
const freeDelivery = ".free-delivery-label"

var freeDeliveryTexts = []string{"Darmowa wysyłka", "Darmowa dostawa"}

// challengeMarkup describes the page that asks whether a person is there.
type challengeMarkup struct {
	titles  []string // parts of titles, in lower case
	markers []string // parts of the source, on pages shorter than maxSize
	maxSize int      // bytes; pages with content are longer
}

// knownMarkup is the site as of autumn 2026.
func knownMarkup() markup {
	return markup{
		address: addressMarkup{
			search:      ";szukaj-",
			productTail: ";0280-0.htm",
			clicks:      "/click/",
			challenge:   "/captcha",
		},
		search:  knownSearchMarkup(),
		product: knownProductMarkup(),
		challenge: challengeMarkup{
			titles:  []string{"just a moment", "attention required", "access denied"},
			markers: []string{"js_f-container", "fdetection", "Przejdź do Ceneo", "cf-turnstile", "/Captcha/Add"},
			maxSize: 60_000,
		},
	}
}

func knownSearchMarkup() searchMarkup {
	return searchMarkup{
		row:          ".cat-prod-row, .cat-prod-box, .js_category-list-item",
		advert:       ".promoted-offer, .js_analytics-promotedItem",
		advertTexts:  []string{"oferta specjalna", "reklama", "sponsorowan"},
		name:         ".cat-prod-row__name a, .cat-prod-box__name a",
		label:        "[class*='-label'], .badge",
		department:   ".cat-prod-row__category a, .cat-prod-box__category a",
		wishes:       ".js_wishlist-toggle",
		productLinks: "a.go-to-product, a.js_seoUrl",
		shopLinks:    "a.go-to-shop, a[href*='/Click/'], a[href*='/click/']",
		price:        ".cat-prod-row__price, .cat-prod-box__price",
		shops:        ".shop-numb",
		shopLogos:    ".cat-prod-row__shop img[alt], .cat-prod-box__shop img[alt]",
		container:    ".category-list-body, .js_category-list-body, .js_search-results, .js_products-list-main, #page-counter",
		anyProduct:   "[data-pid], [data-productid], .price .value",
		noResults:    []string{"nie znaleźliśmy", "nie znaleziono", "brak wyników", "brak produktów"},
		idAttrs:      []string{"data-pid", "data-productid"},
		minPriceAttr: "data-productminprice",
		nameAttr:     "data-productname",
		shopAttr:     "data-shopurl",

		departmentAttr: "data-label",
	}
}

func knownProductMarkup() productMarkup {
	return productMarkup{
		name:      "h1.product-top__product-info__name, .product-top__title h1, h1.product-name",
		summary:   `script[type="application/ld+json"]`,
		tabs:      ".page-tab__title",
		offersTab: "Oferty",
		lists:     ".product-offers__list",
		offer:     ".product-offers__list > .product-offers__list__item, .product-offers__list .js_productOfferGroupItem",
		foreign:   ".product-offers__list__ado-item, [class*='similar-offers']",
		price:     ".product-offer__product__price",
		logos:     ".product-offer__logo img[alt], .product-offer__store img[alt]",
		badges:    ".product-offer__badges, .product-offer__rating",
		shopNames: "a.js_product-offer-link",
		links: []attrSelector{
			{"[data-click-url]", "data-click-url"},
			{"a.go-to-shop[href]", "href"},
			{"[data-basket-click-url]", "data-basket-click-url"},
		},
		shopNamesStart:    "Dane i opinie o ",
		delivery:          ".product-delivery-info",
		deliveryStart:     "z wysyłką od ",
		availability:      ".product-availability, .instock, .onrequest, .shipmentday-container",
		inStockStarts:     []string{"dostępny", "w magazynie", "wysyłka w", "wysyłka do"},
		onOrderStarts:     []string{"na zamówienie", "przedsprzedaż"},
		ratings:           ".screen-reader-text",
		ratingStart:       "Ocena ",
		ratingEnd:         " / 5",
		details:           ".product-offer__details",
		outOfStockClasses: []string{"outofstock", "out-of-stock", "unavailable"},
		outOfStockTexts:   []string{"niedostępn", "brak w magazynie", "brak towaru"},
		priceAttr:         "data-price",
		shopAttr:          "data-shopurl",
		offerAttrs:        []string{"data-offer", "data-offerid"},
	}
}
