// Loads the page again when the seconds in data-retry of an element are over, and counts
// them down in its element with data-left.
"use strict";

// waitText writes seconds as the function Wait of text.go does.
function waitText(seconds) {
  const [length, unit] = seconds < 120 ? [1, "s"] : seconds <= 119 * 60 ? [60, "min"] : [3600, "godz."];
  return `${Math.ceil(seconds / length)}\u00a0${unit}`;
}

// countDown resolves when the seconds of an element are over.
function countDown(element) {
  const end = Date.now() + 1000 * Number(element.dataset.retry);
  const shown = element.querySelector("[data-left]");
  return new Promise((over) => {
    const tick = () => {
      const left = Math.round((end - Date.now()) / 1000);
      if (left <= 0) return over();
      shown.textContent = waitText(left);
      setTimeout(tick, 1000);
    };
    tick();
  });
}

for (const element of document.querySelectorAll("[data-retry]:not([data-prices] *)")) {
  countDown(element).then(() => location.reload());
}
