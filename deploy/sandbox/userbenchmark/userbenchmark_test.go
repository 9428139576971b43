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
		{"/resources/download/csv/GPU_UserBenchmarks.csv", 200, "text/csv", header + "\nGPU,,Nvidia,RTX 5090,1,"},
		{"/resources/download/csv/cpu_UserBenchmarks.csv", 404, "text/html", "<!DOCTYPE html>"},
		{"/robots.txt", 200, "text/plain", "User-agent: *\nAllow: /\n"},
		{"/", 200, "text/html", "<!DOCTYPE html>"},
		{"/page/developer", 200, "text/html", "<!DOCTYPE html>"},
		{"/nowhere", 404, "text/html", "<!DOCTYPE html>"},
	} {
		recorder := httptest.NewRecorder()
		New().ServeHTTP(recorder, httptest.NewRequest("GET", c.path, nil))
		contentType, body := recorder.Header().Get("Content-Type"), recorder.Body.String()
		if want := c.contentType + "; charset=utf-8"; recorder.Code != c.status || contentType != want {
			t.Errorf("%s: got %d %s, want %d %s", c.path, recorder.Code, contentType, c.status, want)
		}
		if !strings.HasPrefix(body, c.begins) {
			t.Errorf("%s: the body begins with %.80q, want %q", c.path, body, c.begins)
		}
		length := ""
		if c.contentType == "text/csv" {
			length = strconv.Itoa(len(body))
		}
		if got := recorder.Header().Get("Content-Length"); got != length {
			t.Errorf("%s: Content-Length is %q, want %q", c.path, got, length)
		}
	}
}

func TestRowsHaveTheFormatOfTheRealFiles(t *testing.T) {
	decimal := regexp.MustCompile(`^\d{1,3}(\.\d{1,3})?$`)
	address := regexp.MustCompile(
		`^https://(cpu|gpu|ssd|hdd|ram|usb)\.userbenchmark\.com/(SpeedTest/9\d{7}/[A-Za-z0-9-]*|` +
			`[A-Za-z0-9-]+/Rating/9\d{7})$`,
	)
	for _, d := range readDownloads() {
		var list [][]string
		for line := range strings.Lines(string(d.body)) { // without CSV rules: the real site quotes nothing
			list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), ","))
		}
		if got := strings.Join(list[0], ","); got != header {
			t.Errorf("%s: header %q", d.Family, got)
		}
		if d.Rows() != len(list)-1 {
			t.Errorf("%s: %d rows, want %d", d.Family, d.Rows(), len(list)-1)
		}
		rank, benchmark := 0, 1000.0
		for _, row := range list[1:] {
			if len(row) != 8 {
				t.Fatalf("%s: %d fields in %q", d.Family, len(row), row)
			}
			samples, err := strconv.Atoi(row[6])
			nextRank, _ := strconv.Atoi(row[4])
			nextBenchmark, _ := strconv.ParseFloat(row[5], 64)
			if row[0] != d.Family || err != nil || samples < 0 {
				t.Errorf("%s: family or samples of %q", d.Family, row)
			}
			if !decimal.MatchString(row[5]) || !address.MatchString(row[7]) {
				t.Errorf("%s: benchmark or address of %q", d.Family, row)
			}
			inOrder := nextRank == rank || nextRank == rank+1
			if !inOrder || nextBenchmark > benchmark {
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
