package httpapi

import (
	"hash/fnv"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// price answers GET /api/prices/{aggregator}?q=&category=.
func (a *API) price(c echo.Context) error {
	if err := a.checkAggregator(c); err != nil {
		return err
	}
	query, err := parseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, kept := a.KeptPrice(query)
	via := lookup.ViaLocal
	if !kept {
		answer, via, err = a.Price(c.Request().Context(), a.Caller(c.Request()), query)
	}
	if err != nil {
		return err
	}
	form, err := formOf(answer, renderPrice)
	if err != nil {
		return err
	}
	b := newBody(form, answer.Lifetime, via)
	b.variant = variant(query.Text)
	b.head, b.rows = form.priceBody(b.head, query.Text)
	return a.write(c, b)
}

func parseQuery(rawQuery string) (catalog.Query, error) {
	text, _, err := queryValue(rawQuery, "q")
	if err != nil {
		return catalog.Query{}, err
	}
	hint, _, err := queryValue(rawQuery, "category")
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
	switch c.Param("aggregator") {
	case a.Aggregator:
		return nil
	case "":
		return echo.ErrNotFound // the path lacks a part
	}
	return fault.New(fault.NotFound, codeUnknownAggregator, "Nieznana porównywarka cen.")
}

// variant tells apart the bodies of one answer that echo different spellings: a hash
// that is the same in every replica.
func variant(text string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // a hash never fails
	return hash.Sum64()
}
