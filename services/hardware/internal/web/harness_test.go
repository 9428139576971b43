package web

import (
	"bytes"
	"cmp"
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

	"backend.example/services/hardware/internal/builds"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/site"
)

// moment is when everything was fetched.
var moment = time.Date(2026, time.November, 21, 12, 5, 0, 0, time.UTC)

// fakeRankings has one ranking for every family.
type fakeRankings struct {
	rows   []rankings.Row
	source string
	err    error
	away   catalog.Family // to which err is limited; empty: to none
}

func (r *fakeRankings) get(_ context.Context, f catalog.Family) (*rankings.Answer, lookup.Via, error) {
	if r.err != nil && (r.away == "" || r.away == f) {
		return nil, 0, r.err
	}
	return &rankings.Answer{
		Value: rankings.Ranking{Source: r.source, Rows: r.rows}, Lifetime: lookup.Lifetime{FetchedAt: moment},
	}, lookup.ViaSource, nil
}

// fakePrices knows some findings by their folded query, of which some are kept.
type fakePrices struct {
	findings map[string]prices.Finding
	err      error
	kept     map[string]bool
	underWay prices.Quote // of what is not known

	mu    sync.Mutex
	asked []string
	known int // questions for what is known by the way

	listed map[catalog.Category][]prices.Listed
}

func (p *fakePrices) popular(category catalog.Category) ([]prices.Listed, time.Time) {
	return p.listed[category], moment
}

func (p *fakePrices) answer(q catalog.Query) *prices.Answer {
	f, ok := p.findings[q.Folded()]
	price := prices.Price{Source: "prices.example", Finding: f, ScrapedAt: moment}
	if !ok {
		price.ProductURL, price.Note = "https://prices.example/;szukaj", "Nie znaleziono produktu."
	}
	return &prices.Answer{Value: price}
}

func (p *fakePrices) get(ctx context.Context, _ lookup.Caller, q catalog.Query) (*prices.Answer, lookup.Via, error) {
	p.mu.Lock()
	p.asked = append(p.asked, q.Text)
	p.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	return p.answer(q), lookup.ViaSource, p.err
}

func (p *fakePrices) keptPrice(q catalog.Query) (*prices.Answer, bool) {
	return p.answer(q), p.kept[q.Folded()]
}

func (p *fakePrices) knownPrice(q catalog.Query) (*prices.Answer, bool) {
	p.known++
	return p.keptPrice(q)
}

// quotes knows at once what is in findings, and the rest never.
func (p *fakePrices) quotes(_ context.Context, _ lookup.Caller, queries []catalog.Query) []prices.Quote {
	quotes := make([]prices.Quote, len(queries))
	for i, q := range queries {
		p.asked = append(p.asked, q.Text)
		switch _, known := p.findings[q.Folded()]; {
		case p.kept[q.Folded()] || known && p.err == nil:
			quotes[i].Answer = p.answer(q)
		case p.err != nil:
			quotes[i].Fault = fault.From(p.err)
		default:
			quotes[i] = p.underWay
		}
	}
	return quotes
}

// world is the pages over fakes.
type world struct {
	rankings *fakeRankings
	prices   *fakePrices
	places   map[string]lookup.Place // by the kind and the folded text of a query
	echo     *echo.Echo
	builds   *keptBuilds
	log      *bytes.Buffer
	pages    *Pages
}

// keptBuilds are stored short addresses.
type keptBuilds struct {
	*builds.Files
	err error
}

func (k *keptBuilds) Put(ctx context.Context, id, code string) error {
	return cmp.Or(k.err, k.Files.Put(ctx, id, code))
}

func (k *keptBuilds) Get(ctx context.Context, id string) (string, error) {
	if k.err != nil {
		return "", k.err
	}
	return k.Files.Get(ctx, id)
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{
		rankings: &fakeRankings{source: "site.example", rows: []rankings.Row{
			{Brand: "Nvidia", Model: "RTX 5090", PartNumber: "A-1", Rank: 1, Benchmark: 424, Samples: 84129},
			{Brand: "Nvidia", Model: "RTX 5090", PartNumber: "A-2", Rank: 1, Benchmark: 424, Samples: 84129},
			{Brand: "AMD", Model: "RX 9070 (2025)", Rank: 2, Benchmark: 198.5, Samples: 77},
			{Brand: "Nvidia", Model: "GT 710", Rank: 3, Benchmark: 2.5, Samples: 99},
		}},
		prices: &fakePrices{kept: map[string]bool{}, findings: map[string]prices.Finding{
			"nvidia rtx 5090": {
				ProductName: "Karta <RTX 5090>", ProductURL: "https://prices.example/1", OfferCount: 26,
				PriceLow: 10600, PriceHigh: 12999.9,
				Offers: []prices.Offer{
					{
						Store: "a", StoreLabel: "Sklep Ł", Price: 10600, PriceWithDelivery: 10619.99,
						Stock: prices.OnOrder, ShopRating: 4.83,
						URL: "https://prices.example/Click?e=1&a=2",
					},
					{Store: "b", StoreLabel: "B", Price: 10700.5, URL: "javascript:alert(1)"},
				},
				Partial: true,
				Alternatives: []prices.Alternative{
					{ProductName: "Karta <RTX 5080>", ProductURL: "https://prices.example/4", PriceLow: 4801},
				},
			},
			"zasilacz 750w": {
				ProductName: "Zasilacz", ProductURL: "https://prices.example/2", OfferCount: 1,
				Offers: []prices.Offer{{Store: "a", StoreLabel: "A", Price: 399.99}},
			},
			"gt 710 wycofana": {ProductName: "GT 710", ProductURL: "https://prices.example/3"},
		}},
		builds: &keptBuilds{Files: builds.NewFiles(t.TempDir(), 100, time.Now)},
		places: map[string]lookup.Place{}, log: &bytes.Buffer{},
	}
	log := slog.New(slog.NewJSONHandler(w.log, nil))
	var err error
	w.pages, err = New(Options{
		Ranking: w.rankings.get, Price: w.prices.get, KeptPrice: w.prices.keptPrice, KnownPrice: w.prices.knownPrice,
		Popular: w.prices.popular,
		Quotes:  w.prices.quotes, Caller: func(*http.Request) lookup.Caller { return lookup.Caller{} }, Log: log,
		Builds: w.builds, Notice: "Dane <pokazowe>", Legal: site.Legal{Contact: "biuro@firma.example"},
		RankingSource: "Ranking <R>", PriceSource: "Porównywarka <P>",
		SearchURL: func(text string) string { return "https://prices.example/;szukaj-" + text },
		Place: func(q catalog.Query) lookup.Place {
			return w.places[string(q.Category)+":"+q.Folded()]
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	render := func(f *fault.Error) any { return map[string]string{"code": f.Code} }
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "hardware"), BodyLimit: 64 << 10,
		ErrorBody: render, ErrorPage: w.pages.Site().WriteError,
	})
	w.pages.Register(w.echo)
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
	return w.answer(t, httptest.NewRequest(method, target, nil))
}

func (w world) answer(t *testing.T, r *http.Request) page {
	t.Helper()
	answer := httptest.NewRecorder()
	w.echo.ServeHTTP(answer, r)
	spaced := strings.NewReplacer("</dt>", "</dt> ", "</dd>", "</dd> ", "</td>", "</td> ", "</th>", "</th> ", "<br>",
		"<br> ").Replace(answer.Body.String())
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

// refreshes requires a page to load again where there are no scripts.
func (p page) refreshes(want string) {
	p.t.Helper()
	got := strings.NewReplacer("&#43;", "+", "&amp;", "&").Replace(p.Find("noscript").Text())
	if !strings.Contains(got, want) {
		p.t.Errorf("%q does not refresh to %q", got, want)
	}
}
