import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { addSource, ask, rowsIn, runToEnd } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';

const PATH = '/api/v1/datasync/sample';

// The files are the same whatever database we have ourselves, so one engine is enough.
describe('sample files', () => {
  let service: Service;
  before(async () => {
    service = await startService('sqlite');
  });
  after(() => service.close());

  test('no key 401, wrong scope 403, a body 400', async () => {
    assert.equal((await service.post(PATH, undefined, { key: null })).status, 401);
    assert.equal((await service.post(PATH, undefined, { key: await service.keyWith('datasync:read') })).status, 403);
    const { status, body } = await service.post(PATH, {});
    assert.deepEqual([status, body.error.details.field], [400, 'body']);
  });

  test('are a shop that can be kept in sync, all of it', async () => {
    const { path, files } = await ask(service, 'POST', '/sample');
    assert.deepEqual(
      files.map(({ name }: { name: string }) => name),
      ['customers', 'products', 'orders'],
    );
    const source_id = await addSource(service, 'files', { path });
    const target_id = await addSource(service, 'sqlite', { path: 'sample/copy.sqlite' });
    const streams = files.map(({ name }: { name: string }) => ({ source: name, key: ['id'] }));
    const sync = await ask(service, 'POST', '/sync', { name: 'sample', source_id, target_id, streams });
    const run = await runToEnd(service, sync.id);
    assert.deepEqual([run.status, run.totals.rejected], ['succeeded', 0], JSON.stringify(run));
    for (const { name, rows } of files) assert.equal(rowsIn(join(service.place.dataDir, 'files/sample/copy.sqlite'), name), rows, name);
  });

  test('that are there stay as the user has made them', async () => {
    const file = join(service.place.dataDir, 'files/sample/shop/products.csv');
    writeFileSync(file, 'id,name\n1,Mine\n');
    await ask(service, 'POST', '/sample');
    assert.equal(readFileSync(file, 'utf8'), 'id,name\n1,Mine\n');
  });

  test('a folder that cannot be written to is 409 that says what to do', async (t) => {
    const folder = join(service.place.dataDir, 'blocked');
    mkdirSync(folder);
    writeFileSync(join(folder, 'sample'), 'in the way');
    const other = await startService('sqlite', { environment: { SYNCLINE_FILE_ROOTS: folder } });
    t.after(() => other.close());
    const { status, body } = await other.post(PATH);
    assert.deepEqual([status, body.error.code], [409, 'CONFLICT']);
    assert.match(body.error.message, /SYNCLINE_FILE_ROOTS/);
  });
});
