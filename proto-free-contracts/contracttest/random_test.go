package contracttest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// asLine returns a request as text that can be compared.
func asLine(r RandomRequest) string {
	return fmt.Sprintln(r.Operation, r.Valid, r.method, r.target, r.header, string(r.Body))
}

func TestRandomRequestsAreTheSameForTheSameSeed(t *testing.T) {
	c := New([]byte(notes))
	first := c.RandomRequests(1, 50, nil)
	second := c.RandomRequests(1, 50, nil)
	third := c.RandomRequests(2, 50, nil)
	if len(first) != 3*50 || len(second) != len(first) {
		t.Fatalf("%d and %d requests to 3 operations", len(first), len(second))
	}
	different := 0
	for i := range first {
		if asLine(first[i]) != asLine(second[i]) {
			t.Errorf("%s became %s", asLine(first[i]), asLine(second[i]))
		}
		if asLine(first[i]) != asLine(third[i]) {
			different++
		}
	}
	if different < len(first)/2 {
		t.Errorf("only %d requests differ with another seed", different)
	}
}

// Every operation needs enough valid and invalid requests, and every kind of fault.
func TestRandomRequestsAreValidAndInvalid(t *testing.T) {
	valid, invalid := map[string]int{}, map[string]int{}
	faults := map[string]bool{}
	c := New([]byte(notes))
	for _, r := range c.RandomRequests(1, 400, map[string][]any{"id": {"a"}, "text": {"known"}}) {
		if target, err := c.find(r.HTTP()); r.Valid && (err != nil || target.name != r.Operation) {
			t.Errorf("%s leads to %s, %v", asLine(r), target.name, err)
		}
		if r.Valid {
			valid[r.Operation]++
		} else {
			invalid[r.Operation]++
		}
		http, body := r.HTTP(), string(r.Body)
		for fault, present := range map[string]bool{
			"value outside an enum": !r.Valid && !strings.HasPrefix(http.URL.Path, "/notes/a") &&
				!strings.HasPrefix(http.URL.Path, "/notes/b"),
			"limit below minimum": !r.Valid && http.URL.Query().Get("limit") == "0",
			"limit twice":         len(http.URL.Query()["limit"]) > 1,
			"incomplete body":     strings.HasPrefix(body, `{"`) && !strings.HasSuffix(body, "}"),
			"long body":           len(body) > 1<<16,
			"deep body":           strings.HasPrefix(body, "[[[["),
			"other content type":  http.Header.Get("Content-Type") == "text/plain",
			"known value (valid)": r.Valid && strings.Contains(body, `"known"`),
		} {
			faults[fault] = faults[fault] || present
		}
	}
	for _, operation := range []string{"GET /notes/{id}", "HEAD /notes/{id}", "POST /notes/{id}"} {
		if valid[operation] < 80 || invalid[operation] < 80 {
			t.Errorf("%s: %d valid requests, %d invalid ones", operation, valid[operation], invalid[operation])
		}
	}
	for fault, present := range faults {
		if !present {
			t.Errorf("no request with %s", fault)
		}
	}
}

func TestRandomRequestsArriveComplete(t *testing.T) {
	for _, r := range New([]byte(notes)).RandomRequests(3, 100, nil) {
		request := r.HTTP()
		body, err := io.ReadAll(request.Body)
		if err != nil || string(body) != string(r.Body) || request.RequestURI != request.URL.RequestURI() {
			t.Fatalf("%s: %d of %d bytes, %v", asLine(r), len(body), len(r.Body), err)
		}
	}
}

func TestSendAll(t *testing.T) {
	tests := map[string]struct {
		answer http.Handler
		want   string // part of a report, empty: no report
	}{
		"documented":   {answer{400, jsonHeader, `{"code":"bad_id"}`}, ""},
		"500":          {answer{500, jsonHeader, `{"code":"x"}`}, "returns 500"},
		"undocumented": {answer{418, jsonHeader, `{}`}, "does not match the document"},
		"wrong body":   {answer{400, jsonHeader, `{"code":1}`}, "does not match the document"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := New([]byte(notes)), &spy{}
			gets := slices.DeleteFunc(c.RandomRequests(1, 20, nil), func(r RandomRequest) bool {
				return r.Operation != "GET /notes/{id}"
			})
			valid, invalid := c.SendAll(s, test.answer, gets)
			total := 0
			for _, counts := range []map[int]int{valid, invalid} {
				for _, n := range counts {
					total += n
				}
			}
			if total != len(gets) || len(valid) == 0 || len(invalid) == 0 {
				t.Errorf("%d requests, answers %v and %v", len(gets), valid, invalid)
			}
			// A random id can lead to an unknown path, which has other answers.
			reports := slices.DeleteFunc(
				s.reports, func(report string) bool { return strings.Contains(report, "unknown-path") },
			)
			if (test.want == "") != (len(reports) == 0) || !strings.Contains(strings.Join(reports, "\n"), test.want) {
				t.Errorf("reports %q", reports)
			}
		})
	}
}
