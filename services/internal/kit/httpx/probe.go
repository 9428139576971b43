package httpx

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// probeTimeout bounds a Probe.
const probeTimeout = 3 * time.Second

// Probe asks the admin address of a running process, host:port, whether it is
// ready; nil says that it is. It is for container engines, whose images have no
// other client.
func Probe(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("admin address: %w", err)
	}
	own := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy stands before this machine's own address
	response, err := own.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}
