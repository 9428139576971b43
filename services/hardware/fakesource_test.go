package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// fakeSource is the benchmark site and the aggregator.
type fakeSource struct {
	*httptest.Server
	search  func()           // runs inside every search, unless nil
	respond http.HandlerFunc // answers every page, unless nil

	mu    sync.Mutex
	asked []string
}

func newFakeSource(t *testing.T) *fakeSource {
	t.Helper()
	s := &fakeSource{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !r.Close {
			t.Errorf("%s: the connection is kept: net/http may repeat a request by itself", r.URL)
		}
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

const (
	csvFile = `Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL
GPU,,Nvidia,RTX 5090,1,183,1412,https://gpu.userbenchmark.com/Nvidia-RTX-5090/Rating/4180
GPU,VCG-1,PNY,RTX 5090,1,183,1412,https://gpu.userbenchmark.com/Nvidia-RTX-5090/Rating/4180
GPU,,AMD,RX 9070,2,98.5,77,https://gpu.userbenchmark.com/AMD-RX-9070/Rating/4200
GPU,,Nvidia,GT 710,3,2.75,99,https://gpu.userbenchmark.com/Nvidia-GT-710/Rating/3500
`
	searchPage = `<html><body><div class="category-list-body">
<div class="cat-prod-row" data-pid="161482093" data-productminprice="2649">
<strong class="cat-prod-row__name"><a href="/161482093">Karta graficzna MSI GeForce RTX 4070 SUPER 12GB</a></strong></div>
</div></body></html>`
	productPage = `<html><head><script type="application/ld+json">{"name": "Karta graficzna MSI GeForce RTX 4070 SUPER 12GB",
"offers": {"@type": "AggregateOffer", "lowPrice": 2649, "highPrice": 3100.5, "offerCount": 2}}</script></head><body>
<h1 class="product-top__product-info__name">Karta graficzna MSI GeForce RTX 4070 SUPER 12GB</h1>
<ul class="product-offers__list">
<li class="product-offers__list__item" data-price="2699.99" data-shopurl="swiat-grafik.example" data-click-url="/Click/Offer/?e=b"><span class="product-delivery-info">Z wysyłką od 2 712,98 zł</span><div class="product-offer__logo"><img alt="Świat Grafik"></div></li>
<li class="product-offers__list__item" data-price="2649" data-shopurl="podzespoly.example" data-click-url="/Click/Offer/?e=a"><div class="product-offer__logo"><img alt="Podzespoły Łódź"></div></li>
</ul></body></html>`
	nothingPage = `<html><body><div class="category-list-body">Nie znaleziono produktów</div></body></html>`
)

// longFile has more rows than an answer.
var longFile = csvFile[:strings.Index(csvFile, "GPU")] + strings.Repeat("RAM,,Kingston,Fury,1,99,5,https://ram.userbenchmark.com/1\n", 501)

func (s *fakeSource) answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.EscapedPath())
	s.mu.Unlock()
	if s.respond != nil {
		s.respond(w, r)
		return
	}
	pages := map[string]string{
		"/resources/download/csv/gpu_userbenchmarks.csv": csvFile,
		"/resources/download/csv/ram_userbenchmarks.csv": longFile,
		"/karty_graficzne;szukaj-rtx+4070+super":         searchPage,
		"/komputery;szukaj-rtx+4070+super":               searchPage,
		"/161482093;0280-0.htm":                          productPage,
		"/komputery;szukaj-xqz9+abc":                     nothingPage,
	}
	page, ok := pages[strings.ToLower(r.URL.EscapedPath())]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if page == searchPage && s.search != nil {
		s.search()
	}
	_, _ = w.Write([]byte(page))
}

// total is how many requests there were.
func (s *fakeSource) total() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked)
}

// count is how often a path was asked for.
func (s *fakeSource) count(path string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if asked == path {
			n++
		}
	}
	return n
}

// environ points a program at the fake, and at nothing of this machine.
func (s *fakeSource) environ(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{
		"HARDWARE_BENCHMARK_BASE_URL=" + s.URL, "HARDWARE_AGGREGATOR_BASE_URL=" + s.URL,
		"HARDWARE_PRICE_INTERVAL=1ms", "HARDWARE_STATE_DIR=" + t.TempDir(),
		"HARDWARE_ADDR=127.0.0.1:0", "HARDWARE_ADMIN_ADDR=127.0.0.1:0",
	}, more...)
}

// command runs one command line without input and returns what it printed.
func command(t *testing.T, environ []string, args ...string) (stdout string, err error) {
	t.Helper()
	return commandReading(t, "", environ, args...)
}

func commandReading(t *testing.T, stdin string, environ []string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	err = newProgram(environ, strings.NewReader(stdin), &out, &problems).Run(t.Context(), args)
	if problems.Len() > 0 {
		err = fmt.Errorf("%w; printed %s", err, &problems)
	}
	return out.String(), err
}
