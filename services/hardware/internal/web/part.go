package web

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
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

// offersView is a part's offers, or that they are awaited, or why there are none.
type offersView struct {
	Load, Queue string // empty unless they are awaited
	Fault       *fault.Error
	SearchURL   string // set with Fault
	Add         string // empty if there is no such part
	prices.Price
	// Cheapest and CheapestDelivered are indexes of offers, or -1.
	Cheapest, CheapestDelivered int
	PerZloty                    string // points for a złoty; empty if unknown
	PointsPer                   string // for 100 zł
	Similar                     []suggestion
}

type suggestion struct {
	Name, Href string
	Outside    bool    // Href is the aggregator's page
	Price      float64 // 0 if unknown
}

const maxMeant = 5

// suggest returns listed products whose names contain the words of text.
func (p *Pages) suggest(b basket, k kind, text string) (all []suggestion) {
	products, _ := p.Prices.Popular(k.Category)
	for _, product := range products {
		if !holds(product.Name, text) {
			continue
		}
		all = append(all, newSuggestion(b, k, product.Name, "", product.PriceLow))
		if len(all) == maxMeant {
			break
		}
	}
	return all
}

// newSuggestion links to the aggregator's page if the name cannot be asked for.
func newSuggestion(b basket, k kind, name, outside string, price float64) suggestion {
	s := suggestion{Name: name, Href: partAddress(b, k, name), Price: price}
	q, err := catalog.ParseQuery(name, k.Category)
	if outside != "" && (err != nil || !q.IsSearchable()) {
		s.Href, s.Outside = outside, true
	}
	return s
}

// addSimilar adds the alternatives of the search or, if it found nothing, listed products.
func (p *Pages) addSimilar(v *offersView, b basket, k kind, q catalog.Query) {
	seen := map[string]bool{v.ProductName: true}
	var all []suggestion
	for _, a := range v.Alternatives {
		all = append(all, newSuggestion(b, k, a.ProductName, a.ProductURL, a.PriceLow))
	}
	if v.Load == "" && v.Fault == nil && v.ProductName == "" {
		all = append(all, p.suggest(b, k, q.Text)...)
	}
	for _, s := range all {
		if !seen[s.Name] {
			seen[s.Name] = true
			v.Similar = append(v.Similar, s)
		}
	}
}

// addTo adds the address of the build with the part, unless neither shops nor rankings have it.
func (v *offersView) addTo(b basket, k kind, q catalog.Query, isRanked bool) {
	isKnown := v.Load != "" || v.Fault != nil || v.ProductName != ""
	if isKnown || isRanked {
		v.Add = address(buildPath, b.with(k, q))
	}
}

// Retry returns when a page without scripts reloads, or 0.
func (v offersView) Retry() time.Duration { return retryAfter(v.Fault) }

// retryEvery applies if the fault has no RetryAfter.
const retryEvery = time.Minute

// retried removes the advice to try again if the page does so itself.
func retried(f *fault.Error) *fault.Error {
	if f == nil {
		return nil
	}
	shown := *f
	if passes := f.Kind == fault.Upstream || f.Kind == fault.Timeout; passes && f.Code != fetch.Disallowed.Name {
		shown.RetryAfter = cmp.Or(f.RetryAfter, retryEvery)
	}
	if shown.RetryAfter == 0 {
		return f
	}
	shown.Message, _, _ = strings.Cut(f.Message, " Spróbuj ponownie")
	return &shown
}

func retryAfter(f *fault.Error) time.Duration {
	if f == nil {
		return 0
	}
	return f.RetryAfter
}

// Retry returns when a page without scripts reloads, or 0.
func (v buildView) Retry() (wait time.Duration) {
	for _, part := range v.Items {
		if rest := retryAfter(part.Fault); rest > 0 && (wait == 0 || rest < wait) {
			wait = rest
		}
	}
	return wait
}

func waiting(b basket, k kind, q catalog.Query) offersView {
	pairs := []string{"rodzaj", k.Key, "nazwa", q.Text}
	return offersView{Load: address(offersPath, b, pairs...), Queue: address(queuePath, basket{}, pairs...)}
}

func (p *Pages) kept(b basket, k kind, q catalog.Query, points float64) offersView {
	if answer, ok := p.Prices.Kept(q); ok {
		return p.found(answer.Value, points)
	}
	return waiting(b, k, q)
}

func (p *Pages) await(r *http.Request, q catalog.Query, points float64) offersView {
	answer, _, err := p.Prices.Get(r.Context(), p.callerOf(r), q)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			p.Log.WarnContext(r.Context(), "offers not shown", "error", err)
		}
		return offersView{Fault: retried(fault.From(err)), SearchURL: p.Prices.SearchURL(q.Text)}
	}
	return p.found(answer.Value, points)
}

func (p *Pages) found(price prices.Price, points float64) offersView {
	v := offersView{Price: price}
	v.Source = p.PriceSource
	v.Cheapest, v.CheapestDelivered = price.Cheapest()
	if len(v.Offers) > 0 && points > 0 {
		per := points / v.Lowest().Price
		v.PerZloty, v.PointsPer = precise(per), precise(100*per)
	}
	return v
}

// precise returns three significant digits.
func precise(v float64) string {
	return site.Number(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

func partOf(c echo.Context) (kind, catalog.Query, error) {
	k, err := parseKind(c.QueryParam("rodzaj"))
	if err != nil {
		return kind{}, catalog.Query{}, err
	}
	q, err := catalog.ParseQuery(c.QueryParam("nazwa"), k.Category)
	return k, q, err
}

// offers answers GET /kreator/oferty?rodzaj=&nazwa= with the offers, after waiting for the look-up. That there are
// none is an answer, too.
func (p *Pages) offers(c echo.Context) error {
	k, q, err := partOf(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	b, points := parseBasket(c.QueryParams()), 0.0
	best, isRanked := p.rating(ctx, k, q.Text)
	if isRanked {
		points = best.Benchmark
	}
	view := p.await(c.Request(), q, points)
	p.addSimilar(&view, b, k, q)
	view.addTo(b, k, q, isRanked)
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "part", "offers", view)
}

// queue answers GET /kreator/kolejka?rodzaj=&nazwa= with the progress of a look-up. It never begins one.
func (p *Pages) queue(c echo.Context) error {
	_, q, err := partOf(c)
	if err != nil {
		return err
	}
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "part", "queue", p.Prices.Place(q))
}
