package bench

import (
	"fmt"
	"strings"
	"testing"

	"backend.example/deploy/test/bench/pair"
)

// upstreams are what stands behind the gateways: the service and the plain handler, on
// the processor that the gateways leave alone.
type upstreams struct {
	hardware string // host:port/adminport of the service
	plain    string // base address of the plain handler
}

func newUpstreams(t *testing.T) upstreams {
	t.Helper()
	service := startHardware(t, othersCPU, 1).Hardware[0]
	return upstreams{
		hardware: service.Server(),
		plain:    startPlainHandler(t, othersCPU, service.URL(), ""),
	}
}

// TestGateway compares the whole way, through the gateway with all that it does,
// with programs that only pass requests on.
func TestGateway(t *testing.T) {
	table := newTable(t, "gateway", hitColumns...)
	u := newUpstreams(t)
	ours, bare := configured(t), bareTraefik()
	addr := strings.TrimPrefix(u.plain, "http://")
	entrance := ours.start(t, u.hardware)
	rivals := []struct {
		name, base string
		wanted     float64
	}{
		{name: "bare Traefik, plain handler", base: bare.start(t, addr), wanted: 0.65},
		{name: "nginx, plain handler", base: nginxProxy(t, u.plain), wanted: 0},
	}
	for _, hit := range hits {
		list := []pair.Rival{rate(t, "gateway", entrance+hit.path, asBrowser)}
		for _, r := range rivals {
			list = append(list, rate(t, r.name, r.base+hit.path, asBrowser))
		}
		result := pair.Compare(brief, list...)
		for i, ratio := range result.Ratios {
			table.ratio(hit.what, result, ratio, rivals[i].wanted)
		}
	}
	result := pair.Compare(brief,
		rate(t, "gateway", entrance+rankingPath, asBrowser), rate(t, "itself, asked without Accept-Encoding", entrance+rankingPath))
	table.ratio("ranking of 200 rows", result, result.Ratios[0], 0)
}

// asBrowser is what browsers send: the service then answers in gzip.
const asBrowser = "Accept-Encoding: gzip, deflate, br, zstd"

// change makes a gateway that differs from the configured one in one thing.
type change struct {
	name  string
	apply func(t *testing.T, g *gateway)
}

// remove takes out what pattern matches in the install configuration.
func remove(name, pattern string) change {
	return replace(name, pattern, "")
}

// replace puts something else in the place of what matches there.
func replace(name, pattern, by string) change {
	return change{name, func(t *testing.T, g *gateway) { g.install(t, pattern, by) }}
}

// replaceIn is the same in a file of the folder dynamic/.
func replaceIn(name, file, pattern, by string) change {
	return change{name, func(t *testing.T, g *gateway) { g.dynamic(t, file, pattern, by) }}
}

const readRoute = `middlewares: \[retry-connect\]\n`

// TestMiddlewares shows what each part of the gateway costs: a gateway without it, or
// with one more, beside the gateway as it is.
func TestMiddlewares(t *testing.T) {
	compareChanges(t, "middlewares",
		remove("without request-headers", `        - request-headers@file\n`),
		remove("without security-headers", `        - security-headers@file\n`),
		remove("without limit-all", `        - limit-all@file\n`),
		remove("without compress", `        - compress@file\n`),
		replaceIn("without limit-hardware", "hardware.yml", `, limit-hardware\]\n`, "]\n"),
		replaceIn("without hardware-limited", "hardware.yml", `\[hardware-limited, `, "["),
		replaceIn("without retry-connect", "hardware.yml", readRoute, "\n"),
		replaceIn("without failover", "hardware.yml", `service: hardware\n`, "service: hardware-1\n"),
		remove("without metrics", `(?m)^metrics:\n(  .*\n)+`),
		remove("without access log", `(?m)^accessLog:\n(  .*\n)+`),
		replaceIn("with body-limit", "hardware.yml", readRoute, "middlewares: [retry-connect, body-limit]\n"),
		replaceIn("with retry-cut", "hardware.yml", readRoute, "middlewares: [retry-connect, retry-cut]\n"),
		inFlight(),
		replace("with tracing of every request", `(?m)^log:\n`, "tracing:\n  otlp:\n    http:\n      endpoint: http://127.0.0.1:9/v1/traces\nlog:\n"),
	)
}

// inFlight bounds the requests under way, which the gateway does not do.
func inFlight() change {
	return change{"with inFlightReq", func(t *testing.T, g *gateway) {
		g.dynamic(t, "middlewares.yml", `(?m)^  middlewares:\n`, "  middlewares:\n\n    under-way:\n      inFlightReq:\n        amount: 1000\n")
		g.dynamic(t, "hardware.yml", readRoute, "middlewares: [retry-connect, under-way]\n")
	}}
}

// TestSettings tries Traefik's own settings.
func TestSettings(t *testing.T) {
	const log = `(?m)^log:\n`
	compareChanges(t, "settings",
		replace("fastProxy", log, "experimental:\n  fastProxy: {}\nlog:\n"),
		environment("GOGC=100"),
		environment("GOGC=off"),
		replace("access log written by a goroutine of its own", `(?m)^  filePath:`, "  bufferingSize: 100\n  filePath:"),
		replace("access log as text", `(?m)^accessLog:\n  filePath: access.log\n  format: json\n`, "accessLog:\n  filePath: access.log\n  format: common\n"),
		replace("access log of ten fields", `(?m)^    names:\n      ClientUsername: drop\n      StartLocal: drop\n`, neededFields),
		remove("access log of every request", `(?m)^  filters:\n(    .*\n)+`),
		replaceIn("maxIdleConnsPerHost 512", "hardware.yml", `maxIdleConnsPerHost: 64`, "maxIdleConnsPerHost: 512"),
		replaceIn("responseForwarding.flushInterval 1s", "hardware.yml", `(?m)^        serversTransport: hardware\n`, "        serversTransport: hardware\n        responseForwarding:\n          flushInterval: 1s\n"),
		replace("metrics by router and server too", `addServicesLabels: false`, "addServicesLabels: true\n    addRoutersLabels: true"),
	)
}

// neededFields are those that tell who asked for what, who answered, and how.
const neededFields = `    defaultMode: drop
    names:
      ClientHost: keep
      RequestMethod: keep
      RequestPath: keep
      DownstreamStatus: keep
      DownstreamContentSize: keep
      Duration: keep
      OriginDuration: keep
      RouterName: keep
      ServiceURL: keep
      RetryAttempts: keep
`

// environment starts the gateway with further variables.
func environment(variables ...string) change {
	return change{strings.Join(variables, " "), func(_ *testing.T, g *gateway) { g.env = append(g.env, variables...) }}
}

// compareChanges fills a table with a line for each change: what share of the rate it
// gives or takes.
func compareChanges(t *testing.T, name string, changes ...change) {
	t.Helper()
	table := newTable(t, name, "gateway", "answers/s", "beside the gateway as it is")
	u := newUpstreams(t)
	asIs := configured(t)
	usual := rate(t, "as it is", asIs.start(t, u.hardware)+pricePath, asBrowser)
	for _, c := range changes {
		g := configured(t)
		c.apply(t, &g)
		result := pair.Compare(brief, rate(t, c.name, g.start(t, u.hardware)+pricePath, asBrowser), usual)
		r := result.Ratios[0]
		table.row(c.name, fmt.Sprintf("%.0f", result.First), fmt.Sprintf("%+.1f%% (%+.1f%% to %+.1f%%)",
			100*(r.Median-1), 100*(r.Low-1), 100*(r.High-1)))
	}
}
