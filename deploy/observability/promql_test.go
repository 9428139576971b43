package observability

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	quoted   = regexp.MustCompile(`"(?:\\.|[^"\\])*"`)
	ranges   = regexp.MustCompile(`\[[^\]]*\]`)
	labels   = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)?\s*\{([^}]*)\}`)
	matcher  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=~|!~|!=|=)`)
	word     = regexp.MustCompile(`\b[a-zA-Z_:][a-zA-Z0-9_:]*\b\s*\(?`)
)

// operators are the words of PromQL that are no function and no metric.
var operators = []string{"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "Inf", "NaN"}

// series lists what a PromQL expression asks for: each metric, with the labels by
// which it selects.
func series(expr string) map[string][]string {
	expr = quoted.ReplaceAllString(expr, `""`)
	expr = labels.ReplaceAllString(ranges.ReplaceAllString(expr, ""), "")
	found := map[string][]string{}
	for _, match := range selector.FindAllStringSubmatch(expr, -1) {
		found[match[1]] = nil
		for _, label := range matcher.FindAllStringSubmatch(match[2], -1) {
			found[match[1]] = append(found[match[1]], label[1])
		}
	}
	for _, name := range word.FindAllString(selector.ReplaceAllString(expr, ""), -1) {
		name, function := strings.CutSuffix(name, "(")
		if name = strings.TrimSpace(name); !function && !slices.Contains(operators, name) {
			found[name] = append(found[name], "")
		}
	}
	return found
}

func TestSeries(t *testing.T) {
	for expr, want := range map[string]map[string][]string{
		`up == 0`: {"up": {""}},
		`sum by (le, route) (rate(a_bucket{method="GET", route!~"x{y}"}[5m]))`:                        {"a_bucket": {"method", "route"}},
		`sum(rate(a_total{code=~"5.."}[$__rate_interval])) / sum without (x) (rate(b_total[1h])) > 1`: {"a_total": {"code"}, "b_total": {""}},
		`time() - max(t_seconds) > 2 * 86400 and on (job) c_total offset 5m > 1e3`:                    {"t_seconds": {""}, "c_total": {""}},
		`label_replace(s_up, "backend", "$1", "service", "(a|b)(-[0-9]+)?@.*")`:                       {"s_up": {""}},
		`{__name__="up"}`: {"": {"__name__"}},
	} {
		if got := series(expr); !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: %v, want %v", expr, got, want)
		}
	}
}
