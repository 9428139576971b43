package pages

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// moment is when everything was fetched.
var moment = time.Date(2026, time.November, 21, 12, 5, 0, 0, time.UTC)

// rankings has one ranking for every family.
type rankings struct {
	rows   []hardware.Row
	source string
	err    error
}

func (r *rankings) Get(context.Context, catalog.Family) (*hardware.Answer, hardware.Via, error) {
	if r.err != nil {
		return nil, "", r.err
	}
	a, err := hardware.EncodeRanking(r.source, r.rows)
	if a != nil {
		a.FetchedAt = moment
	}
	return a, hardware.ViaSource, err
}

// prices knows some findings by their folded query, of which some are kept.
type prices struct {
	findings map[string]hardware.Finding
	err      error
	kept     map[string]bool

	mu    sync.Mutex
	asked []string
}

func (p *prices) answer(q catalog.Query) (*hardware.Answer, error) {
	f, ok := p.findings[q.Folded()]
	if !ok {
		f = hardware.Finding{ProductURL: "https://prices.example/;szukaj"}
	}
	return hardware.EncodePrice("prices.example", f, moment)
}

func (p *prices) Get(ctx context.Context, q catalog.Query) (*hardware.Answer, hardware.Via, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q.Text)
	p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	if p.err != nil {
		return nil, "", p.err
	}
	a, err := p.answer(q)
	return a, hardware.ViaSource, err
}

func (p *prices) Kept(q catalog.Query) (*hardware.Answer, bool) {
	if !p.kept[q.Folded()] {
		return nil, false
	}
	a, err := p.answer(q)
	return a, err == nil
}

func (p *prices) LookupName(q catalog.Query) string { return string(q.Category) + ":" + q.Folded() }

// queue gives places to look-ups by their name.
type queue map[string]hardware.Place

func (q queue) Place(_ context.Context, lookup string) (hardware.Place, bool) {
	place, ok := q[lookup]
	return place, ok
}

// world is the pages over fakes.
type world struct {
	rankings *rankings
	prices   *prices
	queue    queue
	echo     *echo.Echo
	log      *bytes.Buffer
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{
		rankings: &rankings{source: "site.example", rows: []hardware.Row{
			{Brand: "Nvidia", Model: "RTX 5090", PartNumber: "A-1", Rank: 1, Benchmark: 424, Samples: 84129},
			{Brand: "Nvidia", Model: "RTX 5090", PartNumber: "A-2", Rank: 1, Benchmark: 424, Samples: 84129},
			{Brand: "AMD", Model: "RX 9070 (2025)", Rank: 2, Benchmark: 198.5, Samples: 77},
			{Brand: "Nvidia", Model: "GT 710", Rank: 3, Benchmark: 2.5, Samples: 99},
		}},
		prices: &prices{kept: map[string]bool{}, findings: map[string]hardware.Finding{
			"nvidia rtx 5090": {
				ProductName: "Karta <RTX 5090>", ProductURL: "https://prices.example/1", OfferCount: 26, PriceLow: 10600, PriceHigh: 12999.9,
				Offers: []hardware.Offer{
					{Store: "a", StoreLabel: "Sklep Ł", Price: 10600, URL: "https://prices.example/Click?e=1&a=2"},
					{Store: "b", StoreLabel: "B", Price: 10700.5, URL: "javascript:alert(1)"},
				},
			},
			"zasilacz 750w": {
				ProductName: "Zasilacz", ProductURL: "https://prices.example/2", OfferCount: 1,
				Offers: []hardware.Offer{{Store: "a", StoreLabel: "A", Price: 399.99}},
			},
			"gt 710 wycofana": {ProductName: "GT 710", ProductURL: "https://prices.example/3"},
		}},
		queue: queue{}, log: &bytes.Buffer{},
	}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	pages, err := New(Options{Rankings: w.rankings, Prices: w.prices, Queue: w.queue, Log: log, Notice: "Dane <pokazowe>"})
	if err != nil {
		t.Fatal(err)
	}
	render := func(f *fault.Error) any { return map[string]string{"code": f.Code} }
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "hardware"), BodyLimit: 1 << 10,
		ErrorBody: render, ErrorPage: pages.Site().WriteError,
	})
	pages.Register(w.echo)
	return w
}

// page is an answer read as HTML.
type page struct {
	*goquery.Document
	t      *testing.T
	status int
	header http.Header
}

func (w world) get(t *testing.T, target string) page { return w.do(t, http.MethodGet, target) }

func (w world) do(t *testing.T, method, target string) page {
	t.Helper()
	answer := httptest.NewRecorder()
	w.echo.ServeHTTP(answer, httptest.NewRequest(method, target, nil))
	spaced := strings.NewReplacer("</dt>", "</dt> ", "</dd>", "</dd> ", "<br>", "<br> ").Replace(answer.Body.String())
	document, err := goquery.NewDocumentFromReader(strings.NewReader(spaced))
	if err != nil {
		t.Fatal(err)
	}
	return page{document, t, answer.Code, answer.Header()}
}

// shows checks for texts, in which a plain space stands for any.
func (p page) shows(texts ...string) {
	p.t.Helper()
	all := strings.Join(strings.Fields(p.Text()), " ")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			p.t.Errorf("no %q in %q", text, all)
		}
	}
}

// attribute is an attribute of the first element that matches.
func (p page) attribute(selector, name string) string {
	p.t.Helper()
	value, ok := p.Find(selector).First().Attr(name)
	if !ok {
		p.t.Errorf("no %s at %s", name, selector)
	}
	return value
}

func (p page) counts(selector string, want int) {
	p.t.Helper()
	if n := p.Find(selector).Length(); n != want {
		p.t.Errorf("%d of %s, want %d", n, selector, want)
	}
}
