package e2e

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/stack"
)

// TestServiceIsGone: the one that is left tells programs and browsers so, in the form of
// the one that is gone.
func TestServiceIsGone(t *testing.T) {
	s := own(t, stack.Options{Directories: 1})
	ask := func(path, accept string) stack.Answer {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Gateway+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", accept)
		a, err := stack.Do(stack.Client(), request)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	tells := func(a stack.Answer, status int, contentType, text string) {
		t.Helper()
		if a.Status != status || !strings.HasPrefix(a.Header.Get("Content-Type"), contentType) || a.Header.Get("Retry-After") != "5" ||
			!strings.Contains(string(a.Body), text) {
			t.Errorf("%s: %d %v\n%s", a.Request.URL.Path, a.Status, a.Header, a.Body)
		}
	}
	const message = "Ta część serwisu jest chwilowo niedostępna. Spróbuj ponownie za chwilę."

	_ = s.Hardware[0].Stop(syscall.SIGKILL)
	stack.Eventually(t, "the gateway has seen it", func() bool {
		return ask("/api/benchmark/gpu", "*/*").Status == http.StatusServiceUnavailable
	})
	tells(ask("/api/benchmark/gpu", "*/*"), 503, "application/json", `{"error":"`+message+`","code":"service_unavailable"}`)
	tells(ask("/kreator", "text/html"), 503, "text/html", "<h1>"+message)

	s.Hardware[0].Start(t)
	stack.Eventually(t, "it is back", func() bool { return ask("/kreator", "text/html").Status == http.StatusOK })
	_ = s.Directories[0].Stop(syscall.SIGKILL)
	stack.Eventually(t, "the page is made", func() bool { return ask("/audyt", "text/html").Header.Get("Retry-After") != "" })
	tells(ask("/api/oauth/status", "*/*"), 502, "application/json", `{"success":false,"error":"`+message+`"}`)
	tells(ask("/konto/integracje", "text/html"), 502, "text/html", "<h1>"+message)
}
