// Returns the transferred size of a page without pictures, and the time of its first paint.
(() => {
  const [page] = performance.getEntriesByType("navigation");
  const kinds = ["link", "script", "css"];
  const files = performance.getEntriesByType("resource").filter((r) => kinds.includes(r.initiatorType));
  const bytes = [page, ...files].reduce((sum, entry) => sum + entry.encodedBodySize, 0);
  return { bytes, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0 };
})()
