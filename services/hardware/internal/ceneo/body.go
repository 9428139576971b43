package ceneo

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"backend.example/services/hardware/internal/lookup"
)

// DefaultMaxBody is the largest body that is read, in bytes after decompression.
// The largest known page has about one megabyte.
const DefaultMaxBody = 4 << 20

// readBody reads the whole body of resp. A body above limit is an error, and not cut
// short, so that half a page cannot pass for a page.
func readBody(resp *http.Response, limit int64) (string, error) {
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" && !resp.Uncompressed {
		return "", lookup.Changed(fmt.Errorf("content encoding %.20q was not asked for", encoding))
	}
	tooLarge := lookup.Changed(fmt.Errorf("body exceeds %d bytes", limit))
	if resp.ContentLength > limit {
		return "", tooLarge
	}
	var body strings.Builder
	body.Grow(int(max(resp.ContentLength, 0)))
	if _, err := io.Copy(&body, io.LimitReader(resp.Body, limit+1)); err != nil {
		return "", fmt.Errorf("body: %w", err)
	}
	if int64(body.Len()) > limit {
		return "", tooLarge
	}
	return body.String(), nil
}
