// Package fake holds what every fake of an outside site has besides its own answers: the request log, one fault,
// the toggles, the counters, the register of secrets, the server of OAuth 2.0 and the fixtures that several fakes
// show.
package fake

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	maxBody  = 64 << 10 // bytes of a request
	capacity = 10_000   // requests and secrets that are kept; the oldest make room
)

// Site describes a fake, as its site.json does.
type Site struct {
	Name    string   // on the control address
	Title   string   // Polish, for the admin page
	Links   []Link   // pages worth opening first
	Spared  []string // path prefixes that only a fault with a match affects
	Toggles []Toggle
	OAuth   Provider
}

// Link is an address within a site.
type Link struct {
	Path string // encoded, begins with /
	Text string // Polish
}

// Toggle changes what a site answers while it runs.
type Toggle struct {
	Name string
	Text string // Polish: what it does
	Off  any    // its value when it is off: false, [] or 0
}

// Secret is a code or token that a site issued.
type Secret struct {
	Site     string    `json:"site"`
	Kind     string    `json:"kind"` // e.g. "access_token"
	Value    string    `json:"value"`
	IssuedAt time.Time `json:"issued_at"` // UTC
}

// Fake is one outside site that can be steered. It is safe for concurrent use.
type Fake struct {
	Site
	Faults []FaultKind
	Now    func() time.Time

	handler http.Handler
	tokens  *Tokens // nil: the site issues none

	mu        sync.Mutex
	fault     *Fault
	requests  []Request // oldest first
	toggles   map[string]any
	counts    map[string]map[string]int // by group and name
	replies   map[string]Reply          // by pattern
	secrets   []Secret                  // oldest first
	forgotten int                       // secrets that made room for newer ones
}

// New returns the fake that a site.json describes, with its own kinds of faults. A nil clock is time.Now.
func New(siteJSON []byte, now func() time.Time, faults ...FaultKind) *Fake {
	if now == nil {
		now = time.Now
	}
	f := &Fake{Faults: append(commonFaults(), faults...), Now: now, toggles: map[string]any{},
		counts: map[string]map[string]int{}, replies: map[string]Reply{}}
	must(json.Unmarshal(siteJSON, &f.Site))
	return f
}

// Handle sets the handler of the requests that no reply and no fault affects.
func (f *Fake) Handle(handler http.Handler) { f.handler = f.record(f.scripted(f.inject(handler))) }

// ServeHTTP answers as the site does, or as the current fault says.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.handler.ServeHTTP(w, r) }

// Count counts one event in a group, e.g. Count("token_requests", "refresh_token").
func (f *Fake) Count(group, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.counts[group] == nil {
		f.counts[group] = map[string]int{}
	}
	f.counts[group][name]++
}

// Counts returns the counts by group and name.
func (f *Fake) Counts() map[string]map[string]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := map[string]map[string]int{}
	for group, names := range f.counts {
		counts[group] = maps.Clone(names)
	}
	return counts
}

// Reset removes replies, counts, tokens and grants, and turns every toggle off.
func (f *Fake) Reset() {
	if f.tokens != nil {
		f.tokens.reset()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.replies)
	clear(f.counts)
	clear(f.toggles)
}

// Secret returns a new secret of at least 256 random bits that begins with prefix, and registers it.
func (f *Fake) Secret(kind, prefix string) string {
	return f.Register(kind, prefix+rand.Text()+rand.Text())
}

// Register adds a secret to the register, so that a test can look for it where it does not belong, and returns it.
func (f *Fake) Register(kind, value string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.secrets) == capacity {
		f.secrets = f.secrets[1:]
		f.forgotten++
	}
	f.secrets = append(f.secrets, Secret{Site: f.Name, Kind: kind, Value: value, IssuedAt: f.Now().UTC()})
	return value
}

// Secrets returns the secrets, oldest first, and how many had to make room for newer ones.
func (f *Fake) Secrets() (list []Secret, forgotten int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.secrets), f.forgotten
}

// On returns the value of a toggle that is a bool.
func (f *Fake) On(name string) bool { return f.ToggleValues()[name].(bool) }

// Number returns the value of a toggle that is a number.
func (f *Fake) Number(name string) int { return int(f.ToggleValues()[name].(float64)) }

// Lists reports whether a text is in the value of a toggle that is a list.
func (f *Fake) Lists(name, text string) bool {
	return slices.Contains(f.ToggleValues()[name].([]any), any(text))
}

// ToggleValues returns the value of every toggle by name.
func (f *Fake) ToggleValues() map[string]any {
	values := map[string]any{}
	for _, toggle := range f.Toggles {
		values[toggle.Name] = toggle.Off
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(values, f.toggles)
	return values
}

// ReadToggles sets toggles from one JSON object, e.g. {"dead_metrics": ["reach"]}. Others keep their value. On an
// error, which lists every problem, nothing changes.
func (f *Fake) ReadToggles(body io.Reader) error {
	var values map[string]any
	if err := ReadObject(body, &values); err != nil {
		return fmt.Errorf("the toggles are %w", err)
	}
	known := f.ToggleValues()
	var problems []error
	for name, value := range values {
		off, found := known[name]
		switch {
		case !found:
			names := strings.Join(slices.Sorted(maps.Keys(known)), ", ")
			problems = append(problems, fmt.Errorf("toggle %q is not one of: %s", name, names))
		case reflect.TypeOf(value) != reflect.TypeOf(off):
			problems = append(problems, fmt.Errorf("toggle %s takes a value like %v", name, off))
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(f.toggles, values)
	return nil
}

// SetToggle changes a toggle. It panics for an unknown name or a wrong type.
func (f *Fake) SetToggle(name string, value any) {
	text, err := json.Marshal(map[string]any{name: value})
	must(err)
	must(f.ReadToggles(strings.NewReader(string(text))))
}

// Actions returns what can be done to the tokens of a site.
func (f *Fake) Actions() []string {
	if f.tokens == nil {
		return nil
	}
	return []string{f.OAuth.Expire, revokeGrants}
}

const revokeGrants = "revoke-grants"

// Do performs an action, with options such as {"account":"anna"} or none. It panics for an unknown action or wrong
// options.
func (f *Fake) Do(action, options string) {
	_, err := f.Act(action, strings.NewReader(options))
	must(err)
}

// Act performs an action, for one account or for all, and returns how many tokens it ended.
func (f *Fake) Act(action string, options io.Reader) (ended int, err error) {
	var wanted struct {
		Account string `json:"account"` // key of a person; empty for all
	}
	if err := ReadObject(options, &wanted); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	if _, err := FindPerson(wanted.Account); wanted.Account != "" && err != nil {
		return 0, err
	}
	switch {
	case !slices.Contains(f.Actions(), action):
		return 0, fmt.Errorf("action %q is not one of: %s", action, strings.Join(f.Actions(), ", "))
	case action == revokeGrants:
		return f.tokens.End(wanted.Account, ErrRevoked), nil
	}
	return f.tokens.End(wanted.Account, ErrExpired), nil
}

// ReadObject decodes exactly one JSON object without unknown fields. The error wraps io.EOF if there is nothing to
// read.
func ReadObject(text io.Reader, target any) error {
	decoder := json.NewDecoder(io.LimitReader(text, maxBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		return fmt.Errorf("not a valid JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("followed by more text: send one JSON object")
	}
	return nil
}

// SendJSON writes a JSON response. A client that has disconnected is no error.
func SendJSON(w http.ResponseWriter, status int, body any) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=UTF-8")
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
