// Makes a page look the same on every day and in every run: dates, times, random values and
// figures that depend on the date become fixed ones. Calling the result takes it back.
(() => {
  const months = "stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia";
  const varying = [
    [RegExp(`\\d{1,2}\\s(${months})(\\s\\d{4})?(,\\s\\d{1,2}:\\d{2})?`, "g"), "1 maja"],
    [RegExp(`(${months})\\s\\d{4}`, "g"), "maja"],
    [/\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?/g, "1 maja"],
    [/\b\d{1,2}:\d{2}(:\d{2})?\b/g, "12:00"],
    [/\b\d+\sms\b/g, "9 ms"],
    [/(localhost|127\.0\.0\.1):\d+/g, "host"],
    [/msg_\w+|whsec_[\w+/=]+|token=[\w-]+/g, "random"],
  ];
  const figures = ".headlines .figure, main:has(.channel) > .lead, .channel .figure, .change, .channel dd, .over-time text, .over-time desc, .over-time title";
  const undo = [];
  const set = (node, name, value) => {
    const before = node[name];
    if (before === value) return;
    node[name] = value;
    undo.push(() => { node[name] = before; });
  };
  for (const figure of document.querySelectorAll(figures)) {
    if (figure.firstChild?.nodeType === Node.TEXT_NODE) set(figure.firstChild, "data", "123");
  }
  for (const change of document.querySelectorAll(".change")) set(change, "className", "change");
  for (const note of document.querySelectorAll("#signals ~ .listed > li")) { // of a public holiday within 30 days
    if (!note.textContent.includes("święto")) continue;
    const hidden = note.parentElement.children.length === 1 ? note.closest("section") : note;
    set(hidden, "hidden", true);
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    set(walker.currentNode, "data", varying.reduce((text, [pattern, fixed]) => text.replace(pattern, fixed), walker.currentNode.data));
  }
  const styles = new CSSStyleSheet();
  styles.replaceSync(`*, ::before, ::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
    .bar { position: static !important; } /* would cover the middle of a page that is taken as a whole */
    [hidden] { display: none !important; }
    :is(.over-time, .spark) { background: var(--accent-soft); } :is(.over-time, .spark) > * { visibility: hidden; }`);
  document.adoptedStyleSheets.push(styles);
  window.unstill = () => {
    undo.forEach((step) => step());
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => sheet !== styles);
  };
  return document.fonts.ready.then(() => 0);
})()
