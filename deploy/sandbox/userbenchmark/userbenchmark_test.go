package userbenchmark

import (
	"encoding/csv"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const header = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL"

func TestResponses(t *testing.T) {
	for _, c := range []struct {
		path        string
		status      int
		contentType string
		begins      string
	}{
		{"/resources/download/csv/CPU_UserBenchmarks.csv", 200, "text/csv", header + "\nCPU,"},
		{"/resources/download/csv/GPU_UserBenchmarks.csv", 200, "text/csv", header + "\nGPU,,Nvidia,RTX 5090,1,"},
		{"/resources/download/csv/cpu_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"/robots.txt", 200, "text/plain", "User-agent: *\nAllow: /\n"},
		{"/page/developer", 200, "text/html", "<!DOCTYPE html>"},
		{"/", 200, "text/html", "<!DOCTYPE html>"},
		{"/nowhere", 404, "text/html", "<!DOCTYPE html>"},
	} {
		recorder := httptest.NewRecorder()
		New().ServeHTTP(recorder, httptest.NewRequest("GET", c.path, nil))
		contentType, body := recorder.Header().Get("Content-Type"), recorder.Body.String()
		if recorder.Code != c.status || !strings.HasPrefix(contentType, c.contentType) || !strings.HasPrefix(body, c.begins) {
			t.Errorf("%s: got %d %s %.80q", c.path, recorder.Code, contentType, body)
		}
	}
}

// rows splits a download without any CSV rules: the real site quotes nothing.
func rows(d download) [][]string {
	var rows [][]string
	for line := range strings.Lines(string(d.body)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), ","))
	}
	return rows
}

func TestRowsHaveTheFormatOfTheRealFiles(t *testing.T) {
	decimal := regexp.MustCompile(`^\d{1,3}(\.\d{1,3})?$`)
	address := regexp.MustCompile(`^https://(cpu|gpu|ssd|hdd|ram|usb)\.userbenchmark\.com/(SpeedTest/9\d{7}/[A-Za-z0-9-]*|[A-Za-z0-9-]+/Rating/9\d{7})$`)
	for _, d := range readDownloads() {
		list := rows(d)
		if strings.Join(list[0], ",") != header || d.Family[1:] == "PU" && d.Rows() < 200 {
			t.Errorf("%s: header %q, %d rows", d.Family, list[0], d.Rows())
		}
		rank, benchmark := 0, 1000.0
		for _, row := range list[1:] {
			if len(row) != 8 {
				t.Fatalf("%s: %d fields in %q", d.Family, len(row), row)
			}
			samples, err := strconv.Atoi(row[6])
			nextRank, _ := strconv.Atoi(row[4])
			nextBenchmark, _ := strconv.ParseFloat(row[5], 64)
			if row[0] != d.Family || !decimal.MatchString(row[5]) || err != nil || samples < 0 || !address.MatchString(row[7]) ||
				nextRank != rank && nextRank != rank+1 || nextBenchmark > benchmark {
				t.Errorf("%s: after rank %d (%g) comes %q", d.Family, rank, benchmark, row)
			}
			rank, benchmark = nextRank, nextBenchmark
		}
		_, err := csv.NewReader(strings.NewReader(string(d.body))).ReadAll()
		if quotes := d.Family == "HDD" || d.Family == "SSD" || d.Family == "USB"; (err != nil) != quotes {
			t.Errorf("%s: strict reading gives %v", d.Family, err)
		}
	}
}

func TestFilesHaveTheFlawsOfTheRealOnes(t *testing.T) {
	seen := map[string]bool{}
	repeated := func(key string) bool {
		was := seen[key]
		seen[key] = true
		return was
	}
	for _, c := range []struct {
		family, what string
		want         int // at least
		has          func(row []string) bool
	}{
		{"CPU", "part number with a no-break space", 3, func(r []string) bool { return strings.HasSuffix(r[1], "\u00a0") }},
		{"GPU", "part number with U+200E", 3, func(r []string) bool { return strings.HasPrefix(r[1], "\u200e") }},
		{"GPU", "padded model", 4, func(r []string) bool { return r[3] != strings.TrimSpace(r[3]) }},
		{"GPU", "rank of an earlier row", 100, func(r []string) bool { return repeated("rank " + r[4]) }},
		{"GPU", "exact duplicate", 2, func(r []string) bool { return repeated(strings.Join(r, ",")) }},
		{"HDD", "inch mark", 10, func(r []string) bool { return strings.Contains(r[3], `"`) }},
		{"HDD", "empty brand", 4, func(r []string) bool { return r[2] == "" }},
		{"HDD", "superscript", 1, func(r []string) bool { return strings.Contains(r[3], "²") }},
		{"USB", "empty model", 4, func(r []string) bool { return r[3] == "" }},
		{"USB", "empty slug", 6, func(r []string) bool { return strings.HasSuffix(r[7], "/") }},
		{"USB", "score of nought", 1, func(r []string) bool { return r[5] == "0" }},
	} {
		count := 0
		for _, d := range readDownloads() {
			for _, row := range rows(d) {
				if d.Family == c.family && c.has(row) {
					count++
				}
			}
		}
		if count < c.want {
			t.Errorf("%s: %d rows with %s, want %d", c.family, count, c.what, c.want)
		}
	}
}
