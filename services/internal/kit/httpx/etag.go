package httpx

import "strings"

// MatchesETag reports whether the lines of If-None-Match name etag. It compares
// weakly, as RFC 9110 demands (section 13.1.2).
func MatchesETag(ifNoneMatch []string, etag string) bool {
	list := strings.Join(ifNoneMatch, ",")
	if strings.TrimSpace(list) == "*" {
		return true
	}
	for candidate := range strings.SplitSeq(list, ",") {
		if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == etag {
			return true
		}
	}
	return false
}
