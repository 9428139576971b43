package ceneo_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/ceneo"
	"backend.example/deploy/sandbox/fake"
	"github.com/PuerkitoBio/goquery"
)

// browser asks a fake.
type browser struct {
	t *testing.T
	*fake.Fake
}

func newBrowser(t *testing.T) browser {
	t.Helper()
	return browser{t, ceneo.New()}
}

func (b browser) do(method, target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	request.Host = "127.0.0.1:9092"
	recorder := httptest.NewRecorder()
	b.ServeHTTP(recorder, request)
	return recorder
}

// page asks for a page that has to be there.
func (b browser) page(target string) *goquery.Document {
	b.t.Helper()
	answer := b.do(http.MethodGet, target)
	if answer.Code != http.StatusOK {
		b.t.Fatalf("%s: status %d", target, answer.Code)
	}
	document, err := goquery.NewDocumentFromReader(strings.NewReader(answer.Body.String()))
	if err != nil {
		b.t.Fatal(err)
	}
	return document
}

// location asks for a page that has to redirect.
func (b browser) location(target string) string {
	b.t.Helper()
	answer := b.do(http.MethodGet, target)
	if answer.Code != http.StatusFound {
		b.t.Fatalf("%s: status %d", target, answer.Code)
	}
	return answer.Header().Get("Location")
}

// text is the text of the selection with its white space collapsed.
func text(selection *goquery.Selection) string {
	return strings.Join(strings.Fields(selection.Text()), " ")
}

func attr(selection *goquery.Selection, name string) string {
	return selection.AttrOr(name, "")
}
