package httpx

import (
	"compress/gzip"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// minCompressed is the length from which a body is compressed, in bytes.
const minCompressed = 1024

var compressedTypes = []string{
	"application/json", "application/yaml", "text/html", "text/plain", "text/css", "text/javascript", "image/svg+xml",
}

// compressors are reused, because each allocates about a megabyte.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// compressor compresses text if the client accepts gzip. It writes the header with the first bytes of the body, from
// whose length it decides. Ranges and compressed bodies pass unchanged.
type compressor struct {
	http.ResponseWriter
	accepted bool         // whether the client accepts gzip
	matched  string       // the client's If-None-Match
	status   int          // 0 if not set
	begun    bool         // whether the header has been written
	zip      *gzip.Writer // nil if the body is not compressed
}

// newCompressor returns a writer for the response to r. The strong ETag of a compressed body ends in -gzip (RFC
// 9110, section 8.8.3.3). Handlers also find the ETag without it in If-None-Match.
func newCompressor(w http.ResponseWriter, r *http.Request) *compressor {
	c := &compressor{ResponseWriter: w, accepted: AcceptsGzip(r.Header["Accept-Encoding"])}
	if tags := r.Header["If-None-Match"]; c.accepted && len(tags) > 0 {
		c.matched = strings.Join(tags, ", ")
		r.Header["If-None-Match"] = []string{c.matched + ", " + strings.ReplaceAll(c.matched, gzipTag, `"`)}
	}
	return c
}

const gzipTag = `-gzip"`

func compressedETag(tag string) string {
	if tag == "" || strings.HasSuffix(tag, gzipTag) {
		return tag
	}
	return strings.TrimSuffix(tag, `"`) + gzipTag
}

// WriteHeader records the status for begin. A provisional one, such as 103, is written at once.
func (c *compressor) WriteHeader(status int) {
	if status < http.StatusOK {
		c.ResponseWriter.WriteHeader(status)
		return
	}
	c.status = status
}

// Write compresses p if it begins a text that is long enough.
func (c *compressor) Write(p []byte) (int, error) {
	c.begin(len(p))
	if c.zip != nil {
		return c.zip.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// begin writes the header of a response with at least length bytes.
func (c *compressor) begin(length int) {
	if c.begun {
		return
	}
	c.begun = true
	h := c.Header()
	switch {
	case c.status == http.StatusNotModified:
		addVary(h)
		if tag := compressedETag(h.Get("ETag")); c.accepted && strings.Contains(c.matched, tag) {
			h.Set("ETag", tag)
		}
	case !compressible(h):
	case c.status == http.StatusPartialContent:
		addVary(h)
	case max(length, announcedLength(h)) >= minCompressed:
		addVary(h)
		if c.accepted {
			c.compress(h, length > 0)
		}
	}
	if c.status > 0 {
		c.ResponseWriter.WriteHeader(c.status)
	}
}

func compressible(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
	}
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return slices.Contains(compressedTypes, kind)
}

func announcedLength(h http.Header) int {
	length, _ := strconv.Atoi(h.Get("Content-Length")) // 0 if missing
	return length
}

// compress starts a compressed response, which has no body for HEAD.
func (c *compressor) compress(h http.Header, body bool) {
	h.Del("Content-Length")
	h.Del("Accept-Ranges")
	h.Set("Content-Encoding", "gzip")
	if tag := h.Get("ETag"); tag != "" {
		h.Set("ETag", compressedETag(tag))
	}
	if body {
		c.zip = compressors.Get().(*gzip.Writer)
		c.zip.Reset(c.ResponseWriter)
	}
}

func addVary(h http.Header) {
	if !slices.Contains(h["Vary"], "Accept-Encoding") {
		h["Vary"] = append(h["Vary"], "Accept-Encoding")
	}
}

// Flush sends what has been written.
func (c *compressor) Flush() {
	c.begin(minCompressed)
	if c.zip != nil {
		_ = c.zip.Flush() // fails if the client has disconnected
	}
	_ = http.NewResponseController(c.ResponseWriter).Flush()
}

// Unwrap is for http.ResponseController.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *compressor) close() {
	c.begin(0)
	if c.zip != nil {
		_ = c.zip.Close() // fails if the client has disconnected
		compressors.Put(c.zip)
	}
}

// AcceptsGzip reports whether the lines of Accept-Encoding name gzip and do not refuse it (RFC 9110, section 12.5.3).
func AcceptsGzip(lines []string) bool {
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				return !refuses(weight)
			}
		}
	}
	return false
}

func refuses(weight string) bool {
	name, value, _ := strings.Cut(strings.TrimSpace(weight), "=")
	if !strings.EqualFold(name, "q") {
		return false
	}
	q, err := strconv.ParseFloat(value, 64)
	return err == nil && q <= 0
}

// MatchesETag reports whether the lines of If-None-Match name etag, by weak comparison (RFC 9110, section 13.1.2).
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
