package gateway

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// refusal is a way to provoke a response of the gateway itself.
type refusal struct {
	setup   setup
	service string                              // that is asked; both if empty
	prepare func(t *testing.T, called *backend) // before the request
	path    string                              // added to that of the request
	body    string
	header  []string
	chunks  string // the body as it is sent, if not empty
	nth     int    // how many requests the response takes
}

// refusals are those of the README's table.
var refusals = map[string]refusal{
	"400 `%2F`, `%5C`, `%00`, `%3B`, `%25`, `%3F` or `%23` in the path": {path: "/a%2Fb"},
	"413 body over 64 KiB":             {body: strings.Repeat("a", 64<<10+1)},
	"429 the client's bucket is empty": {setup: setup{dynamic: slowly(50, 100, 20, 100)}, nth: 3},
	"429 `GATEWAY_MAX_RATE`":           {setup: setup{env: []string{"GATEWAY_MAX_RATE=1"}}, nth: 9},
	"429 either, for more than 50 responses a second": {
		setup: setup{env: []string{"GATEWAY_MAX_RATE=1"}, dynamic: slowly(50, 50)}, nth: 9,
	},
	"431 headers over 64 KiB":                                 {header: []string{"Cookie", strings.Repeat("a", 80<<10)}},
	"500 malformed chunks of a body":                          {chunks: "2;\n{}\r\n0\r\n\r\n"},
	"502 no directory server responds":                        {service: "directory", prepare: func(_ *testing.T, b *backend) { b.answerWith(cut) }},
	"502 no hardware server responds, for 3 s":                {service: "hardware", prepare: func(_ *testing.T, b *backend) { b.answerWith(cut) }},
	"503 no hardware server runs":                             {service: "hardware", prepare: stopHardware},
	"504 directory takes over 60 s":                           {service: "directory", setup: impatient, prepare: hang},
	"504 hardware takes over 65 s, a retried read 6 s, twice": {service: "hardware", setup: impatient, prepare: hang},
}

// slowly replaces limits, each an average and a burst, by one request an hour: a slow machine
// sends too few for the real ones.
func slowly(limits ...int) (pairs []string) {
	for of := range slices.Chunk(limits, 2) {
		pairs = append(pairs, fmt.Sprintf("average: %d\n        burst: %d\n", of[0], of[1]), "average: 1\n        period: 1h\n        burst: 1\n")
	}
	return pairs
}

// quicker ends quick reads, and impatient all requests, as soon as a test can wait.
var (
	quicker   = []string{"responseHeaderTimeout: 6s", "responseHeaderTimeout: 500ms"}
	impatient = setup{dynamic: append([]string{"responseHeaderTimeout: 60s", "responseHeaderTimeout: 200ms", "responseHeaderTimeout: 65s", "responseHeaderTimeout: 200ms"}, quicker...)}
)

func hang(_ *testing.T, b *backend) {
	b.answerWith(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
}

func stopHardware(_ *testing.T, b *backend) {
	b.public.Close()
	b.admin.Close()
}

// called are the paths that the refusals are asked from, by service and method.
var called = map[string]map[string]string{
	"directory": {"GET": "/api/bizprofile/audit", "POST": "/api/bizprofile/audit"},
	"hardware":  {"GET": "/api/benchmark/cpu", "POST": "/api/prices/ceneo/quotes"},
}

// The README's table is what the gateway returns for GET and for POST: "page or JSON" is the
// body of a service, in the form of the one that was called.
func TestReadmeHoldsTheResponses(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| (\d{3} \| .+?) \| (page or JSON|text|–) \| (page or JSON|text|–) \|$`).FindAllStringSubmatch(string(text), -1)
	documented := map[string]bool{}
	for _, row := range rows {
		what := strings.Replace(row[1], " | ", " ", 1)
		documented[what] = true
		r, known := refusals[what]
		if !known {
			t.Errorf("no test provokes %q", what)
			continue
		}
		for service, paths := range called {
			if r.service != "" && r.service != service {
				continue
			}
			for i, method := range []string{"GET", "POST"} {
				t.Run(service+" "+method+" "+what, func(t *testing.T) {
					t.Parallel()
					r.check(t, service, method, paths[method], what[:3], row[2+i])
				})
			}
		}
	}
	for what := range refusals {
		if !documented[what] {
			t.Errorf("the README does not list %q", what)
		}
	}
}

// check provokes the refusal and compares it with a cell of the table.
func (r refusal) check(t *testing.T, service, method, path, status, want string) {
	t.Helper()
	directory, hardware := newBackend(t, "directory"), newBackend(t, "hardware")
	s := r.setup
	s.directory, s.hardware = servers(directory), servers(hardware)
	p := startGateway(t, s)
	if r.prepare != nil {
		r.prepare(t, map[string]*backend{"directory": directory, "hardware": hardware}[service])
	}
	if status == "503" {
		eventually(t, "no server runs", p.serverIs("hardware-1-any", "0"))
	}
	var got answer
	for range max(r.nth, 1) {
		if got = p.send(t, method, path+r.path, r.body, r.header...); r.chunks != "" {
			got = p.talk(t, method+" "+path+" HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n"+r.chunks)
		}
	}
	form := "/niedostepne/" + status
	if service == "hardware" {
		form = "/niedostepne/kod/" + status
	}
	kind := "text"
	switch {
	case got.status == http.StatusOK:
		kind = "–"
	case strings.Contains(got.body, " GET "+form+" for "):
		kind = "page or JSON"
	}
	if kind != want || kind != "–" && strconv.Itoa(got.status) != status {
		t.Errorf("%d %.80q is %q, and the README says %q", got.status, got.body, kind, want)
	}
	if waits := status == "429" || want == "page or JSON" && status >= "5"; waits && got.header.Get("Retry-After") == "" {
		t.Errorf("%d without Retry-After", got.status)
	}
}

// A service's own refusals pass unchanged, although the gateway's have the same status.
func TestOwnRefusalsPass(t *testing.T) {
	t.Parallel()
	p, directory, hardware := newGateway(t)
	for _, b := range []*backend{directory, hardware} {
		for _, status := range []int{400, 401, 404, 429, 500, 503} {
			b.answerIt(status)
			for method, path := range called[b.name] {
				p.send(t, method, path, "{}").standsIn(t, status, "its own", "7")
			}
		}
	}
}

// An upload in chunks of unknown length passes the gate, empty or not.
func TestChunkedBodiesPass(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for _, chunks := range []string{"0\r\n\r\n", "2\r\n{}\r\n0\r\n\r\n"} {
		got := p.talk(t, "POST /api/bizprofile/audit HTTP/1.1\r\nHost: gateway\r\nTransfer-Encoding: chunked\r\n\r\n"+chunks)
		if e := got.echoed(t); !strings.Contains(chunks, e.Body) || len(chunks) > 5 && e.Body != "{}" {
			t.Errorf("%q: the service received %q", chunks, e.Body)
		}
	}
}

// A GET may have a body, which the gate reads as well.
func TestReadsWithABodyPass(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	if got := p.send(t, "GET", "/api/benchmark/cpu", "a body"); got.echoed(t).Body != "a body" {
		t.Errorf("%d %q", got.status, got.body)
	}
}

// An app on another origin can read a refusal: the service that makes its body receives the
// origin, and its CORS headers reach the client.
func TestRefusalsHaveCORSHeaders(t *testing.T) {
	t.Parallel()
	p, _, _ := newGateway(t)
	for _, paths := range called {
		for method, path := range paths {
			got := p.send(t, method, path+"/a%2Fb", "", "Origin", "https://app.example")
			if origin := got.header.Get("Access-Control-Allow-Origin"); got.status != http.StatusBadRequest || origin != "https://app.example" {
				t.Errorf("%s %s: %d for %q", method, path, got.status, origin)
			}
		}
	}
}
