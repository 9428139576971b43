// The example's calls in Node, through the gateway at GATEWAY_URL.
import assert from 'node:assert/strict';
import {env} from 'node:process';
import {test} from 'node:test';

import * as app from '../example/app.js';
import {agree, browse} from './browser.js';

test('the example', async () => {
  app.use(env.GATEWAY_URL ?? '', browse);
  assert.equal(await app.user(), undefined);
  await assert.rejects(app.login('biuro@demo.example', 'nie to'), /hasło/);
  const {company} = await app.login('biuro@demo.example', 'demo-haslo-2026');
  assert.equal((await app.user())?.company?.id, company?.id);

  assert.equal(await app.isConnected(), false);
  await browse(await agree(await app.consentAddress()), {redirect: 'manual'});
  assert.equal(await app.isConnected(), true);
  assert.match((await app.pages(company?.id ?? 0))[0], /, obserwujący: \d+$/);
  assert.match((await app.audit(company?.id ?? 0))[0], /^Wynik: \d+ na 100$/);

  assert.match((await app.prices('RTX 4070 SUPER'))[0], /^\d+\.\d\d zł, /);
  assert.match((await app.prices('zzqqxx 9999'))[0], /^Nie znaleziono produktu /);
});
