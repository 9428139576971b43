package userbenchmark

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

func ranking(lines ...string) string {
	return csvHeader + "\n" + strings.Join(lines, "\n") + "\n"
}

const plainLine = "GPU,GV-N4070,Gigabyte,RTX 4070,7,150.5,1234,https://gpu.userbenchmark.com/SpeedTest/1/X"

func TestParseRankingReadsRows(t *testing.T) {
	rows, _, err := ParseRanking(ranking(
		plainLine,
		"GPU,\u200eROG-STRIX-RTX3090-O24G , Asus ,  RTX 3090\u00a0,8,0,0,http://gpu.userbenchmark.com/SpeedTest/10408/",
		`GPU,,,Travelstar 7K1000 2.5" 1TB²,9,0.004,1,https://hdd.userbenchmark.com/a "b"`,
	), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	want := []Row{
		{Type: "GPU", PartNumber: "GV-N4070", Brand: "Gigabyte", Model: "RTX 4070", Rank: 7, Benchmark: 150.5,
			Samples: 1234, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X"},
		{Type: "GPU", PartNumber: "ROG-STRIX-RTX3090-O24G", Brand: "Asus", Model: "RTX 3090", Rank: 8,
			URL: "http://gpu.userbenchmark.com/SpeedTest/10408/"},
		{Type: "GPU", Model: `Travelstar 7K1000 2.5" 1TB²`, Rank: 9, Benchmark: 0.004, Samples: 1,
			URL: `https://hdd.userbenchmark.com/a "b"`},
	}
	if !slices.Equal(rows, want) {
		t.Errorf("rows %+v\nwant %+v", rows, want)
	}
}

func TestParseRankingRefusesOtherFiles(t *testing.T) {
	tests := map[string]struct{ body, problem string }{
		"empty":               {"", "not the header"},
		"a web page":          {"<!doctype html><title>Just a moment...</title>\n", "not the header"},
		"another header":      {strings.Replace(ranking(plainLine), "Benchmark", "Score", 1), "not the header"},
		"header alone":        {csvHeader, "no rows"},
		"no rows":             {csvHeader + "\n", "no rows"},
		"cut in a line":       {ranking(plainLine, plainLine)[:len(csvHeader)+len(plainLine)+40], "not complete"},
		"cut before line end": {strings.TrimSuffix(ranking(plainLine), "\n"), "not complete"},
		"blank lines alone":   {ranking("", ""), "no rows"},
		"another family": {
			ranking(plainLine, "C"+plainLine[1:]), `1 of 2 rows cannot be read, line 3: type "CPU"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows, _, err := ParseRanking(tt.body, "gpu")
			if err == nil || rows != nil || !strings.Contains(err.Error(), tt.problem) {
				t.Errorf("rows %v, error %v; want %q", rows, err, tt.problem)
			}
		})
	}
}

func TestParseRankingRefusesBadFields(t *testing.T) {
	tests := map[string]struct{ old, new, problem string }{
		"seven fields":       {",1234,", ",", "not 8 fields"},
		"nine fields":        {",1234,", ",1234,5,", "not 8 fields"},
		"surplus at the end": {"/X", "/X,5", "not 8 fields"},
		"comma at the end":   {"/X", "/X,", "not 8 fields"},
		"rank is no integer": {",7,", ",7.5,", "rank: "},
		"rank is zero":       {",7,", ",0,", "rank: 0 is below 1"},
		"rank is empty":      {",7,", ",,", "rank: "},
		"benchmark NaN":      {"150.5", "NaN", "benchmark: "},
		"benchmark infinite": {"150.5", "+Inf", "benchmark: "},
		"benchmark negative": {"150.5", "-1", "benchmark: "},
		"benchmark text":     {"150.5", "150%", "benchmark: "},
		"samples negative":   {"1234", "-1", "samples: -1 is below 0"},
		"samples decimal":    {"1234", "12.5", "samples: "},
		"no address":         {"https://gpu.userbenchmark.com/SpeedTest/1/X", "", "not a web address"},
		"script address":     {"https:", "javascript:", "not a web address"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows, dropped, err := ParseRanking(ranking(plainLine, strings.Replace(plainLine, tt.old, tt.new, 1)), "gpu")
			if err == nil || rows != nil || !strings.Contains(dropped.First.Error(), tt.problem) {
				t.Errorf("rows %v, error %v for %v; want %q", rows, err, dropped.First, tt.problem)
			}
		})
	}
}

// A file that was edited has other ends of lines, and a long file may have a broken row or
// two.
func TestParseRankingDropsBrokenRows(t *testing.T) {
	long := slices.Repeat([]string{plainLine}, 198)
	broken := slices.Concat(long[:1], []string{"GPU,?"}, long[1:], []string{"GPU"})
	for name, tt := range map[string]struct {
		file  string
		rows  int
		spoil int
	}{
		"carriage returns":     {strings.ReplaceAll(ranking(plainLine, plainLine), "\n", "\r\n"), 2, 0},
		"byte order mark":      {"\ufeff" + ranking(plainLine), 1, 0},
		"blank lines":          {ranking(plainLine, "", plainLine, ""), 2, 0},
		"one row in a hundred": {ranking(broken...), 198, 2},
		"all of it": {"\ufeff" + strings.ReplaceAll(ranking(append(broken, "")...), "\n", "\r\n"), 198,
			2},
		"more than one row of many": {ranking(append(broken, "GPU")...), 0, 3},
	} {
		rows, dropped, err := ParseRanking(tt.file, "gpu")
		if len(rows) != tt.rows || dropped.Rows != tt.spoil {
			t.Fatalf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if (err == nil) != (tt.rows > 0) {
			t.Fatalf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if len(rows) > 0 && rows[0].URL != rows[len(rows)-1].URL {
			t.Errorf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if tt.spoil > 0 && dropped.First.Error() != "line 3: not 8 fields" {
			t.Errorf("%s: %v", name, dropped.First)
		}
	}
}

// TestParseRankingReadsRealFiles reads files of the site itself, which are not part of the
// project, if they are in ../shared/data next to it.
func TestParseRankingReadsRealFiles(t *testing.T) {
	files, err := filepath.Glob("../../../../../shared/data/*_UserBenchmarks*.csv")
	if err != nil || len(files) == 0 {
		t.Skip("no files of the site")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(filepath.Base(file), "_")
		family := catalog.Family(strings.ToLower(kind))
		rows, dropped, err := ParseRanking(string(body), family)
		lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")[1:]
		if err != nil || dropped.Rows > 0 || len(rows) != len(lines) {
			t.Fatalf("%s: %d rows of %d lines, %+v, %v", file, len(rows), len(lines), dropped, err)
		}
		for i, line := range lines {
			fields := strings.Split(strings.ReplaceAll(line, "\u200e", ""), ",")
			for f := range fields {
				fields[f] = strings.TrimSpace(fields[f])
			}
			if got, want := lineOf(rows[i]), strings.Join(fields, ","); got != want {
				t.Errorf("%s, line %d:\n got %q\nwant %q", file, i+2, got, want)
			}
		}
	}
}

// lineOf returns the line of a file that holds a row.
func lineOf(r Row) string {
	return fmt.Sprintf("%s,%s,%s,%s,%d,%v,%d,%s", r.Type, r.PartNumber, r.Brand, r.Model, r.Rank,
		strconv.FormatFloat(r.Benchmark, 'f', -1, 64), r.Samples, r.URL)
}

// FuzzRanking: a file is refused, or its rows can be written and read again.
func FuzzRanking(f *testing.F) {
	for _, seed := range []string{
		ranking(plainLine), csvHeader + "\n", csvHeader + "\nGPU,,,,,,,\n", "<html><title>Just a moment...</title>",
		ranking("GPU,,,,0,1,0,https://x.example/"), ranking("GPU,,,,1,-1,0,https://x.example/"),
		ranking("GPU,\u200eX\u200e,a\"b, c ,1,0x1p4,0,https://x.example/ą"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, _, err := ParseRanking(string(body), "gpu")
		if err != nil {
			if rows != nil {
				t.Errorf("%d rows with %v", len(rows), err)
			}
			return
		}
		var lines []string
		for _, r := range rows {
			lines = append(lines, lineOf(r))
			if r.Rank < 1 || r.Samples < 0 {
				t.Fatalf("row %+v", r)
			}
			if !(r.Benchmark >= 0) || math.IsInf(r.Benchmark, 0) {
				t.Errorf("row %+v", r)
			}
		}
		if again, _, err := ParseRanking(ranking(lines...), "gpu"); err != nil || !slices.Equal(rows, again) {
			t.Fatalf("%+v is read again as %+v, %v", rows, again, err)
		}
	})
}

// TestParseRankingAllocatesLessThanTwiceTheFile measures a file of the usual length, with the
// odd inch mark and character beyond ASCII.
func TestParseRankingAllocatesLessThanTwiceTheFile(t *testing.T) {
	lines := slices.Repeat([]string{strings.Replace(plainLine, "RTX 4070", "GTX 1080 ROG Strix Gaming", 1)}, 1500)
	for i := 0; i < len(lines); i += 50 {
		lines[i] = strings.Replace(lines[i], "ROG", `ROG™ 2.5"`, 1)
	}
	file := ranking(lines...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rows, _, err := ParseRanking(file, "gpu")
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || len(rows) != len(lines) ||
		got >= 2*uint64(len(file)) {
		t.Errorf("%d bytes for %d rows of a file of %d, %v", got, len(rows), len(file), err)
	}
}
