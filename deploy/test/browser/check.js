// Returns the violations on the page that axe-core does not check or leaves to people, as a
// list of sentences.
(() => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const shown = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const name = (e) => `<${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""}> ${(e.textContent || e.name || "").trim().slice(0, 40)}`;

  // The document.
  if (document.documentElement.lang !== "pl") found.push("the language is not Polish");
  for (const landmark of ["main", "header", "footer"]) {
    if (all(landmark).length !== 1) found.push(`${all(landmark).length} of <${landmark}>`);
  }
  if (all("h1").length !== 1) found.push(`${all("h1").length} of <h1>`);
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
  for (const e of all("nav, aside, section, [role=search]")) {
    if (!labelled(e).length && !e.getAttribute("aria-label") && !(e.matches("section") && !e.querySelector("h2"))) found.push(`region without a name: ${name(e)}`);
  }
  for (const e of all("table")) {
    if (!e.querySelector("thead th, th[scope]")) found.push(`table without headings: ${name(e)}`);
  }

  // Size.
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) found.push(`${wide} px wider than the screen`);

  // Borders of what can be filled in (WCAG 2.2, 1.4.11).
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
  for (const e of all("input:not([type=hidden]), select, textarea").filter(shown)) {
    const ratio = contrast(channels(getComputedStyle(e).borderTopColor).rgb, ground(e.parentElement));
    if (ratio < 3) found.push(`contrast of the border ${ratio.toFixed(2)}: ${e.name}`);
  }
  return found;
})()
