// Returns the focused element, whether the focus is visible, and whether the element comes after the
// previous one.
(() => {
  const e = document.activeElement, before = window.before;
  window.before = e;
  return {
    name: e.outerHTML.slice(0, 100),
    seen: e.matches(":focus-visible") && getComputedStyle(e).outlineStyle !== "none",
    behind: !before || Boolean(before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING),
  };
})()
