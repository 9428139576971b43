package httpx

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/build"
)

// RegisterBuild registers <service>_build_info, whose labels say which build runs, so
// that a change of behaviour can be told from a change of version.
func RegisterBuild(registry prometheus.Registerer, service string, b build.Info) {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: service, Name: "build_info", Help: "Always 1; the labels say which build runs.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "goversion": runtime.Version()},
	})
	info.Set(1)
	registry.MustRegister(info)
}
