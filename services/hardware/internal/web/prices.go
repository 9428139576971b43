package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

// offersView is what is known of a part's offers: that they are waited for, what
// they are, or why they are not there.
type offersView struct {
	Load, Queue string // addresses of what is waited for; empty: nothing is
	Fault       *fault.Error
	prices.Price
	// Cheapest and CheapestDelivered are positions of offers, -1 if none is marked so.
	Cheapest, CheapestDelivered int
	PerZloty                    string // points for a złoty of the lowest price; empty: not known
	PointsPer                   string // and for a hundred
}

// Retry is how long a page without scripts waits until it is loaded again; zero if it is not.
func (v offersView) Retry() time.Duration { return retryAfter(v.Fault) }

// retried leaves out the advice to try again of a fault after which the page does so itself.
func retried(f *fault.Error) *fault.Error {
	if retryAfter(f) == 0 {
		return f
	}
	shown := *f
	shown.Message, _, _ = strings.Cut(f.Message, " Spróbuj ponownie")
	return &shown
}

func retryAfter(f *fault.Error) time.Duration {
	if f == nil {
		return 0
	}
	return f.RetryAfter
}

// Retry is how long a page without scripts waits until it is loaded again; zero if it is not.
func (v buildView) Retry() (wait time.Duration) {
	for _, part := range v.Items {
		if rest := retryAfter(part.Fault); rest > 0 && (wait == 0 || rest < wait) {
			wait = rest
		}
	}
	return wait
}

// waiting shows that offers are on their way. The script of the page fetches
// them; without one the page is asked again and then waits.
func waiting(k kind, q catalog.Query) offersView {
	pairs := []string{"rodzaj", k.Key, "nazwa", q.Text}
	return offersView{Load: address(offersPath, basket{}, pairs...), Queue: address(queuePath, basket{}, pairs...)}
}

// kept is waiting, unless the offers are here already.
func (p *Pages) kept(k kind, q catalog.Query, points float64) offersView {
	if answer, ok := p.KeptPrice(q); ok {
		return found(answer.Value, points)
	}
	return waiting(k, q)
}

// await looks the offers up, however long it takes.
func (p *Pages) await(r *http.Request, q catalog.Query, points float64) offersView {
	answer, _, err := p.Price(r.Context(), p.Caller(r), q)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			p.Log.WarnContext(r.Context(), "offers not shown", "error", err)
		}
		return offersView{Fault: retried(fault.From(err))}
	}
	return found(answer.Value, points)
}

func found(price prices.Price, points float64) offersView {
	v := offersView{Price: price}
	v.Cheapest, v.CheapestDelivered = price.Cheapest()
	if len(v.Offers) > 0 && points > 0 {
		per := points / v.Lowest().Price
		v.PerZloty, v.PointsPer = precise(per), precise(100*per)
	}
	return v
}

// precise writes a small quotient with three significant digits.
func precise(v float64) string {
	return site.Number(v, max(0, 2-int(math.Floor(math.Log10(v)))))
}

// partOf reads which part an address is about.
func partOf(c echo.Context) (kind, catalog.Query, error) {
	k, err := parseKind(c.QueryParam("rodzaj"))
	if err != nil {
		return kind{}, catalog.Query{}, err
	}
	q, err := catalog.ParseQuery(c.QueryParam("nazwa"), k.Category)
	return k, q, err
}

// offers answers GET /kreator/oferty?rodzaj=&nazwa= with the part of a
// page that shows a part's offers, as soon as they are known: the wait for a turn
// at the source and the look-up are in it. That they are not to be had is an
// answer too.
func (p *Pages) offers(c echo.Context) error {
	k, q, err := partOf(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	points := 0.0
	if best, ok := p.rating(ctx, k, q.Text); ok {
		points = best.Benchmark
	}
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "part", "offers", p.await(c.Request(), q, points))
}

// queue answers GET /kreator/kolejka?rodzaj=&nazwa= with where the look-up of a
// part's offers stands. It never begins one.
func (p *Pages) queue(c echo.Context) error {
	_, q, err := partOf(c)
	if err != nil {
		return err
	}
	return p.site.WriteFragment(c.Response(), c.Request(), http.StatusOK, "part", "queue", p.Place(c.Request().Context(), q))
}
