package fake

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

const maxDelay = 10 * time.Minute

// Fault is an order to misbehave, as the control address reads and shows it. It affects requests whose encoded path
// begins with Match, waits DelayMS and then does what Kind says.
type Fault struct {
	Kind       string            `json:"kind"`
	Match      string            `json:"match,omitempty"`       // prefix; empty: every path that is not spared
	Times      int               `json:"times,omitempty"`       // requests left; 0: until removed
	DelayMS    int               `json:"delay_ms,omitempty"`    // before the fault; required by slow
	Status     int               `json:"status,omitempty"`      // status: 200 to 599
	RetryAfter int               `json:"retry_after,omitempty"` // status: Retry-After in seconds
	Headers    map[string]string `json:"headers,omitempty"`     // status
	Body       string            `json:"body,omitempty"`        // status; empty: a small page
	Code       int               `json:"code,omitempty"`        // the site's own error; kinds that are Coded
	Subcode    int               `json:"subcode,omitempty"`     // likewise, optional
}

// FaultKind is one way to misbehave.
type FaultKind struct {
	Kind  string
	Text  string // Polish, for the admin page
	Coded bool   // takes a code, and optionally a subcode
	// Act answers the request, or returns false if the site shall answer. A nil Act lets
	// the site answer after the delay.
	Act func(w http.ResponseWriter, r *http.Request, fault Fault) bool
}

func commonFaults() []FaultKind {
	return []FaultKind{
		{Kind: "down", Text: "zrywa połączenie bez odpowiedzi", Act: cut},
		{Kind: "slow", Text: "odpowiada poprawnie, ale po delay_ms milisekundach"},
		{Kind: "status", Text: "odpowiada kodem status, na życzenie z retry_after (sekundy), headers i body",
			Act: sendStatus},
		{Kind: "garbage", Text: "odpowiada 200 i przypadkowymi bajtami", Act: sendGarbage},
	}
}

// ReadFault reads one fault as a JSON object and sets it in place of an earlier one.
func (f *Fake) ReadFault(body io.Reader) (Fault, error) {
	var fault Fault
	if err := ReadObject(body, &fault); err != nil {
		return Fault{}, fmt.Errorf("the fault is %w", err)
	}
	err := f.setFault(&fault)
	return fault, err
}

// SetFault makes the site misbehave. It panics for a fault that the site does not have.
func (f *Fake) SetFault(fault Fault) { must(f.setFault(&fault)) }

// ClearFault removes the fault, if there is one.
func (f *Fake) ClearFault() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = nil
}

// Fault returns the current fault, or nil.
func (f *Fake) Fault() *Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault == nil {
		return nil
	}
	fault := *f.fault
	return &fault
}

func (f *Fake) setFault(fault *Fault) error {
	if err := f.checkFault(*fault); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault = fault
	return nil
}

// checkFault reports every problem of a fault at once.
func (f *Fake) checkFault(fault Fault) error {
	var names []string
	var kind FaultKind
	for _, k := range f.Faults {
		names = append(names, k.Kind)
		if k.Kind == fault.Kind {
			kind = k
		}
	}
	var problems []error
	refuse := func(wrong bool, format string, values ...any) {
		if wrong {
			problems = append(problems, fmt.Errorf(format, values...))
		}
	}
	isStatus := fault.Kind == "status"
	delay := time.Duration(fault.DelayMS) * time.Millisecond
	refuse(kind.Kind == "", "kind %q is not one of: %s", fault.Kind, strings.Join(names, ", "))
	refuse(!kind.Coded && (fault.Code != 0 || fault.Subcode != 0), "code and subcode are not for kind %s", fault.Kind)
	refuse(kind.Coded && (fault.Code < 1 || fault.Subcode < 0),
		"code must be positive for kind %s, and subcode must not be negative", fault.Kind)
	refuse(delay < 0 || delay > maxDelay, "delay_ms must be between 0 and %d", maxDelay.Milliseconds())
	refuse(fault.Kind == "slow" && delay == 0, "delay_ms is required for kind slow")
	refuse(isStatus && (fault.Status < 200 || fault.Status > 599), "status must be between 200 and 599")
	refuse(!isStatus && (fault.Status != 0 || fault.RetryAfter != 0 || fault.Headers != nil || fault.Body != ""),
		"status, retry_after, headers and body are only for kind status")
	refuse(fault.RetryAfter < 0, "retry_after must not be negative")
	refuse(fault.Times < 0, "times must not be negative")
	refuse(fault.Match != "" && !strings.HasPrefix(fault.Match, "/"), "match must begin with /")
	return errors.Join(problems...)
}

// takeFault returns the fault for a path, if any, and counts the request.
func (f *Fake) takeFault(path string) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault == nil {
		return Fault{}, false
	}
	fault := *f.fault
	spared := fault.Match == "" &&
		slices.ContainsFunc(f.Spared, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
	switch {
	case spared || !strings.HasPrefix(path, fault.Match):
		return Fault{}, false
	case fault.Times > 1:
		f.fault.Times--
	case fault.Times == 1:
		f.fault = nil
	}
	return fault, true
}

func (f *Fake) inject(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if fault, hit := f.takeFault(r.URL.EscapedPath()); hit {
			select {
			case <-time.After(time.Duration(fault.DelayMS) * time.Millisecond):
			case <-r.Context().Done(): // the client disconnected or the sandbox stops
				panic(http.ErrAbortHandler)
			}
			i := slices.IndexFunc(f.Faults, func(k FaultKind) bool { return k.Kind == fault.Kind })
			if act := f.Faults[i].Act; act != nil && act(w, r, fault) {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

const htmlType = "text/html; charset=utf-8"

func sendStatus(w http.ResponseWriter, _ *http.Request, fault Fault) bool {
	w.Header().Set("Content-Type", htmlType)
	for name, value := range fault.Headers {
		w.Header().Set(name, value)
	}
	if fault.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(fault.RetryAfter))
	}
	w.WriteHeader(fault.Status)
	if fault.Body != "" {
		_, _ = io.WriteString(w, fault.Body)
		return true
	}
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"pl\"><head><title>%d</title></head>"+
		"<body><h1>Błąd %d</h1><p>Odpowiedź ustawiona w makiecie.</p></body></html>\n", fault.Status, fault.Status)
	return true
}

func sendGarbage(w http.ResponseWriter, _ *http.Request, _ Fault) bool {
	w.Header().Set("Content-Type", htmlType)
	_, _ = w.Write(bytes.Repeat([]byte("\x00\xff<\x8a"), 2<<10))
	return true
}

func cut(http.ResponseWriter, *http.Request, Fault) bool { panic(http.ErrAbortHandler) }
