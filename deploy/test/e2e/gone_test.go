package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestServiceIsGone: the one that is left tells programs and browsers so, in the form of
// the one that is gone.
func TestServiceIsGone(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	ask := func(path, accept string) harness.Answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Gateway+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", accept)
		a, err := harness.Do(harness.Client(), request)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	tells := func(a harness.Answer, status int, contentType, text string) {
		t.Helper()
		if a.Status != status || !strings.HasPrefix(a.Header.Get("Content-Type"), contentType) || a.Header.Get("Retry-After") != "5" ||
			!strings.Contains(string(a.Body), text) {
			t.Errorf("%s: %d %v\n%s", a.Request.URL.Path, a.Status, a.Header, a.Body)
		}
	}
	const message = "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę."

	_ = s.Hardware[0].Stop(syscall.SIGKILL)
	harness.Eventually(t, "the gateway has seen it", func() bool {
		return ask("/api/benchmark/gpu", "*/*").Status == http.StatusServiceUnavailable
	})
	tells(ask("/api/benchmark/gpu", "*/*"), 503, "application/json", `{"error":"`+message+`","code":"service_unavailable"}`)
	tells(ask("/kreator", "text/html"), 503, "text/html", "<h1>"+message)

	s.Hardware[0].Start(t)
	harness.Eventually(t, "it is back", func() bool { return ask("/kreator", "text/html").Status == http.StatusOK })
	_ = s.Directories[0].Stop(syscall.SIGKILL)
	harness.Eventually(t, "the page is made", func() bool { return ask("/audyt", "text/html").Header.Get("Retry-After") != "" })
	tells(ask("/api/oauth/status", "*/*"), 502, "application/json", `{"success":false,"error":"`+message+`"}`)
	tells(ask("/konto/integracje", "text/html"), 502, "text/html", "<h1>"+message)
}
