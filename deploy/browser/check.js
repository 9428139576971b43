// Returns what is wrong with the page for those who do not see it, do not use a
// mouse, or have a small screen: a list of sentences, empty when all is well.
// After the rules of axe-core and WCAG 2.2 AA that a page like ours can break.
(() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const name = (e) => `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}> ${(e.textContent || e.name || "").trim().slice(0, 40)}`;

  // The document.
  if (document.documentElement.lang !== "pl") found.push("the language is not Polish");
  if (!document.title.trim()) found.push("no title");
  for (const landmark of ["main", "header", "footer"]) {
    if (all(landmark).length !== 1) found.push(`${all(landmark).length} of <${landmark}>`);
  }
  if (all("h1").length !== 1) found.push(`${all("h1").length} of <h1>`);
  let level = 0;
  for (const heading of all("h1, h2, h3, h4")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) found.push(`heading skips a level: ${name(heading)}`);
    level = next;
  }
  const ids = all("[id]").map((e) => e.id);
  for (const id of ids.filter((id, i) => ids.indexOf(id) !== i)) found.push(`id ${id} twice`);
  for (const e of all("[style], [onclick], [onload], [onsubmit], script:not([src]), style")) found.push(`inline: ${name(e)}`);

  // Names.
  const labelled = (e) => (e.getAttribute("aria-labelledby") || "").split(/\s+/).filter(Boolean);
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls"]) {
    for (const e of all(`[${attribute}]`)) {
      for (const id of e.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) found.push(`${attribute} leads nowhere: ${id}`);
      }
    }
  }
  for (const e of all("input:not([type=hidden]), select, textarea")) {
    const label = [...(e.labels || [])].some((l) => l.textContent.trim());
    if (!label && !e.getAttribute("aria-label") && !labelled(e).length) found.push(`no label: ${name(e)} ${e.name}`);
  }
  for (const e of all("a[href], button, summary")) {
    const images = [...e.querySelectorAll("img")].map((i) => i.alt).join("");
    if (!(e.textContent.trim() || images || e.getAttribute("aria-label"))) found.push(`no name: ${name(e)}`);
  }
  for (const e of all("img:not([alt])")) found.push(`no alternative text: ${e.src}`);
  for (const e of all("svg[role=img]")) {
    if (!labelled(e).length) found.push("chart without a name");
  }
  for (const e of all("nav, aside, section, [role=search]")) {
    if (!labelled(e).length && !e.getAttribute("aria-label") && !(e.matches("section") && !e.querySelector("h2"))) found.push(`region without a name: ${name(e)}`);
  }
  for (const e of all("table")) {
    if (!e.querySelector("thead th, th[scope]")) found.push(`table without headings: ${name(e)}`);
  }

  // Size.
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`${wide} px wider than the screen`);
  for (const e of all("button, select, input:not([type=hidden]), .button").filter(shown)) {
    const box = e.getBoundingClientRect();
    if (box.height < 24 || box.width < 24) found.push(`too small to hit: ${name(e)}`);
  }

  // Contrast.
  const channels = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
    return { rgb: [r, g, b], a };
  };
  const over = (top, a, ground) => top.map((c, i) => c * a + ground[i] * (1 - a));
  const ground = (e) => {
    if (!e) return [255, 255, 255];
    const { rgb, a } = channels(getComputedStyle(e).backgroundColor);
    return a === 1 ? rgb : over(rgb, a, ground(e.parentElement));
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const e = texts.currentNode.parentElement;
    if (!texts.currentNode.textContent.trim() || !shown(e) || e.closest("title, desc, script, noscript")) continue;
    const style = getComputedStyle(e);
    const below = ground(e);
    const { rgb, a } = channels(e.closest("svg") ? style.fill : style.color);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ratio = contrast(over(rgb, a, below), below);
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${name(e)}`);
  }
  for (const e of all("input:not([type=hidden]), select, textarea").filter(shown)) {
    const ratio = contrast(channels(getComputedStyle(e).borderTopColor).rgb, ground(e.parentElement));
    if (ratio < 3) found.push(`contrast of the border ${ratio.toFixed(2)}: ${e.name}`);
  }
  return found;
})()
