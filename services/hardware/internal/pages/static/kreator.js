// Fetches the offers that a page waits for, shows meanwhile where their look-up
// stands in the line, and adds up the prices of a build. Without it the page
// loads again and waits for everything.
"use strict";

// A browser opens six connections to one host: some must stay free for places.
const lanes = 3;
const placeEvery = 1000; // ms

async function fragment(address, signal) {
  const answer = await fetch(address, { signal, headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

function failed() {
  const box = document.createElement("div");
  box.className = "alert bad";
  box.setAttribute("role", "alert");
  box.textContent = "Nie udało się pobrać ofert. Odśwież stronę, aby spróbować ponownie.";
  return box;
}

// showPlace keeps the place of one look-up up to date until its offers are there.
function showPlace(part, signal) {
  const ask = async () => {
    try {
      const place = await fragment(part.dataset.queue, signal);
      const shown = part.querySelector("[data-place]");
      if (shown) shown.textContent = place.textContent;
    } catch {
      // The next one may come through; the offers themselves tell of failures.
    }
    if (!signal.aborted) setTimeout(ask, placeEvery);
  };
  ask();
}

async function load(part) {
  const done = new AbortController();
  showPlace(part, done.signal);
  try {
    part.replaceChildren(...(await fragment(part.dataset.load)).childNodes);
  } catch {
    part.replaceChildren(failed());
  }
  done.abort();
  addUp();
}

function addUp() {
  const sum = document.querySelector("[data-sum]");
  if (!sum) return;
  const prices = [...document.querySelectorAll("[data-price]")].map((p) => Number(p.dataset.price));
  const zloty = new Intl.NumberFormat("pl-PL", { style: "currency", currency: "PLN" });
  sum.textContent = zloty.format(prices.reduce((a, b) => a + b, 0));
  const known = document.querySelector("[data-known]");
  known.textContent = known.textContent.replace(/\d+/, String(prices.length));
}

async function loadAll() {
  const parts = [...document.querySelectorAll("[data-load]")];
  const lane = async () => {
    for (let part = parts.shift(); part; part = parts.shift()) await load(part);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function offerCopy() {
  const button = document.querySelector("[data-copy]");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const told = document.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(location.href);
      told.textContent = "Skopiowano.";
    } catch {
      told.textContent = "Przeglądarka nie pozwoliła skopiować; adres jest w pasku adresu.";
    }
  });
}

offerCopy();
loadAll();
