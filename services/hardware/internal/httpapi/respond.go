package httpapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// headSize is room for what precedes the encoded part of most bodies, in bytes.
const headSize = 128

// write sends the consecutive parts of an answer's body, or 304 when the client
// has them. variant tells apart the bodies that are made of one answer.
func (a *API) write(c echo.Context, answer *hardware.Answer, via hardware.Via, variant string, parts ...[]byte) error {
	header, now := c.Response().Header(), a.Now()
	etag := `"` + answer.Digest + "-" + variant + `"`
	header.Set("ETag", etag)
	header.Set("Cache-Status", cacheStatus(answer, via, now))
	if answer.Shareable {
		header.Set("Cache-Control", "public, max-age="+seconds(answer.ExpiresAt.Sub(now)))
	} else {
		header.Set("Cache-Control", "no-store")
	}
	if answer.Shareable && isHit(via) {
		header.Set("Age", seconds(now.Sub(answer.FetchedAt)))
	}
	if matches(c.Request().Header.Values("If-None-Match"), etag) {
		c.Response().WriteHeader(http.StatusNotModified)
		return nil
	}
	return send(c, parts)
}

// isHit tells a kept answer from one that the source has just been asked for.
func isHit(via hardware.Via) bool { return via == hardware.ViaLocal || via == hardware.ViaShared }

func send(c echo.Context, parts [][]byte) error {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	response := c.Response()
	response.Header().Set(echo.HeaderContentType, echo.MIMEApplicationJSON)
	response.Header().Set(echo.HeaderContentLength, strconv.Itoa(length))
	response.WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	for _, part := range parts {
		if _, err := response.Write(part); err != nil {
			return nil // the client has gone; there is nobody to tell
		}
	}
	return nil
}

// cacheStatus is the member of this cache in Cache-Status (RFC 9211).
func cacheStatus(answer *hardware.Answer, via hardware.Via, now time.Time) string {
	if !answer.Shareable {
		if answer.Source == hardware.LocalFallback {
			return "hardware; fwd=miss; detail=" + hardware.LocalFallback
		}
		return "hardware; fwd=miss"
	}
	ttl := "; ttl=" + seconds(answer.ExpiresAt.Sub(now))
	switch {
	case isHit(via):
		return "hardware; hit" + ttl + "; detail=" + string(via)
	case via == hardware.ViaCollapsed:
		return "hardware; fwd=miss; collapsed" + ttl
	default:
		return "hardware; fwd=miss; stored" + ttl
	}
}

// seconds is a delta of whole seconds (RFC 9111, section 1.2.2), never negative:
// the clocks of two replicas may differ.
func seconds(d time.Duration) string { return strconv.Itoa(max(int(d/time.Second), 0)) }

// matches compares weakly, as If-None-Match demands (RFC 9110, section 13.1.2).
func matches(ifNoneMatch []string, etag string) bool {
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

// failure is the body of every error.
type failure struct {
	Error   string   `json:"error"` // Polish, for people
	Code    string   `json:"code"`  // stable, for programs
	Allowed []string `json:"allowed,omitempty"`
}

// Render makes the body of an error; allowed values stand where there is a list
// of them.
func (a *API) Render(f *fault.Error) any {
	body := failure{Error: f.Message, Code: f.Code}
	switch f.Code {
	case "unknown_type":
		body.Allowed = hardware.Families()
	case "unknown_category":
		body.Allowed = hardware.Categories()
	case "unknown_aggregator":
		body.Allowed = a.Prices.Aggregators()
	}
	return body
}
