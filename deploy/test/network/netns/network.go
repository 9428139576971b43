//go:build linux

package netns

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"backend.example/deploy/test/harness"
)

// Network connects hosts. This process forwards, delays or drops their packets.
type Network struct {
	mu    sync.Mutex
	hosts []*Host
	cuts  map[[2]*Host]bool // from one host to another; nil stands for all
	delay time.Duration     // of each packet
	loss  float64           // share of packets
}

// Host is a network namespace, or this process.
type Host struct {
	Name     string
	IP       netip.Addr
	clients  netip.Prefix // further addresses of this process
	device   *os.File
	arriving chan parcel
}

type parcel struct {
	due    time.Time
	packet []byte
}

// The addresses are reserved for tests of networks (RFC 2544). No route leads out of the
// namespace of this process.
var (
	subnet  = netip.MustParsePrefix("198.18.0.0/16")
	clients = netip.MustParsePrefix("198.18.1.0/24")
)

// Usual is the initial delay of a packet.
const Usual = time.Millisecond

// New creates a network whose only host is this process, until the test ends.
func New(t *testing.T) (n *Network, self *Host) {
	t.Helper()
	requireNamespace(t)
	n = &Network{cuts: map[[2]*Host]bool{}, delay: Usual}
	self = n.join(t, "test")
	self.clients = clients
	configure(t, "", self)
	run(t, "ip", "route", "replace", "local", clients.String(), "dev", "lo")
	go n.forward(self)
	return n, self
}

// Host adds a host in a new namespace until the test ends.
func (n *Network) Host(t *testing.T, name string) *Host {
	t.Helper()
	h := n.join(t, name)
	run(t, "ip", "netns", "add", name)
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "delete", name).Run() }) // #nosec G204 -- named by the test; all end with this process
	run(t, "ip", "link", "set", name, "netns", name)
	configure(t, name, h)
	go n.forward(h)
	return h
}

// Command returns the command line that runs a command on the host, in the same process.
func (h *Host) Command(command ...string) []string {
	return append([]string{"ip", "netns", "exec", h.Name}, command...)
}

// At returns the address of a port of the host.
func (h *Host) At(port uint16) string { return netip.AddrPortFrom(h.IP, port).String() }

// Client returns one of many addresses of this process.
func Client() netip.Addr {
	ip := clients.Addr().As4()
	ip[3] = byte(1 + rand.N(254)) // #nosec G115 G404 -- any will do
	return netip.AddrFrom4(ip)
}

// Shape sets the delay of packets and the share that is lost.
func (n *Network) Shape(delay time.Duration, loss float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.delay, n.loss = delay, loss
}

// Cut drops all packets from one host to another. nil stands for all hosts.
func (n *Network) Cut(from, to *Host) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts[[2]*Host{from, to}] = true
}

// Part drops all packets between two hosts in both directions. nil stands for all others.
func (n *Network) Part(a, b *Host) {
	n.Cut(a, b)
	n.Cut(b, a)
}

// Heal ends all cuts.
func (n *Network) Heal() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.cuts)
}

// join creates the device of a new host with the host's name.
func (n *Network) join(t *testing.T, name string) *Host {
	t.Helper()
	h := &Host{Name: name, device: openDevice(t, name), arriving: make(chan parcel, 4096)}
	n.mu.Lock()
	defer n.mu.Unlock()
	h.IP = subnet.Addr().Next()
	for range n.hosts {
		h.IP = h.IP.Next()
	}
	n.hosts = append(n.hosts, h)
	go h.deliver()
	return h
}

// openDevice creates a TUN device, whose packets this process reads and writes.
func openDevice(t *testing.T, name string) *os.File {
	t.Helper()
	request, err := unix.NewIfreq(name)
	if err != nil {
		t.Fatal(err)
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		t.Fatalf("TUN device %s: %v", name, err)
	}
	device := os.NewFile(uintptr(fd), name) // #nosec G115 -- it is open
	t.Cleanup(func() { _ = device.Close() })
	return device
}

func configure(t *testing.T, namespace string, h *Host) {
	t.Helper()
	for _, command := range []string{
		"link set lo up",
		"link set " + h.Name + " mtu 9000 up",
		"addr add " + netip.PrefixFrom(h.IP, subnet.Bits()).String() + " dev " + h.Name,
	} {
		if namespace != "" {
			command = "-n " + namespace + " " + command
		}
		run(t, "ip", strings.Fields(command)...)
	}
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	harness.Run(t, exec.CommandContext(t.Context(), program, args...)) // #nosec G204 -- made above
}

// forward forwards the packets of a host until its device is closed.
func (n *Network) forward(from *Host) {
	const destination, header = 16, 20 // of IPv4
	packet := make([]byte, 1<<16)
	for {
		size, err := from.device.Read(packet)
		if err != nil {
			return
		}
		if size < header || packet[0]>>4 != 4 {
			continue
		}
		ip, _ := netip.AddrFromSlice(packet[destination:header])
		to, delay := n.route(from, ip)
		if to == nil {
			continue
		}
		select {
		case to.arriving <- parcel{time.Now().Add(delay), bytes.Clone(packet[:size])}:
		default: // dropped, like in a router with a full queue
		}
	}
}

// route returns the host of an address, or nil for a packet that is lost.
func (n *Network) route(from *Host, ip netip.Addr) (to *Host, delay time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, h := range n.hosts {
		if h.IP == ip || h.clients.Contains(ip) {
			to = h
		}
	}
	lost := rand.Float64() < n.loss // #nosec G404 -- a lossy wire
	if lost || n.cuts[[2]*Host{from, to}] || n.cuts[[2]*Host{from, nil}] || n.cuts[[2]*Host{nil, to}] {
		return nil, 0
	}
	return to, n.delay
}

// deliver writes the packets for the host in order of arrival.
func (h *Host) deliver() {
	for p := range h.arriving {
		time.Sleep(time.Until(p.due))
		_, _ = h.device.Write(p.packet) // a closed device is a host that is gone
	}
}

// inside is set in the environment of a process in new namespaces.
const inside = "NETWORK_NAMESPACE"

// Main runs the tests of a package in a copy of this process with its own network, mounts
// and process ids, and returns the exit code. If that is not possible it runs them in this
// process, and New skips.
func Main(m *testing.M) int {
	if os.Getenv(inside) == "" {
		if code, err := enter(); err == nil {
			return code
		}
		return m.Run()
	}
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "netns:", err)
		return 1
	}
	return m.Run()
}

// enter runs this program again in new namespaces. It ends with this process, and its child
// processes end with it.
func enter() (code int, err error) {
	runtime.LockOSThread()                                  // the thread whose end is the parent's
	again := exec.Command("/proc/self/exe", os.Args[1:]...) // #nosec G204 G702 -- this program
	again.Env = append(os.Environ(), inside+"=1")
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL,
	}
	var exit *exec.ExitError
	if err = again.Run(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// prepare mounts the file systems of the new namespaces, invisible to others.
func prepare() error {
	const named = "/run/netns" // where ip keeps the names of namespaces
	return errors.Join(
		unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
		os.MkdirAll(named, 0o755), // #nosec G301 -- as ip makes it
		unix.Mount("netns", named, "tmpfs", 0, ""),
	)
}

// requireNamespace skips the test, or fails it if REQUIRE_SERVICES=1.
func requireNamespace(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	harness.Installed(t, "ip")
	if os.Getenv(inside) == "" {
		harness.Unavailable(t, "no network namespaces can be made: that takes root on Linux")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		harness.Unavailable(t, "there is no /dev/net/tun")
	}
}
