package webhook

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/outbound"
)

// Options are what a Sender works with.
type Options struct {
	Transport    http.RoundTripper // refuses inner addresses, unless they are allowed
	AllowPrivate bool              // plain http and inner addresses may be called, too
	UserAgent    string
	Now          func() time.Time
}

// Sender sends events. It implements directory.Sender.
type Sender struct {
	options Options
	client  *http.Client
}

// New returns a Sender. It follows no redirect: what is named is what is called.
func New(options Options) *Sender {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Sender{options: options, client: &http.Client{Transport: options.Transport, CheckRedirect: stay}}
}

const (
	urlLimit    = 1000
	answerLimit = 16 << 10 // of an answer that is read, so that its connection can be used again
)

// Check refuses what is no public https address. A user name would be a secret that
// is kept in the clear. To what address a name leads is looked at with each connection.
func (s *Sender) Check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil, len(address) > urlLimit, u.Hostname() == "", u.User != nil, u.Fragment != "", u.Opaque != "":
		return directory.CodeInvalidWebhook.Wrap(err)
	case s.options.AllowPrivate && (u.Scheme == "https" || u.Scheme == "http"):
		return nil
	case u.Scheme != "https", outbound.IsInner(u.Hostname()):
		return directory.CodeInvalidWebhook.Fault()
	}
	return nil
}

// Send makes one attempt, for which ctx sets the time. Of the answer the status alone
// counts.
func (s *Sender) Send(ctx context.Context, m directory.Message) directory.Answer {
	request, err := s.request(ctx, m)
	if err != nil {
		return directory.Answer{Result: directory.ResultForbidden}
	}
	response, err := s.client.Do(request)
	if errors.Is(err, outbound.ErrPrivateAddress) {
		return directory.Answer{Result: directory.ResultForbidden}
	}
	if err != nil {
		return directory.Answer{Result: directory.ResultUnreachable}
	}
	_, _ = io.CopyN(io.Discard, response.Body, answerLimit)
	_ = response.Body.Close() // read as far as it matters
	return directory.Answer{Result: resultOf(response.StatusCode), Status: response.StatusCode}
}

func (s *Sender) request(ctx context.Context, m directory.Message) (*http.Request, error) {
	if err := s.Check(m.URL); err != nil { // what is allowed may have changed since it was added
		return nil, err
	}
	content, err := encode(m.Event)
	if err != nil {
		return nil, err
	}
	now := s.options.Now()
	signature, err := sign(m.Secrets, m.Event.ID, now, content)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.options.UserAgent)
	request.Header.Set("webhook-id", m.Event.ID)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("webhook-signature", signature)
	return request, nil
}

func resultOf(status int) directory.DeliveryResult {
	switch {
	case status >= 200 && status < 300:
		return directory.ResultDelivered
	case status == http.StatusGone:
		return directory.ResultGone
	}
	return directory.ResultRefused
}
