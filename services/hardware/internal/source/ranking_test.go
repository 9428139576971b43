package source

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
)

func ranking(lines ...string) string {
	return csvHeader + "\n" + strings.Join(lines, "\n") + "\n"
}

const plainLine = "GPU,GV-N4070,Gigabyte,RTX 4070,7,150.5,1234,https://gpu.userbenchmark.com/SpeedTest/1/X"

func TestParseRankingReadsRows(t *testing.T) {
	rows, err := ParseRanking(ranking(
		plainLine,
		"GPU,\u200eROG-STRIX-RTX3090-O24G , Asus ,  RTX 3090\u00a0,8,0,0,http://gpu.userbenchmark.com/SpeedTest/10408/",
		`GPU,,,Travelstar 7K1000 2.5" 1TB²,9,0.004,1,https://hdd.userbenchmark.com/a "b"`,
	), "gpu")
	if err != nil {
		t.Fatal(err)
	}
	want := []hardware.Row{
		{Type: "GPU", PartNumber: "GV-N4070", Brand: "Gigabyte", Model: "RTX 4070", Rank: 7, Benchmark: 150.5, Samples: 1234, URL: "https://gpu.userbenchmark.com/SpeedTest/1/X"},
		{Type: "GPU", PartNumber: "ROG-STRIX-RTX3090-O24G", Brand: "Asus", Model: "RTX 3090", Rank: 8, URL: "http://gpu.userbenchmark.com/SpeedTest/10408/"},
		{Type: "GPU", Model: `Travelstar 7K1000 2.5" 1TB²`, Rank: 9, Benchmark: 0.004, Samples: 1, URL: `https://hdd.userbenchmark.com/a "b"`},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i := range want {
		if rows[i] != want[i] {
			t.Errorf("row %d = %+v\nwant %+v", i, rows[i], want[i])
		}
	}
}

func TestParseRankingRefusesWhatIsNoRanking(t *testing.T) {
	line := func(old, new string) string { return ranking(plainLine, strings.Replace(plainLine, old, new, 1)) }
	tests := map[string]struct {
		body string
		want error // nil: any error will do
	}{
		"empty":               {"", errHeader},
		"a web page":          {"<!doctype html><title>Just a moment...</title>\n", errHeader},
		"another header":      {strings.Replace(ranking(plainLine), "Benchmark", "Score", 1), errHeader},
		"line ends with CR":   {strings.ReplaceAll(ranking(plainLine), "\n", "\r\n"), errHeader},
		"header alone":        {csvHeader, errHeader},
		"no rows":             {csvHeader + "\n", errNoRows},
		"cut in a line":       {ranking(plainLine, plainLine)[:len(csvHeader)+len(plainLine)+40], errTruncated},
		"cut before line end": {strings.TrimSuffix(ranking(plainLine), "\n"), errTruncated},
		"blank line":          {ranking(plainLine, ""), nil},
		"seven fields":        {line(",1234", ""), nil},
		"nine fields":         {line(",1234", ",1234,5"), nil},
		"another family":      {line("GPU,", "CPU,"), nil},
		"rank is no integer":  {line(",7,", ",7.5,"), nil},
		"rank is zero":        {line(",7,", ",0,"), nil},
		"rank is empty":       {line(",7,", ",,"), nil},
		"benchmark NaN":       {line("150.5", "NaN"), nil},
		"benchmark infinite":  {line("150.5", "+Inf"), nil},
		"benchmark negative":  {line("150.5", "-1"), nil},
		"benchmark text":      {line("150.5", "150%"), nil},
		"samples negative":    {line("1234", "-1"), nil},
		"samples decimal":     {line("1234", "12.5"), nil},
		"no address":          {line("https://gpu.userbenchmark.com/SpeedTest/1/X", ""), nil},
		"script address":      {line("https:", "javascript:"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows, err := ParseRanking(tt.body, "gpu")
			if err == nil || rows != nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("rows %v, error %v; want error %v", rows, err, tt.want)
			}
		})
	}
}

// TestParseRankingReadsRealFiles runs on files of the site itself where a folder
// with them lies beside one of the folders above.
func TestParseRankingReadsRealFiles(t *testing.T) {
	files := realFiles(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(filepath.Base(file), "_")
			rows, err := ParseRanking(string(body), catalog.Family(strings.ToLower(kind)))
			if err != nil {
				t.Fatal(err)
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

func fieldsOf(r hardware.Row) [csvFields]string {
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

// realFiles looks beside the folders above the working directory.
func realFiles(t testing.TB) []string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		files, err := filepath.Glob(filepath.Join(dir, "..", "shared", "data", "*_UserBenchmarks*.csv"))
		if err != nil {
			t.Fatal(err)
		}
		if len(files) > 0 {
			return files
		}
	}
	t.Skip("no files of the benchmark site beside the folders above")
	return nil
}
