// The pages work without this script. It shows that something goes on while a slow
// form is answered, and how the other service is.
"use strict";

function busy(form, since) {
  const shown = form.querySelector("[data-progress]");
  const seconds = shown.querySelector("[data-seconds]");
  shown.hidden = false;
  seconds.textContent = Math.round((Date.now() - since) / 1000) + " s";
}

for (const form of document.querySelectorAll("form[data-waits]")) {
  form.addEventListener("submit", () => {
    const since = Date.now();
    form.setAttribute("aria-busy", "true");
    for (const button of form.querySelectorAll("button")) {
      button.disabled = true;
    }
    busy(form, since);
    setInterval(busy, 1000, form, since);
  });
}

// A page that comes back from the browser's memory has its forms as they were sent.
window.addEventListener("pageshow", (event) => {
  if (event.persisted && document.querySelector("form[aria-busy]")) {
    location.reload();
  }
});

for (const place of document.querySelectorAll("[data-probe]")) {
  fetch(place.dataset.probe, { method: "HEAD" })
    .then((answer) => answer.ok, () => false)
    .then((works) => {
      const badge = document.createElement("span");
      badge.className = works ? "badge good" : "badge bad";
      badge.textContent = works ? "Działa" : "Nie odpowiada";
      place.replaceChildren(badge);
    });
}
