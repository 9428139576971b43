package ceneo

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
)

// BenchmarkOptions are what a Benchmark needs. Zero MaxBody is DefaultMaxBody.
type BenchmarkOptions struct {
	BaseURL   *url.URL
	UserAgent string            // names the software and a contact address
	Timeout   time.Duration     // of one request, redirects and body included
	MaxBody   int64             // bytes
	Transport http.RoundTripper // makes the requests; guards against private addresses
	// Dropped is told of rows that could not be read in a file that could.
	Dropped func(catalog.Family, Dropped)
	Now     func() time.Time
}

// Benchmark reads the rankings that the benchmark site publishes as CSV files
// (userbenchmark.com/page/developer).
type Benchmark struct {
	baseURL   baseURL
	userAgent string
	timeout   time.Duration
	maxBody   int64
	client    *http.Client
	challenge challengeMarkup
	dropped   func(catalog.Family, Dropped)
	now       func() time.Time
}

// NewBenchmark returns a Benchmark.
func NewBenchmark(o BenchmarkOptions) *Benchmark {
	b := &Benchmark{
		baseURL: baseURL{o.BaseURL}, userAgent: o.UserAgent, timeout: o.Timeout,
		maxBody: cmp.Or(o.MaxBody, DefaultMaxBody), challenge: benchmarkChallenge(),
		dropped: o.Dropped, now: o.Now,
	}
	b.client = &http.Client{Transport: o.Transport, CheckRedirect: b.checkRedirect}
	return b
}

// Domain is the host of the base URL without "www.", e.g. "userbenchmark.com".
func (b *Benchmark) Domain() string { return b.baseURL.domain() }

// benchmarkChallenge describes the pages that the site, or the proxy in front of
// it, sends in place of a file.
func benchmarkChallenge() challengeMarkup {
	known := knownMarkup().challenge
	known.titles = append(known.titles, "human verification", "captcha")
	return known
}

// Ranking asks for the whole ranking of f, whose source is Domain. Errors are the faults
// of package lookup, or that of ctx.
func (b *Benchmark) Ranking(ctx context.Context, f catalog.Family) (rankings.Ranking, error) {
	within, cancel := context.WithTimeout(ctx, b.timeout)
	defer cancel()
	ranking, err := b.ranking(within, f)
	if err != nil {
		return rankings.Ranking{}, failure(ctx, err)
	}
	return ranking, nil
}

func (b *Benchmark) ranking(ctx context.Context, f catalog.Family) (rankings.Ranking, error) {
	resp, err := b.get(ctx, b.baseURL.address("resources/download/csv/"+f.Upper()+"_UserBenchmarks.csv"))
	if err != nil {
		return rankings.Ranking{}, err
	}
	defer resp.Body.Close()
	body, unread := readBody(resp, b.maxBody)
	if err := b.challenge.refusal(resp.StatusCode, resp.Header, []byte(body), b.now()); err != nil {
		return rankings.Ranking{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return rankings.Ranking{}, lookup.Unreachable(fmt.Errorf("ranking of %s: status %d", f, resp.StatusCode))
	}
	if unread != nil {
		return rankings.Ranking{}, unread
	}
	rows, dropped, err := ParseRanking(body, f)
	if err == nil && dropped.Rows > 0 {
		b.dropped(f, dropped)
	}
	switch {
	case err == nil:
		return rankings.Ranking{Source: b.Domain(), Rows: rows}, nil
	case b.challenge.matches([]byte(body)):
		return rankings.Ranking{}, lookup.Blocked(fmt.Errorf("%w: %w", errChallenge, err), 0)
	}
	return rankings.Ranking{}, lookup.Changed(fmt.Errorf("ranking of %s: %w", f, err))
}

func (b *Benchmark) get(ctx context.Context, address string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", b.userAgent)
	req.Header.Set("Accept", "text/csv,*/*;q=0.5")
	return b.client.Do(req)
}

// checkRedirect keeps redirects within the site and away from its challenge.
func (b *Benchmark) checkRedirect(req *http.Request, via []*http.Request) error {
	if err := b.baseURL.check(req.URL); err != nil {
		return err
	}
	if strings.Contains(strings.ToLower(req.URL.Path), "captcha") {
		return lookup.Blocked(errChallenge, 0)
	}
	if len(via) > maxRedirects {
		return errRedirects
	}
	return nil
}
