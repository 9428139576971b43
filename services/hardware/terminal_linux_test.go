package main

import (
	"os"
	"strings"
	"testing"

	"backend.example/services/internal/kit/cli/clitest"
)

// TestTerminalShowsLinksAndProgress: at a terminal, addresses are links, and the wait for the
// source is shown until there is something to print.
func TestTerminalShowsLinksAndProgress(t *testing.T) {
	link := func(address, text string) string { return "\x1b]8;;" + address + "\x1b\\" + text + "\x1b]8;;\x1b\\" }
	source := newFakeSource(t)
	environ := append(source.environ(t), "TERM=xterm", "HARDWARE_PRICE_INTERVAL=300ms")
	for _, test := range []struct {
		args           []string
		waits          string // empty: it does not
		first, address string
	}{
		{[]string{"benchmark", "gpu"}, "", "RANK", link("https://gpu.userbenchmark.com/AMD-RX-9070/Rating/4200", "RX 9070")},
		{[]string{"price", knownPart}, "for our turn at the source…", "Karta graficzna MSI", link(source.URL+"/Click/Offer/?e=a", strings.TrimPrefix(source.URL, "http://")+"/Click/Offer")},
		{[]string{"quote", knownPart}, "0 of 1 parts looked up…", "PART", link(source.URL+"/Click/Offer/?e=a", "Podzespoły Łódź")},
	} {
		out := clitest.OnTerminal(t, func(screen *os.File) error {
			return newProgram(environ, nil, screen, screen).Run(t.Context(), test.args)
		})
		steps := strings.Split(out, "\x1b[A\x1b[K") // each but the last is progress
		last := len(steps) - 1
		if progress := strings.Join(steps[:last], ""); (last > 0) != (test.waits != "") || !strings.Contains(progress, test.waits) ||
			!strings.HasPrefix(steps[last], test.first) || !strings.Contains(steps[last], test.address) {
			t.Errorf("%q: printed %q", test.args, out)
		}
	}
}
