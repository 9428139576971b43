package userbenchmark

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/catalog"
)

func ranking(lines ...string) string {
	return csvHeader + "\n" + strings.Join(lines, "\n") + "\n"
}

const plainLine = "GPU,GV-N4070,Gigabyte,RTX 4070,7,150.5,1234,https://gpu.userbenchmark.com/SpeedTest/1/X"

func TestParseRankingReadsRows(t *testing.T) {
	rows, _, err := ParseRanking(ranking(
		"GPU,\u200eROG-STRIX-RTX3090-O24G , Asus ,  RTX 3090\u00a0,8,0,0,http://gpu.userbenchmark.com/SpeedTest/10408/",
		`GPU,,,Travelstar 7K1000 2.5" 1TB²,9,0.004,1,https://hdd.userbenchmark.com/a "b"`,
	), "gpu")
	want := []Row{
		{Type: "GPU", PartNumber: "ROG-STRIX-RTX3090-O24G", Brand: "Asus", Model: "RTX 3090", Rank: 8,
			URL: "http://gpu.userbenchmark.com/SpeedTest/10408/"},
		{Type: "GPU", Model: `Travelstar 7K1000 2.5" 1TB²`, Rank: 9, Benchmark: 0.004, Samples: 1,
			URL: `https://hdd.userbenchmark.com/a "b"`},
	}
	if diff := cmp.Diff(want, rows); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseRankingRefusesOtherFiles(t *testing.T) {
	for body, problem := range map[string]string{
		"": "not the header",
		strings.Replace(ranking(plainLine), "Benchmark", "Score", 1): "not the header",
		csvHeader:       "no rows",
		ranking("", ""): "no rows",
		ranking(plainLine, plainLine)[:len(csvHeader)+len(plainLine)+40]: "not complete",
		strings.TrimSuffix(ranking(plainLine), "\n"):                     "not complete",
		ranking(plainLine, "C"+plainLine[1:]):                            `1 of 2 rows cannot be read, line 3: type`,
	} {
		if rows, _, err := ParseRanking(body, "gpu"); rows != nil || !strings.Contains(fmt.Sprint(err), problem) {
			t.Errorf("%q: %d rows, %v; want %q", body, len(rows), err, problem)
		}
	}
}

func TestParseRankingRefusesBadFields(t *testing.T) {
	for _, tt := range []struct{ old, new, problem string }{
		{",1234,", ",", "not 8 fields"}, {",1234,", ",1234,5,", "not 8 fields"}, {"/X", "/X,", "not 8 fields"},
		{",7,", ",7.5,", "rank: "}, {",7,", ",0,", "rank: 0 is below 1"}, {",7,", ",,", "rank: "},
		{"150.5", "NaN", "benchmark: "}, {"150.5", "+Inf", "benchmark: "}, {"150.5", "-1", "benchmark: "},
		{"150.5", "150%", "benchmark: "},
		{"1234", "-1", "samples: -1 is below 0"}, {"1234", "12.5", "samples: "},
		{"https://gpu.userbenchmark.com/SpeedTest/1/X", "", "not a web address"},
		{"https:", "javascript:", "not a web address"},
	} {
		_, dropped, _ := ParseRanking(ranking(plainLine, strings.Replace(plainLine, tt.old, tt.new, 1)), "gpu")
		if !strings.Contains(fmt.Sprint(dropped.First), tt.problem) {
			t.Errorf("%q for %q: %v, want %q", tt.new, tt.old, dropped.First, tt.problem)
		}
	}
}

// A file that was edited has other ends of lines, and a long file may have a broken row or two.
func TestParseRankingDropsBrokenRows(t *testing.T) {
	long := slices.Repeat([]string{plainLine}, 198)
	broken := slices.Concat(long[:1], []string{"GPU,?"}, long[1:], []string{"GPU"})
	windows := strings.NewReplacer("\n", "\r\n")
	for name, tt := range map[string]struct {
		file          string
		rows, dropped int
	}{
		"blank lines":               {ranking(plainLine, "", plainLine, ""), 2, 0},
		"all of it":                 {"\ufeff" + windows.Replace(ranking(append(broken, "")...)), 198, 2},
		"more than one row of many": {ranking(append(broken, "GPU")...), 0, 3},
	} {
		rows, dropped, err := ParseRanking(tt.file, "gpu")
		if len(rows) != tt.rows || dropped.Rows != tt.dropped || (err == nil) != (tt.rows > 0) {
			t.Fatalf("%s: %d rows, %d dropped, %v", name, len(rows), dropped.Rows, err)
		}
		if tt.dropped > 0 && dropped.First.Error() != "line 3: not 8 fields" {
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
			t.Error(err)
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
			r, benchmark := rows[i], strconv.FormatFloat(rows[i].Benchmark, 'f', -1, 64)
			got := fmt.Sprintf("%s,%s,%s,%s,%d,%s,%d,%s", r.Type, r.PartNumber, r.Brand, r.Model, r.Rank, benchmark,
				r.Samples, r.URL)
			if want := strings.Join(fields, ","); got != want {
				t.Errorf("%s, line %d:\n got %q\nwant %q", file, i+2, got, want)
			}
		}
	}
}
