// Every operation of both contracts, through the client, against a running backend with
// the demonstration data and the sandbox. deploy/test/e2e starts all that, holds every
// exchange to the contracts, and fails for an operation that was not asked.
//
//   DIRECTORY_URL, HARDWARE_URL  base addresses of the services
//   CLIENT_SECRET                of the app at the fake providers
//   RESET_LINK                   by which kierownik@demo.example sets a new password
import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {env} from 'node:process';
import {test} from 'node:test';

import * as directory from 'backend-client/directory';
import * as hardware from 'backend-client/hardware';

import {agree, browse} from './browser.js';

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
  const {searchParams} = await agree(auth_url);
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
  assert.equal(await status(directory.headCallback({path: {provider: 'provider_search'}, redirect: 'manual'})), 302);
});

test('page and figures', async () => {
  const company_id = (await ok(directory.getMe())).company?.id ?? 0;
  const {pages: [page]} = await ok(directory.discoverPages({body: {company_id}}));
  const chosen = await ok(directory.selectPage({body: {company_id, page_id: page.id}}));
  assert.equal(chosen.page.name, page.name);
  assert.equal((await ok(directory.syncPage({body: {company_id}}))).data.fan_count, chosen.sync?.fan_count);
  assert.equal((await ok(directory.syncPhotos({body: {company_id}}))).data.media.length, 25);
  assert.ok((await ok(directory.syncAnalytics({body: {company_id}}))).data.clicks > 0);
  const {properties: [{property}]} = await ok(directory.discoverProperties());
  assert.equal(await status(directory.selectProperty({body: {property}})), 200);
});

test('location and audits', async () => {
  const {locations: [{name}]} = await ok(directory.discoverLocations());
  assert.equal((await ok(directory.selectLocation({body: {location_name: name}}))).location.name, name);

  const company_id = (await ok(directory.getMe())).company?.id ?? 0;
  assert.ok((await ok(directory.syncPerformance({body: {company_id}}))).data.impressions > 0);

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

test('passwords and sessions', async () => {
  const email = 'kierownik@demo.example', first = 'cztery słowa na drogę', second = 'pięć innych słów na drogę';
  assert.equal((await ok(directory.requestReset({body: {email}}))).success, true);
  const token = new URL(env.RESET_LINK ?? '').searchParams.get('token') ?? '';
  assert.equal((await ok(directory.confirmReset({body: {token, new_password: first}}))).success, true);

  await ok(directory.login({body: {email, password: first}}));
  assert.equal((await ok(directory.changePassword({body: {old_password: first, new_password: second}}))).success, true);
  await ok(directory.login({body: {email, password: second}, fetch})); // in another browser
  const {sessions} = await ok(directory.listSessions());
  assert.deepEqual(sessions.map(({current}) => current).sort(), [false, true]);
  assert.equal(await status(directory.headSessions()), 200);
  assert.equal((await ok(directory.endSessions({body: {}}))).ended, 1);
  await ok(directory.getMe());
});

test('companies of an administrator', async () => {
  await ok(directory.login({body: {email: 'admin@demo.example', password: 'demo-haslo-2026'}}));
  const {company} = await ok(directory.addCompany({body: {name: 'Piekarnia Pod Dębem', slug: 'piekarnia-pod-debem'}}));
  const query = {search: 'piekarnia pod'}, path = {id: company.id};
  const {companies} = await ok(directory.listCompanies({query}));
  assert.deepEqual(companies.map(({id}) => id), [company.id]);
  assert.equal(await status(directory.headCompanies({query})), 200);

  assert.equal((await ok(directory.editCompany({path, body: {phone: '+48 12 000 10 02'}}))).company.phone, '+48 12 000 10 02');
  assert.equal((await ok(directory.getCompany({path}))).company.phone, '+48 12 000 10 02');
  assert.equal(await status(directory.headCompany({path})), 200);
});

test('users of an administrator', async () => {
  const {user, link} = await ok(directory.inviteUser({body: {email: 'anna@demo.example', role: 'MEMBER'}}));
  assert.equal(link, null); // it is sent by e-mail
  const query = {search: 'anna@'}, path = {id: user.id};
  const {users} = await ok(directory.listUsers({query}));
  assert.deepEqual(users.map(({id}) => id), [user.id]);
  assert.equal(await status(directory.headUsers({query})), 200);

  assert.equal((await ok(directory.editUser({path, body: {name: 'Anna'}}))).user.name, 'Anna');
  assert.equal((await ok(directory.getUser({path}))).user.name, 'Anna');
  assert.equal(await status(directory.headUser({path})), 200);
  assert.equal((await ok(directory.makeResetLink({path}))).link, null);
  assert.equal((await ok(directory.deleteUser({path}))).success, true);
  assert.equal(await status(directory.getUser({path})), 404);
});

test('the own account and colleagues', async () => {
  const password = 'demo-haslo-2026';
  await ok(directory.login({body: {email: 'biuro@demo.example', password}}));
  assert.equal((await ok(directory.changeProfile({body: {name: 'Anna Nowak'}}))).success, true);
  assert.equal((await ok(directory.requestEmail({body: {email: 'anna.nowak@demo.example', password}}))).success, true);
  assert.equal((await directory.confirmEmail({body: {token: 'nie ten'}})).response.status, 400); // the right one is in the e-mail

  const {user} = await ok(directory.inviteColleague({body: {email: 'jan@demo.example', role: 'EMPLOYEE'}}));
  assert.ok((await ok(directory.listColleagues())).users.some(({id}) => id === user.id));
  assert.equal(await status(directory.headColleagues()), 200);
  assert.equal((await ok(directory.removeColleague({path: {id: user.id}}))).success, true);
  await ok(directory.login({body: {email: 'admin@demo.example', password}}));
});

test('sessions of another user', async () => {
  const body = {email: 'pracownik@demo.example', password: 'demo-haslo-2026'};
  const {user} = await ok(directory.login({body, fetch})); // in another browser
  const path = {id: user.id};
  const {sessions: [session]} = await ok(directory.listUserSessions({path}));
  assert.equal(session.current, false);
  assert.equal(await status(directory.headUserSessions({path})), 200);
  assert.equal((await ok(directory.endUserSessions({path, body: {session_id: session.id}}))).ended, 1);
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

  assert.ok(Array.isArray((await ok(hardware.getPopular({path, query: {category: 'gpu'}}))).rows));
  assert.equal(await status(hardware.headPopular({path, query: {category: 'gpu'}})), 200);

  const {error, response} = await hardware.getPrices({path: {aggregator: 'nieznana'}, query: {q}});
  assert.deepEqual([response.status, error?.code], [404, 'unknown_aggregator']);
});
