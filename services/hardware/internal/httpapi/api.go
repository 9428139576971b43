// Package httpapi serves the API for programs, proto-free-contracts/hardware.openapi.yaml. What a response
// contains is decided by packages rankings and prices.
package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// API has the handlers of all endpoints.
type API struct {
	rankings *rankings.Rankings
	prices   *prices.Prices
	quotes   *prices.Quotes
	clientIP echo.IPExtractor
	bodies   *lookup.Local // encoded responses
}

// New returns the API. clientIP respects trusted proxies.
func New(
	r *rankings.Rankings, p *prices.Prices, q *prices.Quotes, clientIP echo.IPExtractor, bodies *lookup.Local,
) *API {
	return &API{rankings: r, prices: p, quotes: q, clientIP: clientIP, bodies: bodies}
}

// Register is the URL map. The last line keeps :type from matching the rest of a path.
func (a *API) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/api/benchmark/:type", a.getRanking)
	e.Match(read, "/api/prices/:aggregator", a.getPrice)
	e.Match(read, "/api/prices/:aggregator/popular", a.getPopular)
	e.POST("/api/prices/:aggregator/quotes", a.postQuotes)
	e.RouteNotFound("/api/benchmark/:type/*", echo.NotFoundHandler)
}

// body is a response, encoded once for each value and key.
type body struct {
	lifetime    lookup.Lifetime // of the value
	plain, gzip encoding        // gzip is empty if the body is short or not cached
}

type encoding struct {
	content             []byte
	tag, length, coding []string
}

func newEncoding(content []byte, tag string) encoding {
	return encoding{content: content, tag: []string{`"` + tag + `"`}, length: []string{strconv.Itoa(len(content))}}
}

var typeHeader, gzipHeader = []string{"application/json"}, []string{"gzip"}

const minCompressed = 1024

func compress(content []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(content)
	_ = w.Close()
	return bytes.Clone(out.Bytes())
}

// kept returns the body of a value that is cached under key, or else encodes the document.
func (a *API) kept(key string, l lookup.Lifetime, document func() any) (*body, error) {
	if b, ok := a.bodies.Get(key).(*body); ok && b.lifetime == l {
		return b, nil
	}
	return a.encode(key, l, document())
}

// encode caches the body under key, unless that is empty, while the value is fresh.
func (a *API) encode(key string, l lookup.Lifetime, document any) (*body, error) {
	content, err := encodeJSON(document)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", key, err)
	}
	sum := sha256.Sum256(content)
	tag := base64.RawURLEncoding.EncodeToString(sum[:12])
	b := &body{lifetime: l, plain: newEncoding(content, tag)}
	if key == "" || !l.Fresh(a.prices.Now()) {
		return b, nil
	}
	if len(content) >= minCompressed {
		b.gzip = newEncoding(compress(content), tag+"-gzip")
		b.gzip.coding = gzipHeader
	}
	a.bodies.Put(key, b, cap(b.plain.content)+cap(b.gzip.content)+bodyBytes)
	return b, nil
}

// bodyBytes is roughly the overhead of a body.
const bodyBytes = 2 << 10

// respond writes b, compressed if the client accepts it, or 304. detail is added to the Cache-Status of what is
// not cached.
func (a *API) respond(c echo.Context, b *body, via lookup.Via, detail string) error {
	request, response := c.Request().Header, c.Response()
	e, h := b.plain, response.Header()
	if b.gzip.content != nil && httpx.AcceptsGzip(request["Accept-Encoding"]) {
		e = b.gzip
	}
	h["Vary"] = append(h["Vary"], "Accept-Encoding") // the response may vary by Origin, too
	setCaching(h, b.lifetime, a.prices.Now(), via, detail)
	h["Etag"] = e.tag
	if httpx.MatchesETag(request["If-None-Match"], e.tag[0]) {
		response.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"], h["Content-Length"] = typeHeader, e.length
	if e.coding != nil {
		h["Content-Encoding"] = e.coding
	}
	response.WriteHeader(http.StatusOK)
	if c.Request().Method != http.MethodHead {
		_, _ = response.Write(e.content) // fails if the client has disconnected
	}
	return nil
}

// setCaching sets Cache-Status (RFC 9211) and Cache-Control. There is no Age: a cache would subtract the elapsed
// time once more (RFC 9111, section 4.2).
func setCaching(h http.Header, l lookup.Lifetime, now time.Time, via lookup.Via, detail string) {
	if !l.Shareable {
		h["Cache-Control"] = []string{"no-store"}
		h["Cache-Status"] = []string{"hardware; fwd=miss" + detail}
		return
	}
	// Never negative: the clocks of two replicas may differ.
	rest := strconv.FormatInt(max(int64(l.ExpiresAt.Sub(now)/time.Second), 0), 10)
	h["Cache-Control"] = []string{"public, max-age=" + rest}
	switch via {
	case lookup.ViaLocal, lookup.ViaShared:
		h["Cache-Status"] = []string{"hardware; hit; ttl=" + rest + "; detail=" + via.String()}
	case lookup.ViaCollapsed:
		h["Cache-Status"] = []string{"hardware; fwd=miss; collapsed; ttl=" + rest}
	default:
		h["Cache-Status"] = []string{"hardware; fwd=miss; stored; ttl=" + rest}
	}
}

// encodeJSON leaves "&", "<" and ">" readable.
func encodeJSON(document any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(document); err != nil {
		return nil, err
	}
	return bytes.Clone(out.Bytes()[:out.Len()-1]), nil
}

var unknownAggregator = fault.NewCode(fault.NotFound, "unknown_aggregator", "Nieznana porównywarka cen.")

// failure is the body of every error.
type failure struct {
	Error   string   `json:"error"`
	Code    string   `json:"code"`
	Allowed []string `json:"allowed,omitempty"`
}

// Render returns the body of an error, with the allowed values if they are limited.
func (a *API) Render(f *fault.Error) any {
	body := failure{Error: f.Message, Code: f.Code}
	switch f.Code {
	case catalog.UnknownFamily.Name:
		body.Allowed = catalog.Families()
	case catalog.UnknownCategory.Name:
		body.Allowed = catalog.Categories()
	case unknownAggregator.Name:
		body.Allowed = []string{a.prices.Aggregator}
	}
	return body
}
