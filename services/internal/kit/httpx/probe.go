package httpx

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// probeTimeout bounds Probe.
const probeTimeout = 3 * time.Second

// probeClient asks without a proxy, as the process is on this machine.
var probeClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// Probe returns nil when the process with this admin address, host:port, is ready.
// It is the health check of container images, which hold no other client.
func Probe(ctx context.Context, addr string) error { return probe(ctx, probeClient, addr) }

func probe(ctx context.Context, client *http.Client, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("admin address: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}
