package ceneo

import (
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

// maxCrawlDelay bounds what a robots.txt may ask for. A site that wants programs to wait
// for longer does not want this one.
const maxCrawlDelay = time.Minute

// readableRules are the lines of a robots.txt that say something: the library refuses the
// whole file for one that it cannot read, and RFC 9309 asks to read over it.
func readableRules(file string) string {
	var rules strings.Builder
	inGroup := false
	for line := range strings.Lines(strings.TrimPrefix(file, byteOrderMark)) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case key == "user-agent":
			inGroup = true
		case !inGroup:
			continue
		case key == "crawl-delay":
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds >= 0) {
				continue
			}
			value = strconv.FormatFloat(min(seconds, maxCrawlDelay.Seconds()), 'f', -1, 64)
		case key != "allow" && key != "disallow":
			continue
		}
		rules.WriteString(key + ": " + value + "\n")
	}
	return rules.String()
}

// crawlDelay is how far apart the rules want the requests of agent, zero when they do
// not say.
func crawlDelay(rules, agent string) time.Duration {
	parsed, err := robotstxt.FromString(rules)
	if err != nil {
		return 0
	}
	return parsed.FindGroup(agent).CrawlDelay
}
