package browser

import "strings"

// measured says what a page weighs as it came, compressed and without pictures,
// and when it was first painted.
const measured = `(() => {
  const [page] = performance.getEntriesByType("navigation");
  const files = performance.getEntriesByType("resource").filter((r) => ["link", "script", "css"].includes(r.initiatorType));
  const bytes = [page, ...files].reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  return { bytes, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0 };
})()`

// weigh holds the page to its weight, and logs its first paint.
func (b *tab) weigh(name string) {
	b.t.Helper()
	limit := 15_000
	if strings.HasPrefix(name, "reference") {
		limit = 40_000 // a whole contract on one page
	}
	page := evaluate[struct {
		Bytes int
		Paint float64
	}](b, measured)
	b.t.Logf("measured %s: %d bytes, first paint after %.0f ms", name, page.Bytes, page.Paint)
	if page.Bytes == 0 || page.Bytes > limit {
		b.t.Errorf("%s weighs %d bytes, more than %d", name, page.Bytes, limit)
	}
}
