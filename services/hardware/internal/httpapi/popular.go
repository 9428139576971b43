package httpapi

import (
	"fmt"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

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
	hint, _, err := queryValue(query, "category")
	if err != nil {
		return err
	}
	category, err := catalog.ParseCategory(hint)
	if err != nil {
		return err
	}
	if category == "" {
		return fault.New(fault.Invalid, catalog.CodeUnknownCategory, "Podaj kategorię produktów.")
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
