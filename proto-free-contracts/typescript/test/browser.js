// What browsers do for a page and Node does not: cookies, and a person who clicks.

const cookies = new Map();

/**
 * Does what a browser does with cookies.
 * @type {typeof fetch}
 */
export const browse = async (input, init) => {
  const request = new Request(input, init);
  if (cookies.size > 0) request.headers.set('Cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
  const response = await fetch(request);
  for (const cookie of response.headers.getSetCookie()) {
    const [, name, value] = /** @type {RegExpMatchArray} */ (cookie.match(/^([^=]+)=([^;]*)/));
    if (value) cookies.set(name, value);
    else cookies.delete(name);
  }
  return response;
};

/**
 * Agrees on the consent page of a fake provider and returns where that leads back to.
 * @param {string} consentAddress
 */
export async function agree(consentAddress) {
  const body = new URLSearchParams({decision: 'allow', account: 'anna', scope: 'all'});
  const {headers} = await fetch(consentAddress, {method: 'POST', body, redirect: 'manual'});
  return new URL(headers.get('Location') ?? '');
}
