package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
)

func TestBenchmarkCommand(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "benchmark", "GPU", "--limit", "3")
	want := strings.Join([]string{
		"RANK  BRAND   MODEL     PART NUMBER  BENCHMARK  SAMPLES",
		"   1  Nvidia  RTX 5090                     183     1412",
		"   1  PNY     RTX 5090  VCG-1              183     1412",
		"   2  AMD     RX 9070                     98.5       77",
		"", "source: 127.0.0.1", "",
	}, "\n")
	if err != nil || out != want {
		t.Errorf("error %v, printed:\n%s\nwant:\n%s", err, out, want)
	}
	if out, err := command(t, source.environ(t), "benchmark", "gpu", "--limit", "1"); err != nil || strings.Count(out, "Nvidia") != 1 {
		t.Errorf("of one row: error %v, printed %s", err, out)
	}
}

func TestBenchmarkCommandPrints500RowsAtMost(t *testing.T) {
	source := newFakeSource(t)
	table, err := command(t, source.environ(t), "benchmark", "ram", "--limit", "1000")
	if rows := strings.Count(table, "Kingston"); err != nil || rows != 500 {
		t.Errorf("error %v, %d rows in the table", err, rows)
	}
	document, err := command(t, source.environ(t), "benchmark", "ram", "--limit", "1000", "--json")
	if rows := strings.Count(document, "Kingston"); err != nil || rows != 500 {
		t.Errorf("error %v, %d rows as JSON", err, rows)
	}
}

func TestBenchmarkCommandAsJSON(t *testing.T) {
	source := newFakeSource(t)
	for _, args := range [][]string{{"benchmark", "gpu", "--limit", "3", "--json"}, {"benchmark", "--json", "--limit=3", "gpu"}} {
		out, err := command(t, source.environ(t), args...)
		var answer struct {
			Source, Family string
			Count          int
			Rows           []map[string]any
		}
		if err != nil || json.Unmarshal([]byte(out), &answer) != nil || !strings.HasSuffix(out, "}\n") {
			t.Fatalf("error %v, printed %s", err, out)
		}
		if answer.Source != "127.0.0.1" || answer.Family != "gpu" || answer.Count != 3 || len(answer.Rows) != 3 || answer.Rows[2]["model"] != "RX 9070" {
			t.Errorf("%+v", answer)
		}
	}
}

// TestBenchmarkCommandFallsBack: to the shipped snapshot, then to the last good
// copy in the state folder.
func TestBenchmarkCommandFallsBack(t *testing.T) {
	source := newFakeSource(t)
	environ := source.environ(t)
	out, err := command(t, environ, "benchmark", "cpu", "--limit", "1000")
	if err != nil || !strings.Contains(out, "\nsource: local-fallback\n") || strings.Count(out, "\n") < 20 {
		t.Errorf("error %v, printed %s", err, out)
	}
	if _, err := command(t, environ, "benchmark", "gpu"); err != nil {
		t.Fatal(err)
	}
	source.Close()
	out, err = command(t, environ, "benchmark", "gpu")
	if err != nil || !strings.Contains(out, "VCG-1") || !strings.Contains(out, "\nsource: local-fallback\n") {
		t.Errorf("error %v, printed %s", err, out)
	}
	state := strings.TrimPrefix(environ[3], "HARDWARE_STATE_DIR=")
	if _, err := os.Stat(filepath.Join(state, "lastgood", "127.0.0.1", "gpu.ranking")); err != nil {
		t.Error(err)
	}
}

func TestPriceCommand(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "price", " rtx ", "4070", "super ", "--category", "Gpu")
	want := strings.Join([]string{
		"Karta graficzna MSI GeForce RTX 4070 SUPER 12GB",
		source.URL + "/161482093",
		"2 offers, read at TIME",
		"",
		"PRICE (PLN)  WITH DELIVERY  SHOP             ADDRESS",
		"    2649.00              -  Podzespoły Łódź  " + source.URL + "/Click/Offer/?e=a",
		"    2699.99        2712.98  Świat Grafik     " + source.URL + "/Click/Offer/?e=b",
		"",
	}, "\n")
	out = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`).ReplaceAllString(out, "TIME")
	if err != nil || out != want {
		t.Errorf("error %v, printed:\n%s\nwant:\n%s", err, out, want)
	}
	if source.count("/Karty_graficzne;szukaj-rtx+4070+super") != 1 || source.count("/Click/Offer/") > 0 {
		t.Errorf("asked for %v", source.asked)
	}
}

func TestPriceCommandAsJSON(t *testing.T) {
	source := newFakeSource(t)
	environ := source.environ(t, "HARDWARE_AGGREGATOR_SECTIONS=gpu:")
	out, err := command(t, environ, "price", "rtx 4070 super", "--json", "--category=gpu")
	var answer struct {
		Query, Source, ProductName string
		OfferCount                 int
		PriceLow, PriceHigh        float64
		Offers                     []struct{ Store string }
	}
	if err != nil || json.Unmarshal([]byte(out), &answer) != nil {
		t.Fatalf("error %v, printed %s", err, out)
	}
	if answer.Query != "rtx 4070 super" || answer.Source != "127.0.0.1" || answer.OfferCount != 2 ||
		answer.PriceLow != 2649 || answer.PriceHigh != 3100.5 || len(answer.Offers) != 2 || answer.Offers[0].Store != "podzespoly.example" {
		t.Errorf("%+v", answer)
	}
	if source.count("/Komputery;szukaj-rtx+4070+super") != 1 {
		t.Errorf("the section set empty was not left out: %v", source.asked)
	}
}

func TestPriceCommandWithoutMatch(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "price", "xqz9 abc")
	want := `nothing matched "xqz9 abc"; try the maker and the model, or look at ` + source.URL + "/;szukaj-xqz9+abc"
	if cli.Status(err) != cli.StatusNotFound || err.Error() != want || out != "" {
		t.Errorf("error %v, printed %q", err, out)
	}
	out, err = command(t, source.environ(t), "price", "xqz9 abc", "--json")
	if cli.Status(err) != cli.StatusNotFound || !strings.Contains(out, `"offerCount":0`) {
		t.Errorf("error %v, printed %q", err, out)
	}
}

func TestPriceCommandFails(t *testing.T) {
	source := newFakeSource(t)
	environ := source.environ(t)
	source.respond = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "91")
		w.WriteHeader(http.StatusTooManyRequests)
	}
	if _, err := command(t, environ, "price", "xqz9 abc"); err == nil || !strings.Contains(err.Error(), "the source refuses to answer; try again in 1m31s: ") {
		t.Errorf("refused: error %v", err)
	}
	source.respond = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "another page") }
	if _, err := command(t, environ, "price", "xqz9 abc"); err == nil || !strings.HasPrefix(err.Error(), "the source's page cannot be read: ") {
		t.Errorf("unreadable: error %v", err)
	}
	source.Close()
	out, err := command(t, environ, "price", "rtx 4070 super")
	if cli.Status(err) != cli.StatusFailed || !strings.Contains(err.Error(), "the source cannot be reached, or answers with an error: ") || out != "" {
		t.Errorf("error %v, printed %q", err, out)
	}
}

// A query that was reset is searched again, and so are the offers of its product.
func TestForgetCommand(t *testing.T) {
	source := newFakeSource(t)
	out, err := command(t, source.environ(t), "forget", "rtx 4070 super")
	if cli.Status(err) != cli.StatusFailed || !strings.Contains(err.Error(), "HARDWARE_REDIS_URL") || out != "" {
		t.Errorf("without Redis: error %v, printed %q", err, out)
	}
	server := redistest.Start(t)
	environ := source.environ(t, "HARDWARE_REDIS_URL=unix://"+server.Socket)
	price := func(searches, pages int) {
		t.Helper()
		if _, err := command(t, environ, "price", "rtx 4070 super", "--category=gpu"); err != nil {
			t.Error(err)
		}
		if s, p := source.count("/Karty_graficzne;szukaj-rtx+4070+super"), source.count("/161482093;0280-0.htm"); s != searches || p != pages {
			t.Errorf("%d searches and %d pages, want %d and %d", s, p, searches, pages)
		}
	}
	price(1, 1)
	price(1, 1)
	if _, err := command(t, environ, "forget", "rtx 4070 super", "--category=cpu"); cli.Status(err) != cli.StatusNotFound {
		t.Errorf("of another category: error %v", err)
	}
	price(1, 1)
	err = newProgram(environ, nil, new(clitest.FullDisk), io.Discard).Run(t.Context(), []string{"forget", "rtx 4070 super"})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("on a full disk: error %v", err)
	}
	price(2, 2)
	for i, args := range [][]string{{"forget", "RTX 4070", "Super", "--category=gpu"}, {"forget", "rtx 4070 super"}} {
		if out, err := command(t, environ, args...); err != nil || !strings.EqualFold(out, "forgotten: RTX 4070 Super\n") {
			t.Errorf("%q: error %v, printed %q", args, err, out)
		}
		price(i+3, i+3)
	}
	server.Kill()
	err = newProgram(environ, nil, io.Discard, io.Discard).Run(t.Context(), []string{"forget", "rtx 4070 super"})
	if cli.Status(err) != cli.StatusFailed {
		t.Errorf("without an answer of Redis: error %v", err)
	}
}
