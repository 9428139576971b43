package bench

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// TestGateway compares the whole path through the gateway with a Traefik that only passes
// requests on. The service and the plain handler have the processor that the gateways
// leave alone.
func TestGateway(t *testing.T) {
	table := newTable(t, "gateway", hitColumns...)
	service := startHardware(t, othersCPU, 1).Hardware[0]
	plain := startPlainHandler(t, othersCPU, service.URL(), "")
	entrance := startGateway(t, service.Server())
	bare := startBareTraefik(t, strings.TrimPrefix(plain, "http://"))
	const asBrowser = "Accept-Encoding: gzip, deflate, br, zstd" // to which the service responds with gzip
	for _, hit := range hits {
		result := compare(brief,
			rate(t, "gateway", entrance+hit.path, asBrowser), rate(t, "bare Traefik, plain handler", bare+hit.path, asBrowser))
		table.ratio(hit.what, result, result.Ratios[0], 0.65)
	}
}

// startGateway runs the gateway as docker-compose.yml does in front of a hardware service
// (host:port/adminport), and returns its base address. Rate limits are counted and never
// reached, and the access log goes to a file.
func startGateway(t *testing.T, hardware string) string {
	t.Helper()
	static, files := gatewayFiles(t)
	return startTraefik(t, static, files, hardware, "GATEWAY_CLIENT_RATE=1000000", "GOGC=400", "GOMEMLIMIT=256MiB")
}

// gatewayFiles returns the gateway's install configuration, with the access log in a file, and
// the files of its folder dynamic/.
func gatewayFiles(t *testing.T) (static string, dynamic map[string]string) {
	t.Helper()
	folder := harness.Path(t, "gateway")
	dynamic = map[string]string{}
	for _, name := range []string{"middlewares.yml", "routes.yml", "servers.yml"} {
		dynamic[name] = harness.ReadFile(t, filepath.Join(folder, "dynamic", name))
	}
	return changed(t, harness.ReadFile(t, filepath.Join(folder, "traefik.yml")), `(?m)^accessLog:\n`, "accessLog:\n  filePath: access.log\n"), dynamic
}

// TestRefusals floods the gateway from one address, without regard to its limits, while
// another client requests a price five times a second.
func TestRefusals(t *testing.T) {
	const (
		length     = 10 * time.Second
		leastRate  = 10_000 // refusals a second, by one processor
		longestP99 = 100 * time.Millisecond
	)
	table := newTable(t, "refusals", "what", "measured", "wanted", "")
	static, files := gatewayFiles(t)
	address := startTraefik(t, static, files, startHardware(t, othersCPU, 1).Hardware[0].Server(), "GOGC=400", "GOMEMLIMIT=256MiB") + pricePath
	flood := make(chan wrkReport)
	go func() {
		report, err := runWrk(t.Context(), wrkLoad{URL: address, Connections: 64, Time: length, CPU: othersCPU})
		if err != nil {
			t.Error(err)
		}
		flood <- report
	}()
	client, took, answered := &http.Client{Transport: harness.ChangingAddresses()}, []float64{}, 0
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case report := <-flood:
			perSecond, p99 := float64(report.Wrong)/length.Seconds(), time.Duration(quantile(took, 0.99))
			table.row("refusals/s by one processor", fmt.Sprintf("%.0f", perSecond), fmt.Sprintf("≥ %d", leastRate), verdict(perSecond >= leastRate))
			table.row("processor time of a refusal, at most", time.Duration(float64(time.Second)/perSecond).Round(time.Microsecond), "", "")
			table.row("another client's requests that are answered", fmt.Sprintf("%d of %d", answered, len(took)), "all", verdict(answered == len(took)))
			table.row("another client, p50 and p99", fmt.Sprintf("%s and %s", short(time.Duration(quantile(took, 0.5))), short(p99)), "p99 below "+short(longestP99), verdict(p99 < longestP99))
			return
		case <-tick.C:
			begun := time.Now()
			a, err := harness.Send(t.Context(), client, http.MethodGet, address, nil)
			took = append(took, float64(time.Since(begun)))
			if err == nil && a.Status == http.StatusOK {
				answered++
			}
		}
	}
}

func changed(t *testing.T, text, pattern, by string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	if !re.MatchString(text) {
		t.Fatalf("the gateway's files do not contain %s", pattern)
	}
	return re.ReplaceAllLiteralString(text, by)
}

// startBareTraefik runs a Traefik that only passes requests on to a server (host:port).
func startBareTraefik(t *testing.T, server string) string {
	t.Helper()
	static := "entryPoints:\n  web:\n    address: \":8080\"\n  internal:\n    address: \"127.0.0.1:9080\"\nping:\n  entryPoint: internal\nproviders:\n  file:\n    directory: dynamic\nlog:\n  level: ERROR\n"
	return startTraefik(t, static, map[string]string{"all.yml": `
http:
  routers:
    all:
      entryPoints: [web]
      rule: PathPrefix(` + "`/`" + `)
      service: all
  services:
    all:
      loadBalancer:
        servers:
          - url: http://` + server + "\n"}, server)
}

// startTraefik runs a Traefik on the measured processor with an install configuration and
// the files of its folder dynamic/.
func startTraefik(t *testing.T, static string, files map[string]string, hardware string, env ...string) string {
	t.Helper()
	folder := t.TempDir()
	addr, internal := harness.FreeAddr(t), harness.FreeAddr(t)
	harness.WriteFile(t, filepath.Join(folder, "traefik.yml"), harness.GatewayAt(static, addr, internal))
	for name, text := range files {
		harness.WriteFile(t, filepath.Join(folder, "dynamic", name), text)
	}
	start(t, serverCPU, folder, append(env, "GATEWAY_HARDWARE_SERVERS="+hardware), harness.Built(t, "gateway"), "--configFile=traefik.yml")
	harness.Healthy(t, fmt.Sprintf("http://%s/ping", internal))
	harness.Healthy(t, fmt.Sprintf("http://%s%s", addr, pricePath))
	return "http://" + addr
}

const (
	// interval is the least time between two requests to the aggregator.
	interval = 1200 * time.Millisecond
	// lookups is the number of different queries.
	lookups = 40
)

// TestMisses requests uncached prices from three replicas.
func TestMisses(t *testing.T) {
	table := newTable(t, "misses", "what", "measured", "wanted", "")
	s := harness.New(t, harness.Options{Replicas: 3, Redis: true, Env: []string{"HARDWARE_PRICE_MAX_WAIT=50s"}})
	ask(t, s.Hardware[0], "radeon rx 7600") // fetches robots.txt, which is no part of a look-up

	used := distinctMisses(t, s)
	table.row("slots used by 40 different look-ups", fmt.Sprintf("%.1f%%", 100*used), "at least 97%", verdict(used >= 0.97))
}

// distinctMisses runs six look-ups at a time, which all may wait. It returns the share of
// slots that were used.
func distinctMisses(t *testing.T, s *harness.Stack) (used float64) {
	t.Helper()
	before := len(arrivals(t, s))
	queries := make(chan string, lookups)
	for i := range lookups {
		queries <- fmt.Sprintf("nowy model 16%02d", i+10)
	}
	close(queries)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for query := range queries {
				ask(t, s.Hardware[i%len(s.Hardware)], query)
			}
		})
	}
	all.Wait()
	gaps := harness.Gaps(arrivals(t, s)[before:])
	if len(gaps) < lookups {
		t.Fatalf("%d look-ups took %d requests", lookups, len(gaps)+1)
	}
	var took time.Duration
	for _, gap := range gaps {
		took += gap
	}
	return float64(len(gaps)) * interval.Seconds() / took.Seconds()
}

// arrivals returns the requests that have reached the aggregator.
func arrivals(t *testing.T, s *harness.Stack) []harness.Arrival {
	t.Helper()
	return s.Sandbox.Requests(t, "aggregator")
}

// askers have different addresses, because slots go round-robin over the clients.
var askers = &http.Client{Transport: harness.ChangingAddresses()}

// ask requests a price, which has to succeed.
func ask(t *testing.T, replica *harness.Service, query string) harness.Answer {
	t.Helper()
	a, err := harness.Send(t.Context(), askers, http.MethodGet, replica.URL()+"/api/prices/ceneo?q="+url.QueryEscape(query), nil)
	if err = harness.CheckOK(a, err); err != nil {
		t.Error(err)
	}
	return a
}
