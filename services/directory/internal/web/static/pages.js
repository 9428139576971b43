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

// A list of choices narrows down as one types. Enter moves on to the first that is left.
const folded = (text) => text.toLowerCase().replaceAll("ł", "l").normalize("NFD").replace(/\p{M}/gu, "");
for (const search of document.querySelectorAll("form[data-filters]")) {
  const list = document.getElementById(search.dataset.filters);
  const field = search.querySelector("input");
  if (!list) continue;
  const options = [...list.querySelectorAll(".option")].map((element) => ({ element, text: folded(element.textContent) }));
  field.addEventListener("input", () => {
    const wanted = folded(field.value.trim());
    let left = 0;
    for (const { element, text } of options) {
      element.hidden = !text.includes(wanted);
      if (!element.hidden) left++;
    }
    search.querySelector("[data-found]").textContent = "Pasuje: " + left;
  });
  search.addEventListener("submit", (event) => {
    event.preventDefault();
    const first = list.querySelector(".option:not([hidden]) input:enabled");
    if (first) {
      first.checked = true;
      first.focus();
    }
  });
}

// A menu closes on Escape and on a click elsewhere.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && event.target.closest?.("details.menu[open]");
  if (menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
