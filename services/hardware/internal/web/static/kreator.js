// Fetches the offers that a page waits for, shows meanwhile where their look-up
// stands in the line, and keeps the prices of a build up to date. Without it the
// page loads again.
"use strict";

const placeEvery = 1000; // ms
const pricesEvery = 1000;

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
}

// showPrices keeps the prices of a build up to date until all are there. What has not
// changed stays, so that nobody loses the place at which they read.
async function showPrices() {
  const build = document.querySelector("[data-prices]");
  for (let failures = 0, pending = Boolean(build); pending; ) {
    try {
      const fresh = await fragment(build.dataset.prices);
      for (const part of fresh.querySelectorAll("[data-part]")) {
        const shown = build.querySelector(`[data-part="${part.dataset.part}"]`);
        if (shown && shown.innerHTML !== part.innerHTML) shown.replaceChildren(...part.childNodes);
      }
      pending = build.querySelector("[data-pending]") !== null;
      failures = 0;
    } catch {
      failures += 1;
      if (failures === 5) build.querySelector("[data-part=suma]").append(failed());
      pending = failures < 5;
    }
    if (pending) await new Promise((again) => setTimeout(again, pricesEvery));
  }
}

async function loadAll() {
  await Promise.all([...document.querySelectorAll("[data-load]")].map(load));
}

function offerCopy() {
  const button = document.querySelector("[data-copy]");
  if (!button || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const told = document.querySelector("[data-copied]");
    try {
      await navigator.clipboard.writeText(new URL(button.dataset.copy, location.href).href);
      told.textContent = "Skopiowano.";
    } catch {
      told.textContent = "Przeglądarka nie pozwoliła skopiować; otwórz krótki adres.";
    }
  });
}

offerCopy();
loadAll();
showPrices();
