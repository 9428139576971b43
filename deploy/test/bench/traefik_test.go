package bench

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"backend.example/deploy/test/harness"
)

// gateway is a Traefik: the text of its install configuration and of the files of
// its folder dynamic/, by name.
type gateway struct {
	static string
	files  map[string]string
	env    []string
}

// configured is the gateway as docker-compose.yml runs it, with rate limits that are counted
// and never reached, and an access log that goes to a file.
func configured(t *testing.T) gateway {
	t.Helper()
	folder := harness.Path(t, "gateway")
	g := gateway{files: map[string]string{}, env: []string{"GATEWAY_MAX_RATE=1000000", "GOGC=400", "GOMEMLIMIT=256MiB"}}
	g.static = harness.ReadFile(t, filepath.Join(folder, "traefik.yml"))
	for _, name := range []string{"directory.yml", "hardware.yml", "middlewares.yml"} {
		g.files[name] = harness.ReadFile(t, filepath.Join(folder, "dynamic", name))
	}
	g.dynamic(t, "middlewares.yml", `average: 50\n        burst: 200`, "average: 1000000\n        burst: 1000000")
	g.install(t, `(?m)^accessLog:\n`, "accessLog:\n  filePath: access.log\n")
	return g
}

// bareTraefik is one that does nothing but pass requests on.
func bareTraefik() gateway {
	return gateway{
		static: "entryPoints:\n  web:\n    address: \":8080\"\n  internal:\n    address: \"127.0.0.1:9080\"\nping:\n  entryPoint: internal\nproviders:\n  file:\n    directory: dynamic\nlog:\n  level: ERROR\n",
		files: map[string]string{"all.yml": `
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
          - url: http://{{ env "GATEWAY_HARDWARE_SERVERS" | splitList "/" | first }}
`},
	}
}

// install changes the install configuration where pattern matches.
func (g *gateway) install(t *testing.T, pattern, by string) {
	t.Helper()
	g.static = changed(t, g.static, pattern, by)
}

// dynamic changes a file of the folder dynamic/ where pattern matches.
func (g *gateway) dynamic(t *testing.T, name, pattern, by string) {
	t.Helper()
	g.files[name] = changed(t, g.files[name], pattern, by)
}

func changed(t *testing.T, text, pattern, by string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	if !re.MatchString(text) {
		t.Fatalf("the gateway's files do not hold %s", pattern)
	}
	return re.ReplaceAllLiteralString(text, by)
}

// start runs the gateway on its processor in front of a hardware service, host:port
// or host:port/adminport, and returns its base address.
func (g *gateway) start(t *testing.T, hardware string) string {
	t.Helper()
	folder := t.TempDir()
	addr, internal := harness.FreeAddr(t), harness.FreeAddr(t)
	harness.WriteFile(t, filepath.Join(folder, "traefik.yml"), harness.GatewayAt(g.static, addr, internal))
	for name, text := range g.files {
		harness.WriteFile(t, filepath.Join(folder, "dynamic", name), text)
	}
	env := append([]string{"GATEWAY_HARDWARE_SERVERS=" + hardware}, g.env...)
	start(t, serverCPU, folder, env, harness.Built(t, "gateway"), "--configFile=traefik.yml")
	harness.Healthy(t, fmt.Sprintf("http://%s/ping", internal))
	harness.Healthy(t, fmt.Sprintf("http://%s%s", addr, pricePath))
	return "http://" + addr
}
