package web

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
)

type partView struct {
	Kind    kind
	Name    string // as asked for
	Model   string // without the part number
	Code    string // the part number, if the name contains it
	Problem string // why it cannot be searched for
	Rating  *rating
	Offers  offersView
	Wait    string // for browsers without scripts
	Basket  basketView
}

type rating struct {
	rankings.Row
	origin
	Family catalog.Family
	Href   string
}

// part answers GET /kreator/czesc?rodzaj=&nazwa=. Without a name it redirects to the list of the kind. With
// czekaj=1 it waits for the offers.
func (p *Pages) part(c echo.Context) error {
	ctx, b := c.Request().Context(), parseBasket(c.QueryParams())
	k, q, err := partOf(c)
	view := partView{Kind: k, Name: q.Text, Basket: b.view()}
	switch f := fault.From(err); {
	case f == nil:
	case f.Kind == fault.Invalid && !c.QueryParams().Has("nazwa"):
		return c.Redirect(http.StatusFound, address(listPath+k.Key, b))
	case f.Kind == fault.Invalid:
		view.Name, view.Problem = c.QueryParam("nazwa"), f.Message
		return p.show(c, "part", k.Name, view)
	default:
		return err
	}
	view.Model = q.Text
	points := 0.0
	if r, ok := p.rating(ctx, k, q.Text); ok {
		view.Model = r.Name()
		if strings.HasSuffix(q.Text, r.PartNumber) {
			view.Code = r.PartNumber
		}
		r.Href = address(rankingPath+string(r.Family), b)
		view.Rating, points = &r, r.Benchmark
	}
	if view.Offers = p.kept(b, k, q, points); view.Offers.Load != "" && c.QueryParam("czekaj") != "" {
		view.Offers = p.await(c.Request(), q, points)
	}
	p.addSimilar(&view.Offers, b, k, q)
	view.Offers.addTo(b, k, q, view.Rating != nil)
	view.Wait = address(partPath, b, "rodzaj", k.Key, "nazwa", q.Text, "czekaj", "1")
	return p.show(c, "part", q.Text, view)
}

// rating finds a part in the rankings of its kind. Without a ranking, a part has no points.
func (p *Pages) rating(ctx context.Context, k kind, name string) (rating, bool) {
	for _, f := range k.Families {
		answer, _, err := p.Rankings.Get(ctx, f)
		if err != nil {
			p.Log.WarnContext(ctx, "part shown without its points", "family", f, "error", err)
			continue
		}
		if row, ok := findRow(answer.Value.Rows, name); ok {
			return rating{Row: row, Family: f, origin: p.originOf(answer)}, true
		}
	}
	return rating{}, false
}

func findRow(rows []rankings.Row, name string) (rankings.Row, bool) {
	i := slices.IndexFunc(rows, func(row rankings.Row) bool {
		return strings.EqualFold(row.SearchName(), name) || strings.EqualFold(row.Name(), name)
	})
	if i < 0 {
		return rankings.Row{}, false
	}
	return rows[i], true
}
