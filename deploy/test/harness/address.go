package harness

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
)

// ChangingAddresses makes each connection from another loopback address, so that the
// limits for one client do not stand in the way.
func ChangingAddresses() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 512,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			from := net.IPv4(127, byte(1+rand.N(250)), byte(rand.N(250)), byte(1+rand.N(250))) // #nosec G404 -- any will do
			return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, network, address)
		},
	}
}
