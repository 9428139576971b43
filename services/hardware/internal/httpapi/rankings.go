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

// getRanking answers GET /api/benchmark/{type}?limit=.
func (a *API) getRanking(c echo.Context) error {
	family, err := catalog.ParseFamily(c.Param("type"))
	if err != nil {
		return err
	}
	limit, err := parseLimit(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	answer, via, err := a.rankings.Get(c.Request().Context(), family)
	if err != nil {
		return err
	}
	limit = min(limit, len(answer.Value.Rows))
	key := "body:ranking:" + string(family) + ":" + strconv.Itoa(limit)
	document := func() any { return newRankingDocument(answer, family, limit) }
	b, err := a.kept(key, answer.Lifetime, document)
	if err != nil {
		return err
	}
	detail := ""
	if answer.Value.Source == rankings.LocalFallback {
		detail = "; detail=" + rankings.LocalFallback
	}
	return a.respond(c, b, via, detail)
}

type rankingDocument struct {
	Source string         `json:"source"`
	Family catalog.Family `json:"family"`
	Count  int            `json:"count"`
	Rows   []rankings.Row `json:"rows"`
}

func newRankingDocument(a *rankings.Answer, family catalog.Family, limit int) rankingDocument {
	rows := a.Value.Rows[:min(limit, len(a.Value.Rows))]
	if rows == nil {
		rows = []rankings.Row{}
	}
	return rankingDocument{a.Value.Source, family, len(rows), rows}
}

// RankingJSON returns the response with at most limit rows.
func RankingJSON(a *rankings.Answer, family catalog.Family, limit int) ([]byte, error) {
	return encodeJSON(newRankingDocument(a, family, limit))
}

// parseLimit reduces larger numbers to the maximum.
func parseLimit(rawQuery string) (int, error) {
	values, err := queryValues(rawQuery, "limit")
	if err != nil {
		return 0, err
	}
	if len(values) == 0 {
		return rankings.DefaultLimit, nil
	}
	n, err := strconv.Atoi(values[0])
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(values[0], "-") {
		return rankings.MaxLimit, nil
	}
	if err != nil || n < 1 {
		return 0, fault.Wrap(err, fault.Invalid, "invalid_limit",
			"Parametr limit musi być liczbą całkowitą nie mniejszą niż 1.")
	}
	return min(n, rankings.MaxLimit), nil
}
