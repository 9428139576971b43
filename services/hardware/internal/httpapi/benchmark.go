package httpapi

import (
	"errors"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// benchmark answers GET /api/benchmark/{type}?limit=.
func (a *API) benchmark(c echo.Context) error {
	family, err := catalog.ParseFamily(c.Param("type"))
	if err != nil {
		return err
	}
	limit, err := parseLimit(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, via, err := a.Rankings.Get(c.Request().Context(), family)
	if err != nil {
		return err
	}
	room := newRoom()
	head, rows, tail := answer.RankingBody(room.empty(), family, limit)
	return a.write(c, answer, via, body{room: room, head: head, kept: rows, tail: tail, variant: uint64(answer.Rows(limit))}) // #nosec G115 -- not negative
}

// parseLimit reads limit: absent is the default, and more than the maximum is
// the maximum, however large the number.
func parseLimit(rawQuery string) (int, error) {
	text, present, err := queryValue(rawQuery, "limit")
	switch {
	case err != nil:
		return 0, err
	case !present:
		return hardware.DefaultLimit, nil
	}
	n, err := strconv.Atoi(text)
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(text, "-") {
		return hardware.MaxLimit, nil
	}
	if err != nil || n < 1 {
		return 0, fault.Wrap(err, fault.Invalid, "invalid_limit", "Parametr limit musi być liczbą całkowitą nie mniejszą niż 1.")
	}
	return min(n, hardware.MaxLimit), nil
}
