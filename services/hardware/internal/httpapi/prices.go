package httpapi

import (
	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
)

// prices answers GET /api/prices/{aggregator}?q=&category=.
func (a *API) prices(c echo.Context) error {
	if err := a.Prices.CheckAggregator(c.Param("aggregator")); err != nil {
		return err
	}
	query, err := parseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, via, err := a.Prices.Get(c.Request().Context(), query)
	if err != nil {
		return err
	}
	room := newRoom()
	head, tail := answer.PriceBody(room.empty(), query.Text)
	return a.write(c, answer, via, body{room: room, head: head, kept: tail, variant: variant(query.Text)})
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
	query, err := catalog.ParseQuery(text, "")
	if err != nil {
		return catalog.Query{}, err
	}
	query.Category, err = catalog.ParseCategory(hint)
	return query, err
}

// variant tells apart the bodies of one answer that echo different spellings: their
// FNV-1a hash, the same in every replica.
func variant(text string) uint64 {
	hash := uint64(14695981039346656037)
	for i := range len(text) {
		hash = (hash ^ uint64(text[i])) * 1099511628211
	}
	return hash
}
