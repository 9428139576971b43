package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"backend.example/services/internal/kit/outbound"
)

const (
	urlLimit      = 1000
	responseLimit = 16 << 10 // of a response that is read, so that its connection can be reused
)

// check refuses everything but public https addresses. A user name would be a secret in
// the clear. The address that a name resolves to is checked by the transport.
func (s *Service) check(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil, len(address) > urlLimit, u.Hostname() == "", u.User != nil, u.Fragment != "":
		return CodeInvalidWebhook.Wrap(err)
	case s.AllowPrivate && (u.Scheme == "https" || u.Scheme == "http"):
		return nil
	case u.Scheme != "https", outbound.IsInner(u.Hostname()):
		return CodeInvalidWebhook.Fault()
	}
	return nil
}

// send makes one attempt, and returns the result, the status and how long the receiver asks to
// wait.
func (s *Service) send(ctx context.Context, hook Webhook, d Delivery) (Result, int, time.Duration) {
	if hook.Secret == "" {
		return NoSecret, 0, 0
	}
	ctx, cancel := context.WithTimeout(ctx, SendTimeout)
	defer cancel()
	request, err := s.request(ctx, hook, d)
	if err != nil {
		return Forbidden, 0, 0
	}
	response, err := s.client.Do(request)
	if err != nil {
		return failureOf(err), 0, 0
	}
	_, _ = io.CopyN(io.Discard, response.Body, responseLimit)
	_ = response.Body.Close() // nothing more is read
	switch {
	case response.StatusCode >= 200 && response.StatusCode < 300:
		return Accepted, response.StatusCode, 0
	case response.StatusCode == http.StatusGone:
		return ReceiverGone, response.StatusCode, 0
	}
	return Refused, response.StatusCode, s.askedWait(response)
}

// askedWait returns Retry-After, at most longestAskedWait; without a valid one a minute after 429,
// else 0.
func (s *Service) askedWait(r *http.Response) time.Duration {
	header := r.Header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(header, 10, 64); err == nil {
		seconds = min(seconds, uint64(longestAskedWait/time.Second))
		return time.Duration(seconds) * time.Second // #nosec G115 -- at most a day
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(s.DB.Now()), 0), longestAskedWait)
	}
	if r.StatusCode == http.StatusTooManyRequests {
		return waitAfter429
	}
	return 0
}

func failureOf(err error) Result {
	var name *net.DNSError
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var timeout net.Error
	switch {
	case errors.Is(err, outbound.ErrPrivateAddress):
		return Forbidden
	case errors.As(err, &timeout) && timeout.Timeout():
		return TimedOut
	case errors.As(err, &name):
		return Unresolved
	case errors.Is(err, syscall.ECONNREFUSED):
		return NoConnection
	case errors.As(err, &verification), errors.As(err, &record), errors.As(err, &alert):
		return TLSFailed
	}
	return Unreachable
}

type body struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// Body returns what is sent in each attempt.
func (d Delivery) Body() ([]byte, error) {
	return json.Marshal(body{d.Type, d.At.UTC(), json.RawMessage(d.Data)})
}

func (s *Service) request(ctx context.Context, hook Webhook, d Delivery) (*http.Request, error) {
	if err := s.check(hook.URL); err != nil { // the settings may have changed since it was added
		return nil, err
	}
	content, err := d.Body()
	if err != nil {
		return nil, err
	}
	now := s.DB.Now()
	signature, err := sign(hook.secrets(now), d.EventID, now, content)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, hook.URL, bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", s.UserAgent)
	request.Header.Set("webhook-id", d.EventID)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(now.Unix(), 10))
	request.Header.Set("webhook-signature", signature)
	return request, nil
}

// sign makes a signature by each secret, so that a receiver that has only one of them can verify
// it.
func sign(secrets []string, id string, at time.Time, content []byte) (string, error) {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", errors.New("webhook: the secret is not base64")
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		_, _ = mac.Write(content)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " "), nil
}
