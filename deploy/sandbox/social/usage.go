package social

import (
	"encoding/json"
	"net/http"
	"slices"
)

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
	if percent := s.toggles.Number(toggleUsage); percent > 0 {
		calls = percent
	}
	if refused != nil && slices.Contains([]int{4, 17, 32, 341, 368, 613, 80001, 80002}, refused.Code) {
		calls = 100
	}
	setJSON(w, "X-App-Usage", usage{Calls: calls, CPU: usualTime, Time: usualTime})
	if page != "" {
		setJSON(w, "X-Business-Use-Case-Usage", map[string][]usage{
			page: {{Type: "pages", Calls: calls, CPU: usualTime, Time: usualTime, Regain: new(int)}},
		})
	}
}

func setJSON(w http.ResponseWriter, header string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // numbers and texts always encode
	}
	w.Header().Set(header, string(text))
}
