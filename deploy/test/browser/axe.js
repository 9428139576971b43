// Runs axe-core with every rule of WCAG 2.2 A and AA and of good practice. On a dark screen, where
// only the colours differ, it checks the contrast.
async (contrastOnly) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const runOnly = contrastOnly ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: tags };
  const shown = { include: [document], exclude: ["details:not([open]) > :not(summary)"] };
  const { violations } = await axe.run(shown, { runOnly, resultTypes: ["violations"] });
  return violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + " " + n.html.slice(0, 120)));
}
