package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// priceClient asks for the prices of ever new products, and for a ranking. What it was
// answered once, it has to be answered again: the look-up was paid for.
type priceClient struct {
	stack *harness.Stack
	http  *http.Client
	asked int
	known map[string]string // scrapedAt by path
	rows  int               // of the ranking
}

func newPriceClient(t *testing.T, s *harness.Stack) *priceClient {
	t.Helper()
	c := &priceClient{stack: s, http: &http.Client{Transport: harness.ChangingAddresses()}, known: map[string]string{}}
	c.rows = c.rankingRows(t)
	return c
}

// price asks for a price, which has to be answered 200.
func price(ctx context.Context, by *http.Client, url string) (scrapedAt string, offers int, err error) {
	a, err := harness.Send(ctx, by, http.MethodGet, url, nil)
	if err != nil {
		return "", 0, err
	}
	if a.Status != http.StatusOK {
		return "", 0, fmt.Errorf("%d %.200s", a.Status, a.Body)
	}
	var body struct {
		ScrapedAt string
		Offers    []any
	}
	err = json.Unmarshal(a.Body, &body)
	return body.ScrapedAt, len(body.Offers), err
}

// ask asks until an answer stays out or stopped is closed.
func (c *priceClient) ask(ctx context.Context, stopped <-chan struct{}) {
	c.http.CloseIdleConnections()
	for {
		c.asked++
		path := fmt.Sprintf("/api/prices/ceneo?q=dysk+model+%d", c.asked)
		scrapedAt, offers, err := price(ctx, c.http, c.stack.Gateway+path)
		if err != nil {
			return
		}
		if offers > 0 { // an empty answer is not kept
			c.known[path] = scrapedAt
		}
		select {
		case <-stopped:
			return
		default:
		}
	}
}

// awaitSharedCache waits until what one replica has looked up, another one knows.
func awaitSharedCache(t *testing.T, s *harness.Stack) {
	t.Helper()
	n := 0
	harness.Eventually(t, "the replicas share their cache", func() bool {
		n++
		path := fmt.Sprintf("/api/prices/ceneo?q=nowa+karta+%d", n)
		first, _, err := price(t.Context(), harness.Client(), s.Hardware[0].URL()+path)
		if err != nil {
			return false
		}
		second, _, err := price(t.Context(), harness.Client(), s.Hardware[1].URL()+path)
		return err == nil && first == second
	})
}

// verify asks again for one of the known prices, unless the cache that the replicas
// share was killed, and for the ranking.
func (c *priceClient) verify(t *testing.T, cacheKilled bool) {
	t.Helper()
	if cacheKilled {
		clear(c.known)
	}
	for path, before := range c.known {
		now, _, err := price(t.Context(), c.http, c.stack.Gateway+path)
		if err != nil || now != before && !c.redisWasLate() {
			t.Errorf("%s: %v, scraped at %q; before it was %q", path, err, now, before)
		}
		c.known[path] = now
		break // any one: the map's order changes
	}
	if rows := c.rankingRows(t); rows != c.rows {
		t.Errorf("the ranking has %d rows, before it had %d", rows, c.rows)
	}
}

// redisWasLate reports whether a replica has logged that Redis did not answer in time.
// On a busy machine that happens, and then the replica does not share what it looked up.
func (c *priceClient) redisWasLate() bool {
	for _, replica := range c.stack.Hardware {
		if log := replica.Log.String(); strings.Contains(log, "shared store is away") || strings.Contains(log, "outcome not shared") {
			return true
		}
	}
	return false
}

func (c *priceClient) rankingRows(t *testing.T) int {
	t.Helper()
	a, err := harness.Send(t.Context(), c.http, http.MethodGet, c.stack.Gateway+"/api/benchmark/ssd?limit=500", nil)
	if err != nil {
		t.Fatal(err)
	}
	return harness.Decode[struct{ Count int }](t, a).Count
}
