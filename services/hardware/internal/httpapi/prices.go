package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// getPrice answers GET /api/prices/{aggregator}?q=&category=.
func (a *API) getPrice(c echo.Context) error {
	if err := a.checkAggregator(c); err != nil {
		return err
	}
	query, err := parseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, via, err := a.prices.Get(c.Request().Context(), a.caller(c.Request()), query)
	if err != nil {
		return err
	}
	key := "body:price:" + string(query.Category) + ":" + query.Text
	document := func() any { return newPriceDocument(answer.Value, query.Text) }
	b, err := a.kept(key, answer.Lifetime, document)
	if err != nil {
		return err
	}
	return a.respond(c, b, via, "")
}

func (a *API) caller(r *http.Request) lookup.Caller {
	return lookup.Caller{Client: network.OfClient(a.clientIP(r))}
}

// priceDocument is a price with its ScrapedAt in milliseconds.
type priceDocument struct {
	Query string `json:"query"`
	prices.Price
	Lowest    *prices.Offer `json:"lowest,omitempty"` // always has a URL
	ScrapedAt string        `json:"scrapedAt"`
}

func newPriceDocument(p prices.Price, query string) priceDocument {
	if p.Offers == nil {
		p.Offers = []prices.Offer{}
	}
	d := priceDocument{Query: query, Price: p, ScrapedAt: p.ScrapedAt.UTC().Format("2006-01-02T15:04:05.000Z")}
	if len(p.Offers) > 0 {
		o := p.Lowest()
		d.Lowest = &prices.Offer{Store: o.Store, StoreLabel: o.StoreLabel, Price: o.Price, URL: o.URL}
	}
	return d
}

// PriceJSON returns the response to a query.
func PriceJSON(a *prices.Answer, query string) ([]byte, error) {
	return encodeJSON(newPriceDocument(a.Value, query))
}

func parseQuery(rawQuery string) (catalog.Query, error) {
	text, err := queryValue(rawQuery, "q")
	if err != nil {
		return catalog.Query{}, err
	}
	hint, err := queryValue(rawQuery, "category")
	if err != nil {
		return catalog.Query{}, err
	}
	return parseItem(text, hint)
}

// parseItem checks the text before the category.
func parseItem(text, hint string) (catalog.Query, error) {
	query, err := catalog.ParseQuery(text, "")
	if err != nil {
		return catalog.Query{}, err
	}
	query.Category, err = catalog.ParseCategory(hint)
	return query, err
}

func (a *API) checkAggregator(c echo.Context) error {
	if c.Param("aggregator") == a.prices.Aggregator {
		return nil
	}
	return unknownAggregator.Fault()
}

func queryValue(rawQuery, name string) (string, error) {
	values, err := queryValues(rawQuery, name)
	if err != nil || len(values) == 0 {
		return "", err
	}
	return values[0], nil
}

// queryValues splits a raw query only at "&", as the URL standard does: a bare ";" is part of a value. Only an
// encoding error in the wanted parameter is a fault.
func queryValues(rawQuery, name string) (values []string, err error) {
	for pair := range strings.SplitSeq(rawQuery, "&") {
		key, text, _ := strings.Cut(pair, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != name {
			continue
		}
		value, err := url.QueryUnescape(text)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "invalid_query_string",
				"Parametry adresu są nieprawidłowo zakodowane.")
		}
		values = append(values, value)
	}
	return values, nil
}

type popularDocument struct {
	Category catalog.Category `json:"category"`
	Count    int              `json:"count"`
	Rows     []popularProduct `json:"rows"`
}

type popularProduct struct {
	ProductName string       `json:"productName"`
	ProductURL  string       `json:"productUrl"`
	PriceLow    float64      `json:"priceLow,omitempty"`
	OfferCount  int          `json:"offerCount,omitempty"`
	Fits        fits.Verdict `json:"fits,omitempty"`
}

const maxWith = prices.MaxQuotes

// getPopular answers GET /api/prices/{aggregator}/popular?category=&with= from the lists of the aggregator. Each
// with is a part of a build, optionally after its category and a colon.
func (a *API) getPopular(c echo.Context) error {
	if err := a.checkAggregator(c); err != nil {
		return err
	}
	query := c.Request().URL.RawQuery
	hint, err := queryValue(query, "category")
	if err != nil {
		return err
	}
	category, err := catalog.ParseCategory(hint)
	if err != nil {
		return err
	}
	if category == "" {
		return fault.New(fault.Invalid, catalog.UnknownCategory.Name, "Podaj kategorię produktów.")
	}
	build, err := parseBuild(query)
	if err != nil {
		return err
	}
	products, expires := a.prices.Popular(category)
	document := popularDocument{Category: category, Count: len(products), Rows: []popularProduct{}}
	for _, product := range products {
		row := popularProduct{
			ProductName: product.Name, ProductURL: a.prices.ProductURL(product.Number), PriceLow: product.PriceLow,
			OfferCount: product.Shops,
		}
		if len(build) > 0 {
			row.Fits = fits.With(fits.Read(category, product.Name), build).Verdict
		}
		document.Rows = append(document.Rows, row)
	}
	lifetime := lookup.Lifetime{}
	if len(products) > 0 {
		lifetime = lookup.Lifetime{FetchedAt: expires.Add(-a.prices.TTL), ExpiresAt: expires, Shareable: true}
	}
	b, err := a.encode("", lifetime, document)
	if err != nil {
		return err
	}
	return a.respond(c, b, lookup.ViaLocal, "")
}

func parseBuild(rawQuery string) (build []fits.Part, err error) {
	texts, err := queryValues(rawQuery, "with")
	if err != nil {
		return nil, err
	}
	if len(texts) > maxWith {
		return nil,
			fault.New(fault.Invalid, "invalid_with", fmt.Sprintf("Zestaw może mieć najwyżej %d części.", maxWith))
	}
	for _, text := range texts {
		q, err := catalog.ParsePart(text)
		if err != nil {
			return nil, err
		}
		build = append(build, fits.Read(categoryOf(q), q.Text))
	}
	return build, nil
}
