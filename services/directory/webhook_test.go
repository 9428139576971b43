package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// receiver is an address that answers with a status, and records what it is sent.
func receiver(t *testing.T) (url string, status *atomic.Int64, heard chan string) {
	t.Helper()
	status, heard = &atomic.Int64{}, make(chan string, 100)
	status.Store(http.StatusOK)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, _ := io.ReadAll(r.Body)
		heard <- r.Header.Get("Webhook-Signature") + " " + string(content)
		w.WriteHeader(int(status.Load()))
	}))
	t.Cleanup(server.Close)
	return server.URL, status, heard
}

func TestWebhookCommands(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		url, status, heard := receiver(t)
		require(t, settings, "company", "add", "Piekarnia", "--slug", "piekarnia")
		for _, bad := range []struct {
			line []string
			want string
		}{
			{[]string{"add", url, "--company", "piekarnia"}, "an https address of a public host"},
			{[]string{"add", "https://10.0.0.1/", "--all"}, "an https address of a public host"},
			{[]string{"add", "https://hook.example"}, "either --company SLUG or --all"},
			{[]string{"add", "https://hook.example", "--company", "nie-ma"}, "there is no such company"},
			{[]string{"test", "1"}, "webhook 1: there is no such webhook"},
			{[]string{"remove", "x"}, `"x" is not the number of a webhook`},
		} {
			stdout, err := command(t, settings, append([]string{"webhook"}, bad.line...)...)
			refused(t, bad.line, stdout, err, bad.want)
		}

		settings = append(settings, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
		added := require(t, settings, "webhook", "add", url, "--company", "piekarnia")
		first, found := strings.CutPrefix(added, "webhook 1 added\n")
		if !found || !strings.HasPrefix(first, "whsec_") {
			t.Errorf("added: %q", added)
		}
		if out := require(t, settings, "webhook", "test", "1"); out != "delivered (200)\n" {
			t.Errorf("test: %q", out)
		}
		if got := <-heard; !strings.Contains(got, `{"type":"webhook.test"`) || strings.Count(got, "v1,") != 1 {
			t.Errorf("heard %s", got)
		}
		if second := require(t, settings, "webhook", "rotate", "1"); second == first || !strings.HasPrefix(second, "whsec_") {
			t.Errorf("rotate: %q after %q", second, first)
		}
		status.Store(http.StatusServiceUnavailable)
		stdout, err := command(t, settings, "webhook", "test", "1")
		refused(t, "test", stdout, err, "webhook 1: not taken: parked after 1 attempts: refused (503)")
		if got := <-heard; strings.Count(got, "v1,") != 2 {
			t.Errorf("after the rotation: %s", got)
		}
		require(t, settings, "webhook", "add", url+"/all", "--all")
		list := require(t, settings, "webhook", "list")
		want := "piekarnia  active  webhook.test parked after 1 attempts: refused (503)  " + url + "\n 2  (all)"
		if !strings.Contains(list, want) || strings.Contains(list, "whsec") {
			t.Errorf("list:\n%s", list)
		}
		require(t, settings, "webhook", "remove", "1")
		stdout, err = command(t, settings, "webhook", "remove", "1")
		refused(t, "remove", stdout, err, "webhook 1: there is no such webhook")
	})
}

// TestServeDelivers: events are delivered by the process that serves.
func TestServeDelivers(t *testing.T) {
	settings := environ(t, "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true")
	url, _, heard := receiver(t)
	require(t, settings, "seed")
	require(t, settings, "webhook", "add", url, "--company", "piekarnia-kowalski")
	p := start(t, settings)
	b := login(t, p.url, "biuro@demo.example")
	if status, content := b.post(t, "/api/bizprofile/audit", `{"slug":"piekarnia-kowalski"}`); status != 200 {
		t.Fatalf("audit: %d %s", status, content)
	}
	if got := <-heard; !strings.Contains(got, `{"type":"audit.completed"`) {
		t.Errorf("heard %s", got)
	}
	p.end(t)
}
