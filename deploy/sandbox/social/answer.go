package social

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
)

// send answers a call of the Graph API.
func (s *site) send(w http.ResponseWriter, version string, body any) {
	s.sendStatus(w, http.StatusOK, version, body)
}

// sendRefusal answers {"error": …} and counts it.
func (s *site) sendRefusal(w http.ResponseWriter, version string, refused *refusal) {
	s.counts.Add("refusals", refused.name())
	w.Header().Set("WWW-Authenticate", `OAuth "Facebook Platform" "invalid_request"`)
	s.sendStatus(w, refused.status, version, map[string]*refusal{"error": refused})
}

func (s *site) sendStatus(w http.ResponseWriter, status int, version string, body any) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=UTF-8")
	header.Set("Cache-Control", "private, no-cache, no-store, must-revalidate")
	header.Set("X-Fb-Trace-Id", rand.Text()[:11])
	if version != "" {
		header.Set("Facebook-Api-Version", version)
	}
	w.WriteHeader(status)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(body)
}

// The share of its limits that the app has used, in percent.
const (
	usualCalls = 28
	usualTime  = 25
)

// usage is one entry of the headers about limits
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type usage struct {
	Type   string `json:"type,omitempty"`
	Calls  int    `json:"call_count"`
	CPU    int    `json:"total_cputime"`
	Time   int    `json:"total_time"`
	Regain *int   `json:"estimated_time_to_regain_access,omitempty"` // minutes
}

// tellUsage sets X-App-Usage, and for calls as a page X-Business-Use-Case-Usage.
// Behind a refusal for want of a limit they tell that all of it is used.
func (s *site) tellUsage(w http.ResponseWriter, page string, refused *refusal) {
	calls := usualCalls
	if percent := s.panel.Number(knobUsage); percent > 0 {
		calls = percent
	}
	if refused != nil && limited(refused.Code) {
		calls = 100
	}
	setJSON(w, "X-App-Usage", usage{Calls: calls, CPU: usualTime, Time: usualTime})
	if page == "" {
		return
	}
	regain := s.panel.Number(knobRegain)
	setJSON(w, "X-Business-Use-Case-Usage", map[string][]usage{
		page: {{Type: "pages", Calls: calls, CPU: usualTime, Time: usualTime, Regain: &regain}},
	})
}

func setJSON(w http.ResponseWriter, header string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers and texts always encode
	}
	w.Header().Set(header, string(text))
}
