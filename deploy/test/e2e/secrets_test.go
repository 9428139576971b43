package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestNoSecretIsWritten does a day's work, also with failures and at the level DEBUG, and looks
// for every secret of it where SECURITY.md promises that there is none.
func TestNoSecretIsWritten(t *testing.T) {
	needsOwnPrograms(t)
	traces, answers := &record{}, &record{}
	collector := httptest.NewServer(traces)
	t.Cleanup(collector.Close)
	s := harness.New(t, harness.Options{
		Directories: 1, Redis: true, Collector: collector.URL, Env: []string{"HARDWARE_LOG_LEVEL=DEBUG"},
		DirectoryEnv: []string{"DIRECTORY_LOG_LEVEL=DEBUG", "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
	})
	secrets := work(t, s, answers)
	directory, hardware := s.Directories[0], s.Hardware[0]
	for _, setting := range directory.Env {
		if name, key, found := strings.Cut(setting, "_KEYS="); found {
			secrets[name] = decoded(t, key[strings.Index(key, ":")+1:])
		}
	}
	for i, issued := range s.Sandbox.Issued(t) {
		secrets[fmt.Sprint(issued.Site, i, issued.Kind)] = issued.Value
	}
	harness.Eventually(t, "the traces of the last requests of all programs", func() bool {
		all := traces.String()
		inServices := strings.Contains(all, "directory") && strings.Contains(all, "hardware")
		return inServices && strings.Contains(all, "gateway") && strings.Contains(all, "/api/oauth/status")
	})
	// Each place contains something of the work, which shows that it was read.
	for place, content := range map[string]struct{ text, contains string }{
		"the log of the directory service": {directory.Log.String(), `"msg":"call answered"`},
		"the log of the hardware service":  {hardware.Log.String(), `"level":"DEBUG"`},
		"the log of the gateway":           {s.Proxy.Log.String(), "level"},
		"the traces":                       {traces.String(), "/api/oauth/status"},
		"the process list":                 {files(t, "/proc/[0-9]*/cmdline"), harness.Built(t, "directory")},
		"the database":                     {files(t, filepath.Join(directory.Folder, "*")), "piekarnia-kowalski"},
		"the responses":                    {answers.String(), "auth_url"},
		"the metrics": {harness.Text(t, directory.AdminURL()+"/metrics") +
			harness.Text(t, hardware.AdminURL()+"/metrics"), "directory_job"},
	} {
		if !strings.Contains(content.text, content.contains) {
			t.Errorf("%s: no %q in %d bytes", place, content.contains, len(content.text))
		}
		for name, secret := range secrets {
			for _, form := range forms(secret) {
				if strings.Contains(content.text, form) {
					t.Errorf("%s: found %s as %s", place, name, form)
				}
			}
		}
	}
}

// work logs in, connects, chooses, syncs, audits, receives webhooks, fails, sets a password and
// erases, and returns the secrets that it used, by name.
func work(t *testing.T, s *harness.Stack, answers *record) map[string]string {
	t.Helper()
	receiver := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(receiver.Close)
	directory := s.Directories[0]
	added := directory.Run(t, "webhook", "add", receiver.URL, "--company", "piekarnia-kowalski")
	_, hook, _ := strings.Cut(added, "\n")
	link := directory.Run(t, "user", "reset-link", "biuro@demo.example")
	_, token, _ := strings.Cut(strings.Fields(link)[0], "token=")

	v := harness.NewVisitor(s.Gateway)
	v.HTTP.Transport = &recorder{v.HTTP.Transport, strings.TrimPrefix(s.Gateway, "http://"), answers}
	const password = "zielone-rowery-na-moście-17" // #nosec G101 -- of this test alone
	harness.OK(t, v.Post(t, "/api/auth/reset/confirm", map[string]string{"token": token, "new_password": password}))
	login := map[string]string{"email": "biuro@demo.example", "password": password}
	harness.OK(t, v.Post(t, "/api/auth/login", login))
	id := v.Company(t)
	company := map[string]any{"company_id": id}
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	location := harness.PostAs[struct{ Locations []struct{ Name string } }](t, v, discover, nil).Locations[0].Name
	page := harness.PostAs[struct{ Pages []struct{ ID string } }](
		t, v, "/api/oauth/provider_social/discover-pages", company).Pages[0].ID
	for path, body := range map[string]any{
		"/api/oauth/provider_social/select-page":     map[string]any{"company_id": id, "page_id": page},
		"/api/oauth/provider_search/select-location": map[string]string{"location_name": location},
	} {
		harness.OK(t, v.Post(t, path, body))
	}
	for _, fault := range []string{"", `{"kind": "status", "status": 500}`, `{"kind": "down"}`} {
		for _, site := range []string{"search", "social", "places"} {
			s.Sandbox.Fault(t, site, fault)
		}
		for _, path := range []string{"/api/oauth/provider_social/sync-facebook",
			"/api/oauth/provider_social/sync-instagram", discover, "/api/bizprofile/audit"} {
			if _, err := v.Try(t.Context(), http.MethodPost, path, company); err != nil {
				t.Fatal(err)
			}
		}
	}
	harness.Text(t, s.Gateway+"/api/benchmark/cpu?limit=1")
	harness.GetAs[any](t, v, "/api/oauth/status")
	_, _ = v.Try(t.Context(), http.MethodPost, "/api/oauth/disconnect/"+harness.SearchAnalytics, nil)
	cookie := v.CookieHeader()
	directory.Run(t, "user", "delete", "kierownik@demo.example", "--yes")
	harness.Eventually(t, "the receiver fails", func() bool {
		return strings.Contains(directory.Log.String(), strings.TrimPrefix(receiver.URL, "http://"))
	})
	secrets := map[string]string{
		"the webhook's secret": decoded(t, strings.TrimPrefix(strings.TrimSpace(hook), "whsec_")),
		"the link's token":     token, "the password": password, "the demonstration's password": harness.DemoPassword,
		"the client secret": harness.ClientSecret, "the key of Places": harness.PlacesKey,
	}
	for _, one := range strings.Split(cookie, "; ") {
		name, value, _ := strings.Cut(one, "=")
		secrets["the cookie "+name] = value
		secrets["the id in the cookie "+name] = strings.Split(decoded(t, value), "|")[1]
	}
	return secrets
}

// decoded decodes base64 of either alphabet.
func decoded(t *testing.T, text string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// forms returns a secret as it is, escaped, and in hexadecimal and base64 at every offset.
func forms(secret string) []string {
	all := []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret))}
	for offset, skip := range []int{0, 2, 3} {
		padded := append(make([]byte, offset), secret...)
		text := base64.RawStdEncoding.EncodeToString(padded[:len(padded)/3*3])[skip:]
		all = append(all, text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
	}
	return all
}

// files returns the content of all files of a pattern that can be read.
func files(t *testing.T, pattern string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		content, _ := os.ReadFile(path) // #nosec G304 -- a process may have ended
		all.Write(content)
	}
	return all.String()
}

// record collects text, also as a collector of traces.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) add(parts ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(strings.Join(parts, "\n"))
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body io.Reader = request.Body
	var err error
	if request.Header.Get("Content-Encoding") == "gzip" {
		body, err = gzip.NewReader(request.Body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	export, _ := io.ReadAll(body) // what arrived counts
	r.add(string(export))
}

// recorder records the bodies of a host's responses, and where they redirect to.
type recorder struct {
	http.RoundTripper
	host string
	to   *record
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	if request.URL.Host == r.host {
		r.to.add(string(body), response.Header.Get("Location"))
	}
	return response, err
}
