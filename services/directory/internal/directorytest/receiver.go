package directorytest

import (
	"io"
	"net/http"
	"strings"
	"sync"
)

// Receiver is every address of a webhook.
type Receiver struct {
	Status int

	mu       sync.Mutex
	received []string
}

// RoundTrip implements http.RoundTripper.
func (r *Receiver) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, string(body))
	return &http.Response{StatusCode: r.Status, Body: io.NopCloser(strings.NewReader("")), Request: request}, err
}

// Received returns the bodies that were sent since it was called last.
func (r *Receiver) Received() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	received := r.received
	r.received = nil
	return received
}
