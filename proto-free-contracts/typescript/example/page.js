// Who is logged in, and the cheapest offers for a product. Any static server shows the
// page on the backend's own address; elsewhere the browser sends no session.
import {getMe} from '../directory/index.js';
import {getPrices} from '../hardware/index.js';

const form = /** @type {HTMLFormElement} */ (document.querySelector('form'));
const offers = /** @type {HTMLElement} */ (document.querySelector('#offers'));

/** @param {string} id @param {string} text */
function say(id, text) {
  /** @type {HTMLElement} */ (document.getElementById(id)).textContent = text;
}

async function showUser() {
  const {data} = await getMe();
  say('user', data ? `Zalogowano: ${data.user.name}, ${data.company?.name ?? 'bez firmy'}` : 'Nikt nie jest zalogowany.');
}

/** @param {string} q */
async function showPrices(q) {
  offers.replaceChildren();
  say('answer', 'Szukam…');
  const {data, error} = await getPrices({path: {aggregator: 'ceneo'}, query: {q}});
  if (!data) return say('answer', error.error ?? 'Nie ma połączenia.');
  say('answer', data.note ?? data.productName);
  for (const {price, storeLabel} of data.offers) {
    const item = document.createElement('li');
    item.textContent = `${price.toFixed(2)} zł, ${storeLabel}`;
    offers.append(item);
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  showPrices(String(new FormData(form).get('q')));
});
showUser();
