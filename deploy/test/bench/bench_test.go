// Package bench compares the backend with simpler programs in one run: hits with a plain
// handler, the gateway with a bare Traefik, and reads with pgbench. It runs with `make bench`
// on a quiet machine and prints the rows of the table in deploy/README.md; above 1 the backend is
// faster.
package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	connections = 16          // concurrent requests
	rounds      = 5           // the printed ratio is their median
	length      = time.Second // of one measurement

	pricePath   = "/api/prices/ceneo?q=rtx+4070+super&category=gpu"
	rankingPath = "/api/benchmark/gpu?limit=100"

	// With these variables the test program itself runs as the plain handler.
	plainAddr     = "BENCH_PLAIN_ADDR"     // where it listens
	plainOriginal = "BENCH_PLAIN_ORIGINAL" // base URL of the service whose answers it copies
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(plainAddr); addr != "" {
		log.Fatal(servePlain(addr, os.Getenv(plainOriginal)))
	}
	if os.Getenv("BENCH") != "1" {
		fmt.Println("make bench runs it")
		return
	}
	os.Exit(m.Run())
}

func TestHits(t *testing.T) {
	s := harness.New(t, harness.Options{Env: []string{"HARDWARE_RATE=1000000"}})
	service := s.Hardware[0].URL()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	addr := harness.FreeAddr()
	env := []string{plainAddr + "=" + addr, plainOriginal + "=" + service}
	harness.Start(t, t.TempDir(), env, self)
	harness.Eventually(t, "the plain handler listens", func() bool { return harness.Listens(addr) })
	plain := "http://" + addr
	var ratios []string
	for _, path := range []string{pricePath, rankingPath} {
		ratios = append(ratios, compare(t, path, load(service+path, nil), load(plain+path, nil)))
	}
	report("cached price, ranking / plain net/http handler", ratios)
}

func TestGateway(t *testing.T) {
	s := harness.New(t, harness.Options{
		Env: []string{"HARDWARE_RATE=1000000", "GATEWAY_CLIENT_RATE=1000000"},
	})
	// The bare Traefik only passes requests on.
	folder, addr := t.TempDir(), harness.FreeAddr()
	harness.WriteFile(t, filepath.Join(folder, "traefik.yml"),
		"entryPoints: {web: {address: '"+addr+"'}}\nproviders: {file: {filename: routes.yml}}\nlog: {level: ERROR}\n")
	harness.WriteFile(t, filepath.Join(folder, "routes.yml"), "http:\n"+
		"  routers: {all: {rule: 'PathPrefix(`/`)', service: all}}\n"+
		"  services: {all: {loadBalancer: {servers: [{url: 'http://"+s.Hardware[0].Addr+"'}]}}}\n")
	harness.Start(t, folder, nil, harness.Built(t, "gateway"), "--configFile=traefik.yml")
	bare := "http://" + addr
	harness.Healthy(t, bare+rankingPath)
	var ratios []string
	for _, path := range []string{pricePath, rankingPath} {
		ratios = append(ratios, compare(t, path, load(s.Gateway+path, nil), load(bare+path, nil)))
	}
	report("the same through the gateway / bare Traefik", ratios)
}

// TestReads compares the service with pgbench, which sends the statements of the same read to
// the same server and ignores the rows.
func TestReads(t *testing.T) {
	server := harness.StartPostgres(t)
	database := server.NewDatabase(t)
	s := harness.New(t, harness.Options{
		Directories: 1, Database: database, Env: []string{"DIRECTORY_RATE=1000000"},
	})
	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": v.Company(t)}))
	executed := regexp.MustCompile(`LOG:  execute [^:]*: (SELECT .*(?:\n\t.*)*)\n.*DETAIL:  [Pp]arameters: (.*)\n`)
	numbered := regexp.MustCompile(`\$(\d+)`)
	parameter := regexp.MustCompile(`\$(\d+) = '((?:[^']|'')*)'`)
	perSecond := regexp.MustCompile(`tps = ([0-9.]+) `)
	service, admin := s.Directories[0].URL(), harness.OpenDatabase(t, server.URL())
	awaitLog := func() string { // returns the log once it has everything that was executed so far
		marker := rand.Text()
		harness.Execute(t, admin, "DO $$ BEGIN RAISE LOG '"+marker+"'; END $$")
		harness.Eventually(t, "the log is complete", func() bool {
			return strings.Contains(server.Log.String(), "LOG:  "+marker)
		})
		return server.Log.String()
	}
	var ratios []string
	for _, path := range []string{
		"/api/oauth/status", "/api/bizprofile/audit/piekarnia-kowalski",
		"/api/bizprofile/audit/piekarnia-kowalski/history",
	} {
		harness.Execute(t, admin, "ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()")
		begin := len(awaitLog())
		harness.OK(t, v.At(service).Get(t, path))
		script := ""
		args := []string{"-n", "-M", "prepared", "-c", strconv.Itoa(connections), "-T", "1"}
		for i, found := range executed.FindAllStringSubmatch(awaitLog()[begin:], -1) {
			name := fmt.Sprintf("s%dp", i) // parameter $2 of the first statement becomes the variable :s0p2
			script += numbered.ReplaceAllString(found[1], ":"+name+"$1") + ";\n"
			for _, value := range parameter.FindAllStringSubmatch(found[2], -1) {
				args = append(args, "-D", name+value[1]+"="+strings.ReplaceAll(value[2], "''", "'"))
			}
		}
		if script == "" {
			t.Fatal("the log has no statements")
		}
		file := filepath.Join(t.TempDir(), "read.sql")
		harness.WriteFile(t, file, script)
		args = append(args, "-f", file, database)
		harness.Execute(t, admin, "ALTER SYSTEM SET log_statement = 'none'", "SELECT pg_reload_conf()")
		ratio := compare(t, path, load(service+path, v.HTTP.Jar), func(t *testing.T) float64 {
			t.Helper()
			// #nosec G204 -- arguments of the benchmark
			out := harness.Run(t, exec.CommandContext(t.Context(), harness.Installed(t, "pgbench"), args...))
			found := perSecond.FindStringSubmatch(out)
			if found == nil {
				t.Fatal(out)
			}
			tps, err := strconv.ParseFloat(found[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			return tps
		})
		ratios = append(ratios, ratio)
	}
	report("state of the connections / pgbench with the same statements", ratios[:1])
	report("audit, its history / pgbench with the same statements", ratios[1:])
}

// rate measures how many requests a second succeed.
type rate func(t *testing.T) float64

func report(what string, ratios []string) {
	fmt.Printf("| %s | %s |\n", what, strings.Join(ratios, ", "))
}

// compare measures two rates in turns, logs their medians and returns that of their ratios.
func compare(t *testing.T, path string, backend, rival rate) (ratio string) {
	t.Helper()
	backend(t) // fills caches and connections
	rival(t)
	var ratios, rates, others []float64
	for range rounds {
		a, b := backend(t), rival(t)
		ratios = append(ratios, a/b)
		rates = append(rates, a)
		others = append(others, b)
	}
	t.Logf("%s: %.0f/s and %.0f/s", path, median(rates), median(others))
	return fmt.Sprintf("%.2f", median(ratios))
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

func load(url string, cookies http.CookieJar) rate {
	client := &http.Client{Jar: cookies, Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	get := func(ctx context.Context) (status int, err error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		request.Header.Set("Accept-Encoding", "gzip")
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		defer response.Body.Close()
		_, err = io.Copy(io.Discard, response.Body)
		return response.StatusCode, err
	}
	return func(t *testing.T) float64 {
		t.Helper()
		begun := time.Now()
		var answers atomic.Int64
		var sending sync.WaitGroup
		for range connections {
			sending.Go(func() {
				for time.Since(begun) < length {
					status, err := get(t.Context())
					if err != nil || status != http.StatusOK {
						t.Errorf("%s: got status %d (%v), want 200", url, status, err)
						return
					}
					answers.Add(1)
				}
			})
		}
		sending.Wait()
		return float64(answers.Load()) / length.Seconds()
	}
}

// servePlain copies the answers once, and then only writes them.
func servePlain(addr, original string) error {
	type answer struct {
		header http.Header
		body   []byte
	}
	answers := map[string]answer{} // by address
	for _, path := range []string{pricePath, rankingPath} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, original+path, nil)
		if err != nil {
			return err
		}
		request.Header.Set("Accept-Encoding", "gzip")
		got, err := harness.Do(http.DefaultClient, request)
		if err = harness.CheckOK(got, err); err != nil {
			return err
		}
		got.Header.Del("Date")
		answers[path] = answer{got.Header, got.Body}
	}
	server := &http.Server{Addr: addr, ReadHeaderTimeout: 5 * time.Second}
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stored := answers[r.RequestURI]
		maps.Copy(w.Header(), stored.header)
		_, _ = w.Write(stored.body) // the client has gone
	})
	return server.ListenAndServe()
}
