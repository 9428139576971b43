package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/httpx"
)

// headers are those of one answer. All values are cut from one text and stand in one
// list, so that a header costs no memory of its own.
type headers struct {
	names  [4]string
	ends   [4]int
	length int
}

// add takes in the header of that name, in canonical spelling; its value reaches from
// the end of the one before to end.
func (h *headers) add(name string, end int) {
	h.names[h.length], h.ends[h.length] = name, end
	h.length++
}

func (h *headers) set(to http.Header, text string) {
	values, begin := make([]string, h.length), 0
	for i, end := range h.ends[:h.length] {
		values[i] = text[begin:end]
		to[h.names[i]] = values[i : i+1 : i+1]
		begin = end
	}
}

// Values that are always the same.
var (
	varyValue = []string{"Accept-Encoding"}
	typeValue = []string{"application/json"}
	gzipValue = []string{"gzip"}
)

// describe sets the headers of an answer and reports whether the client, which has
// one of the tags in ifNoneMatch, has its body.
func describe(to http.Header, now time.Time, b *body, ifNoneMatch []string) (had bool) {
	var space [256]byte
	var h headers
	text := appendETag(space[:0], b)
	had = len(ifNoneMatch) > 0 && httpx.MatchesETag(ifNoneMatch, string(text))
	h.add("Etag", len(text))
	text = appendCacheStatus(text, b, now)
	h.add("Cache-Status", len(text))
	text = appendCacheControl(text, b.lifetime, now)
	h.add("Cache-Control", len(text))
	to["Vary"] = varyValue
	if !had {
		text = strconv.AppendInt(text, int64(len(b.head)+len(b.rows)+len(b.tail)), 10)
		h.add("Content-Length", len(text))
		to["Content-Type"] = typeValue
		if b.gzip {
			to["Content-Encoding"] = gzipValue
		}
	}
	h.set(to, string(text))
	return had
}

// appendETag appends a strong tag: the same bytes, the same tag.
func appendETag(text []byte, b *body) []byte {
	text = append(append(text, '"'), b.form.digest...)
	text = strconv.AppendUint(append(text, '-'), b.variant, 36)
	if b.gzip {
		text = append(text, "-gzip"...)
	}
	return append(text, '"')
}

// appendCacheStatus appends the member of this cache in Cache-Status (RFC 9211).
func appendCacheStatus(text []byte, b *body, now time.Time) []byte {
	text = append(text, "hardware; "...)
	switch {
	case !b.lifetime.Shareable:
		text = append(text, "fwd=miss"...)
		if b.fallback {
			text = append(text, "; detail="+rankings.LocalFallback...)
		}
		return text
	case isHit(b.via):
		text = append(text, "hit"...)
	case b.via == lookup.ViaCollapsed:
		text = append(text, "fwd=miss; collapsed"...)
	default:
		text = append(text, "fwd=miss; stored"...)
	}
	text = appendSeconds(append(text, "; ttl="...), b.lifetime.ExpiresAt.Sub(now))
	if isHit(b.via) {
		text = append(append(text, "; detail="...), b.via...)
	}
	return text
}

// appendCacheControl tells what is left of the answer's time. There is no Age beside it:
// a cache would take the time that has passed off once more (RFC 9111, section 4.2).
func appendCacheControl(text []byte, l lookup.Lifetime, now time.Time) []byte {
	if !l.Shareable {
		return append(text, "no-store"...)
	}
	return appendSeconds(append(text, "public, max-age="...), l.ExpiresAt.Sub(now))
}

// isHit tells a kept answer from one that the source has just been asked for.
func isHit(via lookup.Via) bool { return via == lookup.ViaLocal || via == lookup.ViaShared }

// appendSeconds appends a delta of whole seconds (RFC 9111, section 1.2.2), never
// negative: the clocks of two replicas may differ.
func appendSeconds(text []byte, d time.Duration) []byte {
	return strconv.AppendInt(text, max(int64(d/time.Second), 0), 10)
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3); gzip has to be named.
func acceptsGzip(lines []string) bool {
	for _, line := range lines {
		for item, rest, more := strings.Cut(line, ","); ; item, rest, more = strings.Cut(rest, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				return !refuses(weight)
			}
			if !more {
				break
			}
		}
	}
	return false
}

// refuses reports the weight q=0.
func refuses(weight string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
	if !strings.EqualFold(name, "q") {
		return false
	}
	q, err := strconv.ParseFloat(value, 64)
	return err == nil && q <= 0
}
