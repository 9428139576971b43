package provider

import (
	"encoding/json"
	"net/http"
	"time"
)

// usage is what an answer's headers say of the limits
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type usage struct {
	percent float64       // of the fullest limit
	regain  time.Duration // until calls are answered again; zero: not told
}

// usageEntry is how full one limit is, in percent of calls, time and processor time.
type usageEntry struct {
	CallCount    float64 `json:"call_count"`
	TotalTime    float64 `json:"total_time"`
	TotalCPUTime float64 `json:"total_cputime"`
	Regain       float64 `json:"estimated_time_to_regain_access"` // minutes
}

// maxRegain is the longest wait that is believed, in minutes: limits are counted
// over a day at most.
const maxRegain = 24 * 60

// readUsage reads the headers; one that it cannot read counts as absent.
func readUsage(header http.Header) usage {
	var u usage
	for _, name := range []string{"X-App-Usage", "X-Page-Usage"} {
		var entry usageEntry
		if json.Unmarshal([]byte(header.Get(name)), &entry) == nil {
			u.add(entry)
		}
	}
	var businesses map[string][]usageEntry
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &businesses) == nil {
		for _, entries := range businesses {
			for _, entry := range entries {
				u.add(entry)
			}
		}
	}
	return u
}

func (u *usage) add(e usageEntry) {
	u.percent = max(u.percent, e.CallCount, e.TotalTime, e.TotalCPUTime)
	u.regain = max(u.regain, time.Duration(min(e.Regain, maxRegain)*float64(time.Minute)))
}
