package providertest

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// Operations are all operations of a client by name.
type Operations map[string]func(context.Context) error

// CheckAddresses checks that the operations request exactly the addresses of want, and
// with a base address only that host.
func CheckAddresses(t *testing.T, operations func(transport http.RoundTripper, base *url.URL) Operations,
	want []string) {
	t.Helper()
	if got := addresses(t, operations, nil); !slices.Equal(got, want) {
		t.Errorf("requested %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, got := range addresses(t, operations, &url.URL{Scheme: "http", Host: "127.0.0.1:9093"}) {
		if !strings.HasPrefix(got, "http://127.0.0.1:9093/") {
			t.Errorf("requested %s, want all at the base", got)
		}
	}
}

// addresses runs every operation and returns the addresses without their queries,
// sorted, each once.
func addresses(t *testing.T, operations func(http.RoundTripper, *url.URL) Operations, base *url.URL) []string {
	t.Helper()
	var requested []string
	s := NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requested = append(requested, r.URL.Scheme+"://"+r.Host+r.URL.Path)
		body :=
			`{"access_token":"a","refresh_token":"r","id":"1","name":"locations/1",` +
				`"instagram_business_account":{"id":"2"}}`
		if strings.HasPrefix(r.URL.Path, "/v1/accounts") {
			body = `{"accounts":[{"name":"accounts/1"}]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}))
	for name, run := range operations(s, base) {
		if err := run(t.Context()); err != nil && name != "places: by name" { // there is no result
			t.Errorf("%s: %v", name, err)
		}
	}
	slices.Sort(requested)
	return slices.Compact(requested)
}
