// The page of the example: forms and buttons for app.js.
import * as app from './app.js';
import {gateway} from './config.js';

/** @template {HTMLElement} E @param {string} id */
const element = (id) => /** @type {E} */ (document.getElementById(id));

/** @param {string} text @param {string[]} [lines] */
function show(text, lines = []) {
  element('message').textContent = text;
  element('lines').replaceChildren(...lines.map((line) => Object.assign(document.createElement('li'), {textContent: line})));
}

/** @param {string} id @param {string} event @param {() => Promise<void>} action */
function on(id, event, action) {
  element(id).addEventListener(event, (e) => {
    e.preventDefault();
    show('Chwileczkę…');
    action().catch(({message}) => show(message));
  });
}

/** @param {string} form @param {string} name */
const field = (form, name) => String(new FormData(element(form)).get(name));

let company = 0;

async function showUser() {
  const me = await app.user();
  company = me?.company?.id ?? 0;
  element('user').textContent = me ? `Zalogowano: ${me.user.name}, ${me.company?.name ?? 'bez firmy'}` : 'Zaloguj się.';
}

/** Connects in a window of its own if the callback does not end on this page. */
async function connect() {
  const place = gateway ? open('') : window;
  if (!place) return show('Przeglądarka zablokowała okno.');
  place.location.href = await app.consentAddress();
  while (gateway && !(await app.isConnected())) await new Promise((resolve) => setTimeout(resolve, 2000));
  if (gateway) show('Połączono.');
}

on('login', 'submit', async () => {
  await app.login(field('login', 'email'), field('login', 'password'));
  show('');
  await showUser();
});
on('connect', 'click', connect);
on('pages', 'click', async () => show('Twoje strony:', await app.pages(company)));
on('audit', 'click', async () => show('Audyt profilu:', await app.audit(company)));
on('prices', 'submit', async () => show('Najtańsze oferty:', await app.prices(field('prices', 'q'))));

app.use(gateway);
await showUser(); // whose company the buttons below ask about
const outcome = new URLSearchParams(location.search);
if (outcome.has('oauth_success')) show('Połączono.');
if (outcome.has('oauth_error')) show(`Nie połączono: ${outcome.get('oauth_error')}`);
