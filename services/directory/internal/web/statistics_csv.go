package web

import (
	"encoding/csv"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// plainNumber turns a figure of a page into one that programs read.
var plainNumber = strings.NewReplacer("\u00a0", "", ",", ".", "−", "-", "brak", "")

// statisticsTable handles GET /konto/statystyki/{kanal}.csv?okres=: the days of a channel.
func (h *Handlers) statisticsTable(c echo.Context, v visitor) error {
	id, isTable := strings.CutSuffix(c.Param("kanal"), ".csv")
	if !isTable || v.User.CompanyID == nil {
		return echo.ErrNotFound
	}
	view, err := h.figuresOf(c, v, statisticsPath)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(view.Panels, func(p panel) bool { return p.ID == id })
	if i < 0 {
		return echo.ErrNotFound
	}
	table := view.Panels[i].Table()
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
	header.Set(echo.HeaderContentDisposition, `attachment; filename="`+view.Company.Slug+"-"+id+`.csv"`)
	c.Response().WriteHeader(http.StatusOK)
	w := csv.NewWriter(c.Response())
	rows := [][]string{append([]string{"Dzień"}, table.Names...)}
	for _, row := range table.Rows {
		line := []string{row.Day.Format(time.DateOnly)}
		for _, value := range row.Values {
			line = append(line, plainNumber.Replace(value))
		}
		rows = append(rows, line)
	}
	return w.WriteAll(rows)
}
