package upstream

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Kind names a way to misbehave.
type Kind string

// The kinds that every site knows.
const (
	Down    Kind = "down"
	Slow    Kind = "slow"
	Status  Kind = "status"
	Garbage Kind = "garbage"
)

const maxDelay = 10 * time.Minute

// FaultKind is a kind with what it does, in Polish, for the admin page.
type FaultKind struct {
	Kind  Kind
	Text  string
	Coded bool // takes the code of an error of the site, and a subcode
}

// commonFaults are the kinds that the injector plays for every site.
func commonFaults() []FaultKind {
	return []FaultKind{
		{Kind: Down, Text: "zrywa połączenie bez odpowiedzi"},
		{Kind: Slow, Text: "odpowiada poprawnie, ale po delay_ms milisekundach"},
		{Kind: Status, Text: "odpowiada kodem status, na życzenie z Retry-After (retry_after sekund)"},
		{Kind: Garbage, Text: "odpowiada 200 i przypadkowymi bajtami"},
	}
}

// Fault is one order to misbehave, as the control address takes and shows it.
type Fault struct {
	Kind       Kind   `json:"kind"`
	DelayMS    int    `json:"delay_ms,omitempty"`    // wait before the fault; needed by slow
	Status     int    `json:"status,omitempty"`      // status: 200 to 599
	RetryAfter int    `json:"retry_after,omitempty"` // status: Retry-After in seconds
	Code       int    `json:"code,omitempty"`        // of the site's own error; only for kinds that are Coded
	Subcode    int    `json:"subcode,omitempty"`     // likewise, optional
	Times      int    `json:"times,omitempty"`       // requests left; 0: until removed
	Match      string `json:"match,omitempty"`       // prefix of the encoded path; empty: every page that is not spared
}

// ReadFault reads exactly one JSON object of the documented fields.
func ReadFault(body io.Reader) (Fault, error) {
	var fault Fault
	if err := readObject(body, &fault); err != nil {
		return Fault{}, fmt.Errorf("the fault is %w", err)
	}
	return fault, nil
}

func (f Fault) delay() time.Duration { return time.Duration(f.DelayMS) * time.Millisecond }

// check reports every problem of a fault at once.
func (f Fault) check(kinds []FaultKind) error {
	return errors.Join(f.checkKind(kinds), f.checkOptions())
}

func (f Fault) checkKind(kinds []FaultKind) error {
	var names []string
	for _, kind := range kinds {
		switch {
		case kind.Kind != f.Kind:
			names = append(names, string(kind.Kind))
		case !kind.Coded && (f.Code != 0 || f.Subcode != 0):
			return fmt.Errorf("code and subcode are not for kind %s", f.Kind)
		case kind.Coded && (f.Code < 1 || f.Subcode < 0):
			return fmt.Errorf("code must be positive for kind %s, and subcode must not be negative", f.Kind)
		default:
			return nil
		}
	}
	return fmt.Errorf("kind %q is not one of: %s", f.Kind, strings.Join(names, ", "))
}

func (f Fault) checkOptions() error {
	var problems []error
	refuse := func(wrong bool, format string, values ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, values...))
		}
	}
	refuse(f.DelayMS < 0 || f.delay() > maxDelay, "delay_ms must be between 0 and %d", maxDelay.Milliseconds())
	refuse(f.Kind == Slow && f.DelayMS == 0, "delay_ms is required for kind slow")
	refuse(f.Kind != Status && f.Status != 0, "status is only for kind status")
	refuse(f.Kind == Status && (f.Status < 200 || f.Status > 599), "status must be between 200 and 599")
	refuse(f.Kind != Status && f.RetryAfter != 0 || f.RetryAfter < 0, "retry_after is seconds for kind status")
	refuse(f.Times < 0, "times must not be negative")
	refuse(f.Match != "" && !strings.HasPrefix(f.Match, "/"), "match must begin with /")
	return errors.Join(problems...)
}
