package prove

import "strings"

// leaked returns the first thing in an answer that is nobody's business outside.
func leaked(body []byte) string {
	for _, inner := range []string{"127.0.0.1", "sql", "SQL", "dial tcp", "EOF", ".go:", "goroutine", "connection refused", "context deadline", "pgx"} {
		if strings.Contains(string(body), inner) {
			return inner
		}
	}
	return ""
}
