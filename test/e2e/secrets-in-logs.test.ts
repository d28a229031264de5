import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { test } from 'node:test';
import pg from 'pg';
import { newSecret } from '../../src/keys/format.ts';
import { newId } from '../../src/lib/ids.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';

/** Takes a table away behind the back of the service: what asks for it then fails by no fault of the caller. */
async function breakProducts({ dataDir, databaseUrl }: Place): Promise<void> {
  const statement = 'alter table products rename to products_gone';
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, 'syncline.db'), { timeout: 5000 });
    database.exec(statement);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

onEitherEngine('no key or secret in any log line', (engine) => {
  test('at the most talkative level, through every key operation and every failure', async (t) => {
    const place = await preparedPlace(engine);
    t.after(() => place.remove());
    const databaseUrl = place.databaseUrl?.replace('://syncline@', '://syncline:the-database-password@');
    const service = await startProcess({ ...place, databaseUrl }, { environment: { LOG_LEVEL: 'trace' } });
    t.after(() => service.kill());
    const admin = service.adminKey;
    const secrets = new Set<string>([admin, 'the-database-password']);
    const call = async (method: string, path: string, key: string, body?: unknown): Promise<Response> => {
      const raw = typeof body === 'string' ? body : JSON.stringify(body);
      const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
      return fetch(service.url + path, { method, headers, ...(raw !== undefined && { body: raw }) });
    };
    const secretOf = async (response: Response): Promise<{ id: string; key: string }> => {
      assert.equal(response.status, 200);
      const { data } = (await response.json()) as { data: { id: string; key: string } };
      secrets.add(data.key);
      return data;
    };

    const made = await secretOf(await call('POST', '/api/v1/keys', admin, { name: 'n', scopes: ['orders:read'] }));
    const rotated = await secretOf(await call('POST', `/api/v1/keys/${made.id}/rotate`, admin, { overlap_seconds: 60 }));
    await call('GET', '/api/v1/orders', made.key);
    await call('GET', '/api/v1/orders', rotated.key);
    await call('GET', `/api/v1/keys/${made.id}`, admin);
    await call('GET', '/api/v1/keys', admin);
    await call('DELETE', `/api/v1/keys/${made.id}`, admin);
    assert.equal((await call('GET', '/api/v1/orders', rotated.key)).status, 401);

    // Failures of every kind, with keys in every place where a user might put one.
    const unknown = newSecret(newId('key', Date.now()).id);
    const malformed = `${unknown}x`;
    const token = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2lnbmF0dXJl';
    for (const secret of [unknown, malformed, token]) secrets.add(secret);
    for (const key of [unknown, malformed, token]) assert.equal((await call('GET', '/api/v1/orders', key)).status, 401);
    assert.equal((await call('GET', `/api/v1/${unknown}`, admin)).status, 404);
    assert.equal((await call('GET', `/api/v1/orders/${unknown}`, admin)).status, 404);
    assert.equal((await call('GET', `/api/v1/orders?key=${unknown}`, admin)).status, 400);
    assert.equal((await call('POST', '/api/v1/keys', admin, { key: unknown })).status, 400);
    assert.equal((await call('POST', '/api/v1/keys', admin, `{"key":"${unknown}"`)).status, 400);
    assert.equal((await call('PUT', `/api/v1/keys/${unknown}`, admin)).status, 405);
    const readOnly = await secretOf(await call('POST', '/api/v1/keys', admin, { name: unknown, scopes: ['webhooks'] }));
    assert.equal((await call('GET', '/api/v1/keys', readOnly.key)).status, 403);
    await breakProducts(place);
    assert.equal((await call('GET', `/api/v1/products?q=${unknown}`, admin)).status, 500);
    assert.equal((await call('GET', `/api/v1/products/p?`, admin)).status, 500);

    assert.deepEqual(await service.stop(), { code: 0, signal: null });
    const lines = service.logs().split('\n');
    assert.ok(lines.some((line) => line.includes('a request failed by our fault')));
    assert.ok(lines.some((line) => line.includes('"level":"debug"')));
    const greeting = lines.filter((line) => line.includes(admin));
    assert.deepEqual(greeting, [`  Admin key  ${admin}`]);
    for (const secret of secrets) {
      const random = secret.startsWith('slk_') ? secret.slice(31, 69) : secret;
      for (const line of lines) assert.ok(line === greeting[0] || !line.includes(random), `a secret in the log: ${line}`);
    }

    // Neither the operator's own key nor, from the second start on, the one in the file is shown.
    for (const environment of [{ LOG_LEVEL: 'trace' }, { LOG_LEVEL: 'trace', SYNCLINE_ADMIN_KEY: 'the-key-of-the-operator-himself' }]) {
      const again = await startProcess(place, { environment });
      t.after(() => again.kill());
      const key = 'SYNCLINE_ADMIN_KEY' in environment ? environment.SYNCLINE_ADMIN_KEY : admin;
      const answer = await fetch(`${again.url}/api/v1/keys`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(answer.status, 200);
      await again.stop();
      assert.ok(!again.logs().includes(key));
      assert.ok(!again.logs().includes(admin));
    }

    // Where the file is not, as after a restore, none is named as if it were there.
    rmSync(join(place.dataDir, 'admin-key'));
    const without = await startProcess(place);
    t.after(() => without.kill());
    await without.stop();
    assert.match(without.logs(), /Admin key {2}as before; put it into \S+admin-key\n +if it is lost, start once with SYNCLINE_ADMIN_KEY/);
  });
});
