package directorytest

import (
	"context"
	"strings"
	"sync"

	"backend.example/services/directory/internal/directory"
)

// Receiver is every address of a webhook. It answers as a test says; addresses that
// begin with http: it refuses.
type Receiver struct {
	Answer directory.Answer // at first: everything is taken
	During func(directory.Message)

	mu       sync.Mutex
	received []directory.Message
}

// Check implements directory.Sender.
func (r *Receiver) Check(address string) error {
	if strings.HasPrefix(address, "http:") {
		return directory.CodeInvalidWebhook.Fault()
	}
	return nil
}

// Send implements directory.Sender.
func (r *Receiver) Send(_ context.Context, m directory.Message) directory.Answer {
	if r.During != nil {
		r.During(m)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.received = append(r.received, m)
	return r.Answer
}

// Received returns what was sent since it was called last.
func (r *Receiver) Received() []directory.Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	received := r.received
	r.received = nil
	return received
}
