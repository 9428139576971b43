// Every operation of both contracts, through the client, against a running backend with
// the demonstration data and the sandbox. deploy/test/e2e starts all that, holds every
// exchange to the contracts, and fails for an operation that was not asked.
//
//   DIRECTORY_URL, HARDWARE_URL  base addresses of the services
//   CLIENT_SECRET                of the app at the fake providers
import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {env} from 'node:process';
import {test} from 'node:test';

import * as directory from 'backend-client/directory';
import * as hardware from 'backend-client/hardware';

const cookies = new Map();

/**
 * Does what a browser does with cookies.
 * @type {typeof fetch}
 */
const browse = async (input, init) => {
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

directory.client.setConfig({baseUrl: env.DIRECTORY_URL, fetch: browse});
hardware.client.setConfig({baseUrl: env.HARDWARE_URL});

/**
 * The data of an answer, which has to be a success.
 * @template Data
 * @param {Promise<{data: Data, error: undefined} | {data: undefined, error: unknown}>} answer
 */
async function ok(answer) {
  const {data, error} = await answer;
  assert.ok(data !== undefined, JSON.stringify(error));
  return data;
}

/**
 * The status of an answer without a body.
 * @param {Promise<{response: Response}>} answer
 */
const status = async (answer) => (await answer).response.status;

test('login', async () => {
  const refused = await directory.login({body: {email: 'biuro@demo.example', password: 'nie to'}});
  assert.equal(refused.response.status, 401);
  assert.equal(refused.error?.success, false);
  const {user, company} = await ok(directory.login({body: {email: 'biuro@demo.example', password: 'demo-haslo-2026'}}));
  assert.equal(user.email, 'biuro@demo.example');
  assert.equal((await ok(directory.getMe())).company?.id, company?.id);
  assert.equal(await status(directory.headMe()), 200);
});

/**
 * Connects a service through the consent page of its provider.
 * @param {directory.Provider} provider
 * @param {directory.Service} service
 */
async function connect(provider, service) {
  const {auth_url} = await ok(directory.connect({path: {provider, service}}));
  const consent = new URLSearchParams({decision: 'allow', account: 'anna', scope: 'all'});
  const back = await fetch(auth_url, {method: 'POST', body: consent, redirect: 'manual'});
  const {searchParams} = new URL(back.headers.get('Location') ?? '');
  const {response} = await directory.callback({
    path: {provider}, redirect: 'manual',
    query: {code: searchParams.get('code') ?? '', state: searchParams.get('state') ?? ''},
  });
  assert.equal(response.headers.get('Location'), `/konto/integracje?oauth_success=${provider}/${service}`);
}

test('connections', async () => {
  await connect('provider_search', 'search_profile');
  await connect('provider_search', 'search_analytics');
  await connect('provider_social', 'social_pages');
  await connect('provider_social', 'social_photos');
  const {services} = await ok(directory.getStatus());
  assert.equal(services['provider_social/social_pages']?.connected, true);
  assert.equal(await status(directory.headStatus()), 200);
});

test('page and figures', async () => {
  const company_id = (await ok(directory.getMe())).company?.id ?? 0;
  const {pages: [page]} = await ok(directory.discoverPages({body: {company_id}}));
  const chosen = await ok(directory.selectPage({body: {company_id, page_id: page.id}}));
  assert.equal(chosen.page.name, page.name);
  assert.equal((await ok(directory.syncPage({body: {company_id}}))).data.fan_count, chosen.sync?.fan_count);
  assert.equal((await ok(directory.syncPhotos({body: {company_id}}))).data.media.length, 25);
  assert.ok((await ok(directory.syncAnalytics({body: {company_id}}))).data.clicks > 0);
});

test('location and audits', async () => {
  const {locations: [{name}]} = await ok(directory.discoverLocations());
  assert.equal((await ok(directory.selectLocation({body: {location_name: name}}))).location.name, name);

  const run = await ok(directory.runAudit({body: {slug: 'piekarnia-kowalski', force_refresh: true}}));
  const slug = run.company_slug;
  assert.equal(run.audit.completeness_score, 100);
  assert.equal((await ok(directory.getAudit({query: {slug}}))).audit.audit_source, 'business_profile');
  assert.equal(await status(directory.headAudit({query: {slug}})), 200);

  const short = await directory.getAuditBySlug({path: {slug}});
  assert.equal(short.data?.audit.completeness_score, 100);
  assert.equal(await status(directory.headAuditBySlug({path: {slug}})), 200);
  const headers = {'If-None-Match': short.response.headers.get('ETag') ?? ''};
  assert.equal(await status(directory.getAuditBySlug({path: {slug}, headers})), 304);

  const {audits} = await ok(directory.getAuditHistory({path: {slug}, query: {limit: 1}}));
  assert.equal(audits[0].id, short.data?.audit.id);
  assert.equal(await status(directory.headAuditHistory({path: {slug}})), 200);
  assert.equal((await ok(directory.getAuditHealth())).available, true);
  assert.equal(await status(directory.headAuditHealth()), 200);
});

test('callbacks of the provider', async () => {
  const issued_at = Math.floor(Date.now() / 1000);
  const payload = Buffer.from(JSON.stringify({algorithm: 'HMAC-SHA256', issued_at, user_id: '1'})).toString('base64url');
  const signature = createHmac('sha256', env.CLIENT_SECRET ?? '').update(payload).digest('base64url');
  const body = {signed_request: `${signature}.${payload}`};
  assert.equal(await status(directory.deauthorize({body})), 200);
  const {url, confirmation_code} = await ok(directory.deleteData({body}));
  assert.ok(url.endsWith(confirmation_code));
});

test('disconnect and logout', async () => {
  const path = /** @type {const} */ ({provider: 'provider_search', service: 'search_profile'});
  assert.equal((await ok(directory.disconnect({path}))).success, true);
  assert.equal((await ok(directory.logout())).success, true);
  assert.equal((await directory.getMe()).response.status, 401);
});

test('rankings', async () => {
  const {family, rows} = await ok(hardware.getBenchmark({path: {type: 'gpu'}, query: {limit: 2}}));
  assert.deepEqual([family, rows.length, rows[0].rank], ['gpu', 2, 1]);
  assert.equal(await status(hardware.headBenchmark({path: {type: 'gpu'}})), 200);
});

test('prices', async () => {
  const path = {aggregator: 'ceneo'}, q = 'RTX 4070 SUPER';
  const {offers, lowest} = await ok(hardware.getPrices({path, query: {q, category: 'gpu'}}));
  assert.equal(offers[0].price, lowest?.price);
  assert.equal(await status(hardware.headPrices({path, query: {q}})), 200);
  const {items: [item]} = await ok(hardware.postQuotes({path, body: {items: [{q, category: 'gpu'}]}}));
  assert.equal(item.price?.lowest?.price, lowest?.price);

  const {error, response} = await hardware.getPrices({path: {aggregator: 'nieznana'}, query: {q}});
  assert.deepEqual([response.status, error?.code], [404, 'unknown_aggregator']);
});
