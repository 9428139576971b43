package faketest

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake"
)

// Transcript writes whole responses down. Where a secret of the fake appears, its kind and
// its place in the register are written instead.
type Transcript struct {
	Fake   *fake.Fake
	Random *regexp.Regexp // what comes after its first group is different every time; nil for nothing

	strings.Builder
	headers string // of the last response
}

var (
	head = regexp.MustCompile(`(?s)<!DOCTYPE html>.*<title>(.*)</title>.*<main>`)
	foot = regexp.MustCompile(`(?s)</main>.*`)
)

// Add writes a response under a heading: its status, its headers if they are others than
// those of the last one, and its body, of a page only the title and the main part.
func (t *Transcript) Add(heading string, response *httptest.ResponseRecorder) {
	var headers strings.Builder
	_ = response.Header().Write(&headers) // which does not fail
	lines := t.mask(strings.ReplaceAll(headers.String(), "\r", ""))
	fmt.Fprintf(t, "# %s\n%d\n", t.mask(heading), response.Code)
	if lines != t.headers {
		fmt.Fprint(t, lines)
		t.headers = lines
	}
	body := foot.ReplaceAllString(head.ReplaceAllString(response.Body.String(), "$1"), "")
	fmt.Fprintln(t, t.mask(strings.TrimSpace(body)))
}

// Kept compares the transcript, with the counts of the fake at its end, with
// testdata/answers.txt, as the function Kept does.
func (t *Transcript) Kept(test *testing.T) {
	test.Helper()
	counts, err := json.MarshalIndent(t.Fake.Counts(), "", " ")
	if err != nil {
		test.Fatal(err)
	}
	Kept(test, "answers.txt", t.String()+"# counts\n"+string(counts)+"\n")
}

func (t *Transcript) mask(text string) string {
	secrets, _ := t.Fake.Secrets()
	for i, secret := range secrets {
		name := fmt.Sprintf("%s-%d", secret.Kind, i+1)
		text = strings.NewReplacer(secret.Value, name, url.QueryEscape(secret.Value), name).Replace(text)
	}
	if t.Random != nil {
		text = t.Random.ReplaceAllString(text, "$1…")
	}
	return text
}
