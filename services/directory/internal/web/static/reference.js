// The reference is whole without this script. It lets each operation be tried: the
// request goes to this site, with the session if there is one.
"use strict";

function request(form) {
  const headers = {};
  const query = new URLSearchParams();
  let path = form.dataset.path;
  for (const input of form.querySelectorAll("input")) {
    if (input.dataset.in === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.value !== "" && input.dataset.in === "query") {
      query.append(input.name, input.value);
    } else if (input.value !== "") {
      headers[input.name] = input.value;
    }
  }
  const body = form.querySelector("textarea");
  if (body) {
    headers["Content-Type"] = body.dataset.type;
  }
  const url = query.size ? `${path}?${query}` : path;
  return [url, { method: form.dataset.method, headers, body: body?.value, cache: "no-store" }];
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function send(form) {
  const [url, options] = request(form);
  const shown = document.createElement("pre");
  form.querySelector(".answer").replaceChildren(shown);
  shown.textContent = `${options.method} ${url}\n`;
  try {
    const answer = await fetch(url, options);
    shown.textContent += `${answer.status} ${answer.statusText}\n\n${pretty(await answer.text())}`;
  } catch (error) {
    shown.textContent += `Failed: ${error.message}`;
  }
}

for (const place of document.querySelectorAll(".try")) {
  place.hidden = false;
  place.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    send(event.target);
  });
}
