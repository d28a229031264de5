// The query of an address may be a signature that opens a bucket: it is a secret like a password.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import pg from 'pg';
import { type ApiServer, startApi } from '../support/api-server.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { everythingWritten } from '../support/everything-written.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const CANARY = 'c4n4ry-s1gn4ture';

/** A bucket that gives its files to those alone who have the signature. */
function bucket(): Promise<ApiServer> {
  return startApi(({ url }, response) => {
    response.statusCode = url.searchParams.get('sig') === CANARY ? 200 : 403;
    response.end(response.statusCode === 200 ? 'id,name\n1,a\n' : 'no');
  });
}

async function storeInTheOpen({ dataDir, databaseUrl }: Place, id: string, config: string): Promise<void> {
  if (databaseUrl === undefined) {
    const db = new DatabaseSync(join(dataDir, 'syncline.db'));
    db.prepare('update sources set config = ?, secrets = null where id = ?').run(config, id);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('update sources set config = $1, secrets = null where id = $2', [config, id]);
  await client.end();
}

onEitherEngine('signed addresses of files', (engine) => {
  test('work, and their signatures are in nothing that the service wrote or said', async (t) => {
    const place = await preparedPlace(engine);
    t.after(() => place.remove());
    const api = await bucket();
    t.after(() => api.close());
    const service: Service = await startService(engine, { place, environment: { LOG_LEVEL: 'trace' } });
    const said: string[] = [];
    const call = async (method: string, path: string, body?: unknown): Promise<string> => {
      const reply = await service.call(method, path, body === undefined ? {} : { body });
      said.push(reply.text);
      return reply.text;
    };
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(place, 'target.db') }, 'target');
    for (const path of ['a.csv', '{a,b}.csv']) {
      const id = await addSource(service, 'files', { url: `${api.url}/${path}?sig=${CANARY}&se=1` }, path);
      const at = `/api/v1/datasync/sources/${id}`;
      const { config } = await ask(service, 'GET', `/sources/${id}`);
      assert.equal(config.url, `${api.url}/${path}?********`, 'which file it is can be seen');
      assert.match(await call('POST', `${at}/check`), /"ok":true/);
      await call('PUT', at, { config: { ...config, name: 'rows' } });
      assert.match(await call('POST', `${at}/check`), /"ok":true/, 'sent back, the mask keeps the signature');
      await call('POST', '/api/v1/datasync/sources/check', { type: 'files', config: { url: `${api.url}/none/?sig=${CANARY}x` } });
      await call('POST', '/api/v1/datasync/sources/check', { type: 'files', config: { url: `http://127.0.0.1:1/?sig=${CANARY}` } });
      await call('POST', '/api/v1/datasync/sources/check', { type: 'files', config: { url: `ftp://x/?sig=${CANARY}` } });
      await call('GET', `${at}/streams`);
      assert.match(await call('GET', `${at}/streams/rows/sample`), /"name":"a"/);
      const streams = [{ source: 'rows', target: `rows_${id.slice(-4)}`, mode: 'append' }];
      const sync = await ask(service, 'POST', '/sync', { name: path, source_id: id, target_id, streams });
      const run = await runToEnd(service, sync.id);
      assert.equal(run.status, 'succeeded', JSON.stringify(run));
      await call('PUT', at, { config: { ...config, name: 'rows', url: `${api.url}/none.csv?sig=other` } });
      assert.equal((await runToEnd(service, sync.id)).status, 'failed');
      for (const path of [at, '/api/v1/datasync/sources', `/api/v1/datasync/runs/${run.id}`, '/api/v1/datasync/logs?limit=1000'])
        await call('GET', path);
    }
    for (const path of ['/api/v1/events?limit=1000', '/api/v1/audit?limit=1000']) await call('GET', path);
    await service.close();
    const written = await everythingWritten(place);
    assert.ok(written.includes(`${api.url}/a.csv`), 'what was written is looked at');
    for (const text of [...said, written]) {
      const at = text.indexOf(CANARY);
      assert.equal(at, -1, text.slice(Math.max(0, at - 200), at + 50));
    }
  });

  test('that an earlier version stored in the open are encrypted at the next start, and go on working', async (t) => {
    const place = await preparedPlace(engine);
    t.after(() => place.remove());
    const api = await bucket();
    t.after(() => api.close());
    const before = await startService(engine, { place });
    const url = `${api.url}/a.csv?sig=${CANARY}`;
    const id = await addSource(before, 'files', { url });
    await before.close();
    await storeInTheOpen(place, id, JSON.stringify({ url }));
    const service = await startService(engine, { place });
    t.after(() => service.close());
    await until(
      'the signature is masked',
      async () => (await ask(service, 'GET', `/sources/${id}`)).config.url === `${api.url}/a.csv?********`,
    );
    assert.equal((await ask(service, 'POST', `/sources/${id}/check`)).ok, true);
  });
});
