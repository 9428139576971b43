package httpapi

import (
	"errors"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
)

// ranking answers GET /api/benchmark/{type}?limit=.
func (a *API) ranking(c echo.Context) error {
	family, err := catalog.ParseFamily(c.Param("type"))
	if err != nil {
		return err
	}
	limit, err := parseLimit(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, via, err := a.Ranking(c.Request().Context(), family)
	if err != nil {
		return err
	}
	form, err := formOf(answer, renderRanking)
	if err != nil {
		return err
	}
	b := newBody(form, answer.Lifetime, via)
	b.fallback = answer.Value.Source == rankings.LocalFallback
	b.variant = uint64(form.rows(limit)) // #nosec G115 -- not negative
	b.head, b.rows, b.tail = form.rankingBody(b.head, answer.Value.Source, family, limit)
	return a.write(c, b)
}

// parseLimit reads limit: absent is the default, and more than the maximum is
// the maximum, however large the number.
func parseLimit(rawQuery string) (int, error) {
	text, present, err := queryValue(rawQuery, "limit")
	switch {
	case err != nil:
		return 0, err
	case !present:
		return rankings.DefaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-") {
		return rankings.MaxLimit, nil
	}
	if err != nil || n < 1 {
		return 0, fault.Wrap(err, fault.Invalid, "invalid_limit", "Parametr limit musi być liczbą całkowitą nie mniejszą niż 1.")
	}
	return min(n, rankings.MaxLimit), nil
}
