package bench

import (
	"strings"
	"testing"

	"backend.example/deploy/test/bench/pair"
)

// TestGateway compares the whole path through the gateway with programs that only pass
// requests on. The service and the plain handler have the processor that the gateways
// leave alone.
func TestGateway(t *testing.T) {
	table := newTable(t, "gateway", hitColumns...)
	service := startHardware(t, othersCPU, 1).Hardware[0]
	plain := startPlainHandler(t, othersCPU, service.URL(), "")
	entrance := startGateway(t, service.Server())
	rivals := []struct {
		name, base string
		wanted     float64
	}{
		{name: "bare Traefik, plain handler", base: startBareTraefik(t, strings.TrimPrefix(plain, "http://")), wanted: 0.65},
		{name: "nginx, plain handler", base: nginxProxy(t, plain), wanted: 0},
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
		rate(t, "gateway", entrance+rankingPath, asBrowser), rate(t, "itself, without Accept-Encoding", entrance+rankingPath))
	table.ratio("ranking of 200 rows", result, result.Ratios[0], 0)
}

// asBrowser is the header of browsers, to which the service responds with gzip.
const asBrowser = "Accept-Encoding: gzip, deflate, br, zstd"
