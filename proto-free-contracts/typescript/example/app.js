// What the example asks of the backend. It needs no page, so it runs in Node, too.
import * as directory from '../directory/index.js';
import * as hardware from '../hardware/index.js';

/**
 * Sets the gateway's address and, outside of browsers, a fetch that keeps cookies.
 * @param {string} baseUrl
 * @param {typeof fetch} [keepCookies]
 */
export function use(baseUrl, keepCookies) {
  directory.client.setConfig({baseUrl, credentials: 'include', ...(keepCookies && {fetch: keepCookies})});
  hardware.client.setConfig({baseUrl});
}

/**
 * Returns the data of an answer, or throws its message for people.
 * @template Data
 * @param {Promise<{data?: Data, error?: {error?: string}}>} answer
 */
async function dataOf(answer) {
  const {data, error} = await answer;
  if (data === undefined) throw new Error(error?.error ?? 'Nie ma połączenia.');
  return data;
}

/** @param {string} email @param {string} password */
export const login = (email, password) => dataOf(directory.login({body: {email, password}}));

/** Returns the user who is logged in, or undefined. */
export const user = async () => (await directory.getMe()).data;

const pair = /** @type {const} */ ({provider: 'provider_social', service: 'social_pages'});

/** Returns the provider's address where a person agrees. The browser has to go there. */
export const consentAddress = async () => (await dataOf(directory.connect({path: pair}))).auth_url;

export async function isConnected() {
  const {services} = await dataOf(directory.getStatus());
  return services[`${pair.provider}/${pair.service}`]?.connected ?? false;
}

/** @param {number} company_id */
export async function pages(company_id) {
  const {pages} = await dataOf(directory.discoverPages({body: {company_id}}));
  return pages.map(({name, fan_count}) => `${name}, obserwujący: ${fan_count}`);
}

/** @param {number} company_id */
export async function audit(company_id) {
  const {audit} = await dataOf(directory.runAudit({body: {company_id}}));
  return [`Wynik: ${audit.completeness_score} na 100`, ...audit.recommendations.map(({text}) => text)];
}

/** @param {string} q */
export async function prices(q) {
  const {offers, note} = await dataOf(hardware.getPrices({path: {aggregator: 'ceneo'}, query: {q}}));
  return note ? [note] : offers.map(({price, storeLabel}) => `${price.toFixed(2)} zł, ${storeLabel}`);
}
