// Prices and stock from a table without a time of change to a real shop, declared as docs/vendure.md tells it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { addSource, ask, type Body, reaches } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { startVendure, type Vendure } from '../support/vendure.ts';
import { isWhole } from '../support/whole.ts';

const MUTATION = ': updateProductVariants(';
const ENDS = ['succeeded', 'partial', 'failed', 'needs_approval'];

/** The source of the document, with another address and password. */
function documented({ url, password }: Pick<Vendure, 'url' | 'password'>): Body {
  const [, json = ''] = /```json\n([^`]*)```/.exec(readFileSync(new URL('../../docs/vendure.md', import.meta.url), 'utf8')) ?? [];
  const config = JSON.parse(json);
  config.base_url = url;
  config.auth.secrets[0].value = password;
  return config;
}

describe('a table without a time of change feeds Vendure', {
  skip: !isWhole && 'npm run test:whole has it; Vendure is installed for it',
}, () => {
  let [shopDatabase, table]: TestDatabase[] = [];
  let service: Service;
  let vendure: Vendure;
  let source_id: string;
  let sync: Body;

  before(async () => {
    shopDatabase = await newDatabase();
    table = await newDatabase();
    vendure = await startVendure(shopDatabase.url);
    await table.run(`create table prices (sku text primary key, price bigint not null, stock bigint not null);
      insert into prices select 'SKU-' || n, n * 1000, n from generate_series(1, 5) n`);
    service = await startService('sqlite');
    source_id = await addSource(service, 'postgres', table.config);
    sync = await feed(documented(vendure));
  });
  after(async () => {
    vendure?.stop();
    await service?.close();
    await table?.close();
    await shopDatabase?.close();
  });

  const feed = async (config: Body): Promise<Body> => {
    const target_id = await addSource(service, 'http', config, `Vendure ${Math.random()}`);
    const streams = [{ source: 'public.prices', target: 'prices_and_stock' }];
    return ask(service, 'POST', '/sync', { name: 'prices', source_id, target_id, streams, schedule: { type: 'manual' } });
  };
  /** Runs it to its end; answers what it counted and how many mutations Vendure was sent. */
  const run = async (): Promise<Body> => {
    vendure.asked('');
    const { id } = await ask(service, 'POST', `/sync/${sync.id}/runs`, {});
    const { streams, status } = await reaches(service, id, ENDS, 60_000);
    const { inserted, updated, deleted, unchanged, rejected } = streams[0];
    return { status, inserted, updated, deleted, unchanged, rejected, mutations: vendure.asked(MUTATION) };
  };
  const nothing = { status: 'succeeded', inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, mutations: 0 };

  test('it is a mirror by itself, and what has not changed is not sent', async () => {
    assert.deepEqual([sync.streams[0].mode, sync.streams[0].deletes], ['mirror', 'delete']);
    assert.deepEqual(await run(), { ...nothing, inserted: 5, mutations: 5 });
    assert.deepEqual(await vendure.articles(), ['SKU-1 1000 1', 'SKU-2 2000 2', 'SKU-3 3000 3', 'SKU-4 4000 4', 'SKU-5 5000 5']);
    assert.deepEqual(await run(), { ...nothing, unchanged: 5 });
  });

  test('one row that has changed is one mutation', async () => {
    await table?.run("update prices set price = 2222 where sku = 'SKU-2'");
    assert.deepEqual(await run(), { ...nothing, updated: 1, unchanged: 4, mutations: 1 });
    assert.ok((await vendure.articles()).includes('SKU-2 2222 2'));
  });

  test('a row that is gone leaves no stock, in one mutation, and comes back with what it had', async () => {
    await table?.run("delete from prices where sku = 'SKU-3'");
    assert.deepEqual(await run(), { ...nothing, deleted: 1, unchanged: 4, mutations: 1 });
    assert.ok((await vendure.articles()).includes('SKU-3 3000 0'));
    assert.deepEqual(await run(), { ...nothing, unchanged: 4 });
    await table?.run("insert into prices values ('SKU-3', 3000, 3)");
    assert.deepEqual(await run(), { ...nothing, inserted: 1, unchanged: 4, mutations: 1 });
    assert.ok((await vendure.articles()).includes('SKU-3 3000 3'));
  });

  test('what Vendure refuses is a reject with its words, and everything else arrives', async () => {
    await table?.run(`update prices set stock = -1 where sku = 'SKU-1'; update prices set stock = 44 where sku = 'SKU-4';
      insert into prices values ('SKU-unknown', 1, 1)`);
    const { mutations, ...counted } = await run();
    assert.deepEqual(counted, { status: 'partial', inserted: 0, updated: 1, deleted: 0, unchanged: 3, rejected: 2 });
    assert.ok(mutations >= 2, `${mutations} mutations`);
    const rejects = await ask(service, 'GET', `/sync/${sync.id}/rejects`);
    const reasons = rejects.map(({ reason, row }: Body) => `${row.sku}: ${reason}`).toSorted();
    assert.match(reasons[0], /^SKU-1: .*stockOnHand cannot be a negative value/);
    assert.match(reasons[1], /^SKU-unknown: /);
    const articles = await vendure.articles();
    assert.ok(articles.includes('SKU-1 1000 1') && articles.includes('SKU-4 4000 44'), articles.join());
    await table?.run("update prices set stock = 1 where sku = 'SKU-1'; delete from prices where sku = 'SKU-unknown'");
    assert.deepEqual(await run(), { ...nothing, unchanged: 5 });
  });

  test('a wrong token and a wrong password are failures of the kind auth, and nothing is sent', async () => {
    const token = { ...documented(vendure), auth: { type: 'bearer', token: 'wrong' } };
    const password = documented({ ...vendure, password: 'wrong' });
    for (const config of [token, password]) {
      const { id: syncId } = await feed(config);
      vendure.asked('');
      const { id } = await ask(service, 'POST', `/sync/${syncId}/runs`, {});
      const { status, error } = await reaches(service, id, ENDS, 60_000);
      assert.deepEqual([status, error.kind, vendure.asked(MUTATION)], ['failed', 'auth', 0], JSON.stringify(error));
    }
  });
});
