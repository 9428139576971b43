// Fetches the offers that a page waits for, shows meanwhile where their look-up
// stands in the line, and keeps the prices of a build or a comparison up to date. Without
// it the page loads again. countDown is that of retry.js.
"use strict";

const placeEvery = 1000; // ms
const pricesEvery = 1000;

const againAfter = 10; // s, after a failure of the connection

async function fragment(address, signal) {
  const answer = await fetch(address, { signal, headers: { Accept: "text/html" } });
  if (!answer.ok) throw Object.assign(new Error(`status ${answer.status}`), { retry: answer.headers.get("Retry-After") });
  return new DOMParser().parseFromString(await answer.text(), "text/html").body;
}

// failed shows that the service itself could not be reached.
function failed(error) {
  const box = document.createElement("div");
  box.className = "alert bad";
  box.setAttribute("role", "alert");
  box.dataset.retry = Number(error.retry) || againAfter;
  box.innerHTML = '<p><strong>Nie udało się połączyć z serwisem.</strong></p><p aria-live="off">Ponowimy za <span data-left></span>.</p>';
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

// load fetches the offers of a part, as often as a failure says when to try again.
async function load(part) {
  const waiting = part.innerHTML;
  for (;;) {
    const done = new AbortController();
    showPlace(part, done.signal);
    try {
      part.replaceChildren(...(await fragment(part.dataset.load)).childNodes);
    } catch (error) {
      part.replaceChildren(failed(error));
    }
    done.abort();
    const refusal = part.querySelector("[data-retry]");
    if (!refusal) return;
    await countDown(refusal);
    part.innerHTML = waiting;
  }
}

// update shows what has changed of a part of a list of prices. The rest stays, so that
// readers keep their place and a refusal is read out once.
function update(shown, fresh) {
  const [before, refusal] = [shown, fresh].map((part) => part.querySelector("[data-retry]"));
  if (before && refusal) {
    before.dataset.retry = refusal.dataset.retry;
    before.querySelector("[data-left]").textContent = refusal.querySelector("[data-left]").textContent;
  }
  if (shown.innerHTML !== fresh.innerHTML) shown.replaceChildren(...fresh.childNodes);
}

// showPrices keeps the prices of a build or a comparison up to date until all are there.
async function showPrices() {
  const list = document.querySelector("[data-prices]");
  let failures = 0;
  let failure = null;
  while (list) {
    try {
      const fresh = await fragment(list.dataset.prices);
      for (const part of fresh.querySelectorAll("[data-part]")) {
        const shown = list.querySelector(`[data-part="${part.dataset.part}"]`);
        if (shown) update(shown, part);
      }
      failure?.remove();
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures === 5) list.append((failure = failed(error)));
    }
    const refusals = [...list.querySelectorAll("[data-retry]")];
    if (list.querySelector("[data-pending]") && failures < 5) await new Promise((again) => setTimeout(again, pricesEvery));
    else if (refusals.length > 0) await Promise.race(refusals.map(countDown));
    else return;
  }
}

async function loadAll() {
  await Promise.all([...document.querySelectorAll("[data-load]")].map(load));
}

loadAll();
showPrices();
