package httpapi

import (
	"hash/fnv"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/hardware"
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
	head, tail := answer.PriceBody(make([]byte, 0, headSize), query.Text)
	return a.write(c, answer, via, variant(query.Text), head, tail)
}

func parseQuery(rawQuery string) (hardware.Query, error) {
	text, _, err := queryValue(rawQuery, "q")
	if err != nil {
		return hardware.Query{}, err
	}
	hint, _, err := queryValue(rawQuery, "category")
	if err != nil {
		return hardware.Query{}, err
	}
	query, err := hardware.ParseQuery(text, "")
	if err != nil {
		return hardware.Query{}, err
	}
	query.Category, err = hardware.ParseCategory(hint)
	return query, err
}

// variant tells apart the bodies of one answer that echo different spellings.
func variant(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // a hash never fails
	return strconv.FormatUint(h.Sum64(), 36)
}
