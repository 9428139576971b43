package aggregator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/aggregator"
	"backend.example/deploy/sandbox/internal/faults"
)

// browser asks one stand-in.
type browser struct {
	t       *testing.T
	handler http.Handler
	fault   faults.Fault
}

func newBrowser(t *testing.T) browser {
	t.Helper()
	return browser{t: t, handler: aggregator.New().Handler}
}

// broken is the same browser while the site has a fault of its own.
func (b browser) broken(kind faults.Kind) browser {
	b.fault = faults.Fault{Kind: kind}
	return b
}

func (b browser) do(method, target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	request.Host = "127.0.0.1:9092"
	if b.fault.Kind != "" {
		request = request.WithContext(faults.WithFault(request.Context(), b.fault))
	}
	recorder := httptest.NewRecorder()
	b.handler.ServeHTTP(recorder, request)
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
