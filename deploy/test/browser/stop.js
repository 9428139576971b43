// Returns the focused element, whether the focus is visible, and whether the element comes after the
// one that had the focus at the previous call.
(() => {
  const e = document.activeElement, before = window.before;
  window.before = e;
  return {
    name: e.outerHTML.slice(0, 100),
    visible: e.matches(":focus-visible") && getComputedStyle(e).outlineStyle !== "none",
    inOrder: !before || Boolean(before.compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING),
  };
})()
