package meta

import (
	"encoding/json"
	"net/http"
	"time"
)

// rateLimit is what the headers of an answer report about the rate limits
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
type rateLimit struct {
	usedPercent float64       // of the fullest limit
	retryAfter  time.Duration // until calls are answered again; zero: not reported
}

// limitUsage is how much of one limit is used, in percent of calls, time and
// processor time.
type limitUsage struct {
	CallCount     float64 `json:"call_count"`
	TotalTime     float64 `json:"total_time"`
	TotalCPUTime  float64 `json:"total_cputime"`
	RegainMinutes float64 `json:"estimated_time_to_regain_access"`
}

// maxRegainMinutes is the longest wait that is believed: limits are counted over a
// day at most.
const maxRegainMinutes = 24 * 60

// parseRateLimit reads the headers. One that is not readable counts as absent.
func parseRateLimit(header http.Header) rateLimit {
	var limit rateLimit
	for _, name := range []string{"X-App-Usage", "X-Page-Usage"} {
		var usage limitUsage
		if json.Unmarshal([]byte(header.Get(name)), &usage) == nil {
			limit.add(usage)
		}
	}
	var businesses map[string][]limitUsage
	if json.Unmarshal([]byte(header.Get("X-Business-Use-Case-Usage")), &businesses) == nil {
		for _, usages := range businesses {
			for _, usage := range usages {
				limit.add(usage)
			}
		}
	}
	return limit
}

// add keeps the fullest limit and the longest wait.
func (l *rateLimit) add(u limitUsage) {
	l.usedPercent = max(l.usedPercent, u.CallCount, u.TotalTime, u.TotalCPUTime)
	l.retryAfter = max(l.retryAfter, time.Duration(min(u.RegainMinutes, maxRegainMinutes)*float64(time.Minute)))
}
