// Package faults owns the ways in which a stand-in can be made to misbehave:
// what a fault is, which one is on for which site, and the playing of those
// that make sense for any site. Faults that need the words of one site are
// declared by that site and handed to its handler in the request's context.
package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// Kind names a fault.
type Kind string

// The kinds that every site knows.
const (
	Down      Kind = "down"
	Slow      Kind = "slow"
	Status    Kind = "status"
	Redirect  Kind = "redirect"
	Truncated Kind = "truncated"
	Garbage   Kind = "garbage"
	Huge      Kind = "huge"
)

const (
	maxBody       = 4 << 10
	maxDelay      = 10 * time.Minute
	maxRetryAfter = 24 * 60 * 60
)

// Fault is one order to misbehave, as the control address takes and shows it.
type Fault struct {
	Kind       Kind   `json:"kind"`
	DelayMS    int    `json:"delay_ms,omitempty"`    // wait before the fault is played; needed by slow
	Status     int    `json:"status,omitempty"`      // status: 200 to 599
	RetryAfter int    `json:"retry_after,omitempty"` // status: Retry-After in seconds
	Location   string `json:"location,omitempty"`    // redirect: http(s) URL or path
	Code       int    `json:"code,omitempty"`        // of the site's own error; only for kinds that are Coded
	Subcode    int    `json:"subcode,omitempty"`     // likewise, optional
	Times      int    `json:"times,omitempty"`       // requests left; 0 = until removed
	Match      string `json:"match,omitempty"`       // prefix of the encoded path; empty = every page
}

// Decode reads exactly one JSON object of the documented fields.
func Decode(body io.Reader) (Fault, error) {
	decoder := json.NewDecoder(io.LimitReader(body, maxBody))
	decoder.DisallowUnknownFields()
	var fault Fault
	if err := decoder.Decode(&fault); err != nil {
		return Fault{}, fmt.Errorf("fault is not a valid JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Fault{}, errors.New("fault is followed by more text: send one JSON object")
	}
	return fault, nil
}

// validate reports every problem of the options at once.
func (f Fault) validate() error {
	return errors.Join(f.validateDelay(), f.validateStatus(), f.validateRetryAfter(),
		f.validateLocation(), f.validateReach())
}

func (f Fault) validateDelay() error {
	switch {
	case f.DelayMS < 0 || f.delay() > maxDelay:
		return fmt.Errorf("delay_ms must be between 0 and %d", maxDelay.Milliseconds())
	case f.Kind == Slow && f.DelayMS == 0:
		return errors.New("delay_ms is required for kind slow")
	}
	return nil
}

func (f Fault) validateStatus() error {
	switch {
	case f.Kind != Status && f.Status != 0:
		return errors.New("status is only for kind status")
	case f.Kind == Status && (f.Status < 200 || f.Status > 599):
		return errors.New("status must be between 200 and 599")
	}
	return nil
}

func (f Fault) validateRetryAfter() error {
	switch {
	case f.Kind != Status && f.RetryAfter != 0:
		return errors.New("retry_after is only for kind status")
	case f.RetryAfter < 0 || f.RetryAfter > maxRetryAfter:
		return fmt.Errorf("retry_after must be between 0 and %d seconds", maxRetryAfter)
	}
	return nil
}

func (f Fault) validateLocation() error {
	if f.Kind != Redirect {
		if f.Location != "" {
			return errors.New("location is only for kind redirect")
		}
		return nil
	}
	target, err := url.Parse(f.Location)
	if err != nil {
		return fmt.Errorf("location is not a URL: %w", err)
	}
	absolute := (target.Scheme == "http" || target.Scheme == "https") && target.Host != ""
	if !absolute && !strings.HasPrefix(f.Location, "/") {
		return errors.New("location must be an http(s) URL or a path that begins with /")
	}
	return nil
}

func (f Fault) validateReach() error {
	var problems []error
	if f.Times < 0 {
		problems = append(problems, errors.New("times must not be negative"))
	}
	if f.Match != "" && !strings.HasPrefix(f.Match, "/") {
		problems = append(problems, errors.New("match must begin with /"))
	}
	return errors.Join(problems...)
}

func (f Fault) delay() time.Duration {
	return time.Duration(f.DelayMS) * time.Millisecond
}
