package ceneo

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
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
	want := []rankings.Row{
		{Type: "GPU", PartNumber: "GV-N4070", Brand: "Gigabyte", Model: "RTX 4070", Rank: 7, Benchmark: 150.5, Samples: 1234, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X"},
		{Type: "GPU", PartNumber: "ROG-STRIX-RTX3090-O24G", Brand: "Asus", Model: "RTX 3090", Rank: 8, URL: "http://gpu.userbenchmark.com/SpeedTest/10408/"},
		{Type: "GPU", Model: `Travelstar 7K1000 2.5" 1TB²`, Rank: 9, Benchmark: 0.004, Samples: 1, URL: `https://hdd.userbenchmark.com/a "b"`},
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
		"another family":      {ranking(plainLine, "C"+plainLine[1:]), `1 of 2 rows cannot be read, line 3: type "CPU"`},
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

// A file that went through other hands has other ends of lines, and a row or two of a
// long file may be spoilt.
func TestParseRankingDropsASpoiltRow(t *testing.T) {
	long := slices.Repeat([]string{plainLine}, 198)
	spoilt := slices.Concat(long[:1], []string{"GPU,?"}, long[1:], []string{"GPU"})
	for name, tt := range map[string]struct {
		file  string
		rows  int
		spoil int
	}{
		"carriage returns":          {strings.ReplaceAll(ranking(plainLine, plainLine), "\n", "\r\n"), 2, 0},
		"byte order mark":           {"\ufeff" + ranking(plainLine), 1, 0},
		"blank lines":               {ranking(plainLine, "", plainLine, ""), 2, 0},
		"one row in a hundred":      {ranking(spoilt...), 198, 2},
		"all of it":                 {"\ufeff" + strings.ReplaceAll(ranking(append(spoilt, "")...), "\n", "\r\n"), 198, 2},
		"more than one row of many": {ranking(append(spoilt, "GPU")...), 0, 3},
	} {
		rows, dropped, err := ParseRanking(tt.file, "gpu")
		if len(rows) != tt.rows || dropped.Rows != tt.spoil || (err == nil) != (tt.rows > 0) || len(rows) > 0 && rows[0].URL != rows[len(rows)-1].URL {
			t.Errorf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if tt.spoil > 0 && dropped.First.Error() != "line 3: not 8 fields" {
			t.Errorf("%s: %v", name, dropped.First)
		}
	}
}

// TestParseRankingReadsRealFiles runs on files of the site itself where a folder
// with them lies beside one of the folders above.
func TestParseRankingReadsRealFiles(t *testing.T) {
	files := realFiles(t, "*_UserBenchmarks*.csv")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(filepath.Base(file), "_")
			rows, dropped, err := ParseRanking(string(body), catalog.Family(strings.ToLower(kind)))
			if err != nil || dropped.Rows > 0 {
				t.Fatal(dropped, err)
			}
			again, _, err := ParseRanking(byteOrderMark+strings.ReplaceAll(string(body), "\n", "\r\n"), catalog.Family(strings.ToLower(kind)))
			if err != nil || !slices.Equal(again, rows) {
				t.Errorf("with other ends of lines: %d rows, %v", len(again), err)
			}
			lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")[1:]
			if len(rows) != len(lines) {
				t.Fatalf("%d rows of %d lines", len(rows), len(lines))
			}
			for i, line := range lines {
				if got, want := fieldsOf(rows[i]), naiveFields(line); got != want {
					t.Errorf("line %d:\n got %q\nwant %q", i+2, got, want)
				}
			}
		})
	}
}

func fieldsOf(r rankings.Row) [csvFields]string {
	return [csvFields]string{
		r.Type, r.PartNumber, r.Brand, r.Model, strconv.Itoa(r.Rank),
		strconv.FormatFloat(r.Benchmark, 'f', -1, 64), strconv.Itoa(r.Samples), r.URL,
	}
}

func naiveFields(line string) (f [csvFields]string) {
	for i, field := range strings.Split(line, ",") {
		f[i] = strings.TrimSpace(strings.ReplaceAll(field, "\u200e", ""))
	}
	return f
}

// realFiles are what the sites themselves served, where a folder with such files lies
// beside one of the folders above. They are not part of the project.
func realFiles(t testing.TB, pattern string) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		files, err := filepath.Glob(filepath.Join(dir, "..", "shared", "data", pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) > 0 {
			return files
		}
	}
	t.Skip("no files of the sites beside the folders above")
	return nil
}
