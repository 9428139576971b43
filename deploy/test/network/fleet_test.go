//go:build linux

package network

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

func TestMain(m *testing.M) { os.Exit(netns.Main(m)) }

const (
	// site is the public address of the backend. Clients connect to a gateway for it.
	site = "http://backend.test"
	// interval is the least time between two requests to the aggregator.
	interval = 250 * time.Millisecond
	replicas = 3
)

// machine is a host with its program.
type machine struct {
	*netns.Host
	*harness.Process
	folder  string
	env     []string
	command []string
	ready   func(t *testing.T)
}

// start runs the program, for the first time or again, until it is ready.
func (m *machine) start(t *testing.T) {
	t.Helper()
	command := m.Command(m.command...)
	m.Process = harness.Start(t, m.Name, m.folder, m.env, harness.Installed(t, command[0]), command[1:]...)
	m.ready(t)
}

// run runs a command of the program and returns what it prints.
func (m *machine) run(t *testing.T, args ...string) string {
	t.Helper()
	line := m.Command(slices.Concat(m.command, args)...)
	command := exec.CommandContext(t.Context(), line[0], line[1:]...) // #nosec G204 -- a program of ours
	command.Env, command.Dir = append(m.env, "PATH="+os.Getenv("PATH")), m.folder
	return harness.Run(t, command)
}

// fleet is a backend whose parts run on hosts of their own.
type fleet struct {
	net         *netns.Network
	sandbox     harness.Sandbox
	gateways    []*machine
	hardware    []*machine
	directories []*machine
	sentinels   []*machine
	redis       []*machine
	postgres    []*postgres // the primary first
	database    string      // its name
}

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{}
	f.net, _ = netns.New(t)
	f.startSandbox(t)
	f.startRedis(t)
	f.startPostgres(t)
	// The services need the addresses of the gateways, and the other way round.
	gateways := []*netns.Host{f.net.Host(t, "gateway-1"), f.net.Host(t, "gateway-2")}
	proxies := fmt.Sprintf("%s/32,%s/32", gateways[0].IP, gateways[1].IP)
	directory := harness.DirectoryEnv(f.databaseURL(f.database), site, f.sandbox)
	for i := range replicas {
		f.hardware = append(f.hardware, f.service(t, "hardware", i, "HARDWARE_REDIS_URL="+f.redisURL(), "HARDWARE_TRUSTED_PROXIES="+proxies,
			"HARDWARE_BENCHMARK_BASE_URL="+f.sandbox.Benchmark, "HARDWARE_AGGREGATOR_BASE_URL="+f.sandbox.Aggregator,
			"HARDWARE_PRICE_INTERVAL="+interval.String(), "HARDWARE_PRICE_MAX_WAIT=2s", "HARDWARE_WARM=0", fmt.Sprintf("HARDWARE_MAX_REPLICAS=%d", replicas)))
		f.directories = append(f.directories, f.service(t, "directory", i, append(slices.Clip(directory), "DIRECTORY_TRUSTED_PROXIES="+proxies)...))
	}
	f.directories[0].run(t, "seed")
	for _, m := range slices.Concat(f.hardware, f.directories) {
		m.start(t)
	}
	for _, h := range gateways {
		f.gateways = append(f.gateways, f.gateway(t, h))
	}
	return f
}

func (f *fleet) startSandbox(t *testing.T) {
	t.Helper()
	h := f.net.Host(t, "world")
	m := &machine{Host: h, folder: t.TempDir(), command: []string{harness.Built(t, "sandbox")}}
	f.sandbox, m.env = harness.NewSandbox(site, func(i int) string { return h.At(uint16(9090 + i)) }) // #nosec G115 -- small
	m.env = append(m.env, "SANDBOX_ALLOW_REMOTE=true")
	m.ready = func(t *testing.T) { t.Helper(); harness.Healthy(t, f.sandbox.Control+"/healthz") }
	m.start(t)
}

// service returns a replica that is not yet started.
func (f *fleet) service(t *testing.T, program string, i int, env ...string) *machine {
	t.Helper()
	h := f.net.Host(t, fmt.Sprintf("%s-%d", program, i+1))
	folder, prefix := t.TempDir(), strings.ToUpper(program)
	return &machine{
		Host: h, folder: folder, command: []string{harness.Built(t, program)},
		env:   append([]string{prefix + "_ADDR=" + h.At(8080), prefix + "_ADMIN_ADDR=" + h.At(9080)}, env...),
		ready: func(t *testing.T) { t.Helper(); harness.Healthy(t, "http://"+h.At(9080)+"/readyz") },
	}
}

// gateway starts a gateway with the repository's own configuration at other addresses.
func (f *fleet) gateway(t *testing.T, h *netns.Host) *machine {
	t.Helper()
	folder := harness.Path(t, "gateway")
	static := harness.GatewayAt(harness.ReadFile(t, filepath.Join(folder, "traefik.yml")), h.At(8080), h.At(9080))
	config := filepath.Join(t.TempDir(), "traefik.yml")
	harness.WriteFile(t, config, static)
	m := &machine{
		Host: h, folder: folder, command: []string{harness.Built(t, "gateway"), "--configFile=" + config},
		env: []string{"GATEWAY_HARDWARE_SERVERS=" + servers(f.hardware), "GATEWAY_DIRECTORY_SERVERS=" + servers(f.directories)},
		ready: func(t *testing.T) {
			t.Helper()
			harness.Healthy(t, "http://"+h.At(8080)+"/api/benchmark/usb?limit=1")
			harness.Healthy(t, "http://"+h.At(8080)+"/api/bizprofile/audit/health")
		},
	}
	m.start(t)
	return m
}

func servers(machines []*machine) string {
	var list []string
	for _, m := range machines {
		list = append(list, m.At(8080)+"/9080")
	}
	return strings.Join(list, ",")
}

const redisPort, sentinelPort, sentinels = 6379, 26379, 3

// startRedis runs a master, its replica and the sentinels that watch them.
func (f *fleet) startRedis(t *testing.T) {
	t.Helper()
	server := func(name string, port uint16, args ...string) *machine {
		h := f.net.Host(t, name)
		m := &machine{Host: h, folder: t.TempDir()}
		m.command = slices.Concat([]string{harness.Installed(t, "redis-server")}, args, []string{
			"--bind", h.IP.String(), "--port", fmt.Sprint(port), "--protected-mode", "no",
		})
		m.ready = func(t *testing.T) { t.Helper(); harness.AwaitListener(t, h.At(port)) }
		m.start(t)
		return m
	}
	unsaved := []string{"--save", "", "--appendonly", "no", "--repl-timeout", "5"}
	master := server("redis-1", redisPort, unsaved...)
	f.redis = []*machine{master, server("redis-2", redisPort, append(unsaved, "--replicaof", master.IP.String(), fmt.Sprint(redisPort))...)}
	for i := range sentinels {
		config := filepath.Join(t.TempDir(), "sentinel.conf")
		harness.WriteFile(t, config, fmt.Sprintf("sentinel monitor main %s %d 2\nsentinel down-after-milliseconds main 1500\n"+
			"sentinel failover-timeout main 4000\n", master.IP, redisPort))
		f.sentinels = append(f.sentinels, server(fmt.Sprintf("sentinel-%d", i+1), sentinelPort, config, "--sentinel"))
	}
	f.awaitRedis(t)
}

// redisURL returns a URL with the sentinels.
func (f *fleet) redisURL() string {
	url := fmt.Sprintf("redis-sentinel://%s?master_name=main", f.sentinels[0].At(sentinelPort))
	for _, s := range f.sentinels[1:] {
		url += "&addr=" + s.At(sentinelPort)
	}
	return url
}

// master returns the Redis master according to the first sentinel.
func (f *fleet) master(t *testing.T) *machine {
	t.Helper()
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: f.sentinels[0].At(sentinelPort)})
	defer sentinel.Close()
	at, err := sentinel.GetMasterAddrByName(t.Context(), "main").Result()
	if err != nil {
		t.Fatal(err)
	}
	return f.redis[slices.IndexFunc(f.redis, func(m *machine) bool { return m.IP.String() == at[0] })]
}

// awaitRedis waits until all sentinels agree on a master that has a replica.
func (f *fleet) awaitRedis(t *testing.T) {
	t.Helper()
	harness.EventuallyWithin(t, healing, "the sentinels see a master with a replica", func() bool {
		for _, s := range f.sentinels {
			client := redis.NewSentinelClient(&redis.Options{Addr: s.At(sentinelPort)})
			state, err := client.Master(t.Context(), "main").Result()
			_ = client.Close()
			if err != nil || state["flags"] != "master" || state["num-slaves"] != "1" || state["num-other-sentinels"] != fmt.Sprint(sentinels-1) {
				return false
			}
		}
		client := redis.NewClient(&redis.Options{Addr: f.master(t).At(redisPort)})
		defer client.Close()
		return strings.Contains(client.Info(t.Context(), "replication").Val(), "state=online")
	})
}

const postgresPort = 5432

// postgres is a server with its files.
type postgres struct {
	*machine
	files *harness.Postgres
}

func (f *fleet) newPostgres(t *testing.T, h *netns.Host) *postgres {
	t.Helper()
	files := harness.NewPostgres(t)
	p := &postgres{files: files, machine: &machine{Host: h, folder: filepath.Dir(files.Data())}}
	// Only root can enter a namespace, and PostgreSQL refuses to run as root.
	p.command = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", harness.Installed(t, "postgres"),
		"-D", files.Data(), "-k", p.folder, "-c", "listen_addresses=" + h.IP.String(), "-c", "fsync=off",
		"-c", "wal_sender_timeout=5s", "-c", "wal_receiver_timeout=5s"}
	p.ready = func(t *testing.T) {
		t.Helper()
		db := harness.OpenDatabase(t, p.url("postgres"))
		harness.Eventually(t, h.Name+" answers", func() bool { return db.PingContext(t.Context()) == nil })
	}
	return p
}

func (p *postgres) url(database string) string {
	return "postgres://postgres@" + p.At(postgresPort) + "/" + database + "?sslmode=disable&connect_timeout=5"
}

// startPostgres runs a primary, whose commits its standby confirms.
func (f *fleet) startPostgres(t *testing.T) {
	t.Helper()
	primary, standby := f.newPostgres(t, f.net.Host(t, "postgres-1")), f.newPostgres(t, f.net.Host(t, "postgres-2"))
	f.postgres, f.database = []*postgres{primary, standby}, "directory"
	primary.files.Init(t)
	primary.files.Bash(t, `printf 'host %s postgres 198.18.0.0/16 trust\n' all replication >>"$DATA/pg_hba.conf"`)
	primary.start(t)
	harness.Execute(t, harness.OpenDatabase(t, primary.url("postgres")), "CREATE DATABASE "+f.database)
	f.follow(t)
}

// follow makes the second server the standby of the first one.
func (f *fleet) follow(t *testing.T) {
	t.Helper()
	primary, standby := f.postgres[0], f.postgres[1]
	standby.files.Bash(t, `rm -rf "$DATA";`+commands(t, `pg_basebackup -d "$PRIMARY" -D "$DATA"`), "PRIMARY="+primary.url("postgres"))
	standby.start(t)
	harness.Execute(t, harness.OpenDatabase(t, primary.url("postgres")),
		"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
	f.awaitPostgres(t)
}

// awaitPostgres waits until the standby confirms commits.
func (f *fleet) awaitPostgres(t *testing.T) {
	t.Helper()
	db := harness.OpenDatabase(t, f.postgres[0].url("postgres"))
	harness.EventuallyWithin(t, healing, "the standby confirms commits", func() bool {
		var n int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')").Scan(&n)
		return err == nil && n == 1
	})
}

// commands returns the commands of deploy/README.md that begin with the given words.
func commands(t *testing.T, beginning string) string {
	t.Helper()
	return harness.Commands(t, harness.Path(t, "deploy", "README.md"), beginning)
}

// promote makes the standby the primary. The old primary must not return as a primary.
func (f *fleet) promote(t *testing.T) {
	t.Helper()
	f.postgres[1].files.Bash(t, commands(t, `pg_ctl promote`))
	f.postgres[0], f.postgres[1] = f.postgres[1], f.postgres[0]
}

// demote makes the old primary the standby of the new one.
func (f *fleet) demote(t *testing.T) {
	t.Helper()
	f.postgres[1].Kill()
	f.net.Heal()
	f.follow(t)
}

// databaseURL returns a URL with both servers, of which the one that accepts writes is used.
func (f *fleet) databaseURL(database string) string {
	return "postgres://postgres@" + f.postgres[0].At(postgresPort) + "," + f.postgres[1].At(postgresPort) + "/" + database +
		"?sslmode=disable&connect_timeout=2&target_session_attrs=read-write"
}
