import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { onBothEngines } from '../../test/support/databases.ts';
import { type Service, startService } from '../../test/support/service.ts';
import { addSync, streamOf } from '../../test/support/sync-fixture.ts';
import { runStatement } from '../../test/support/commands.ts';
import { sampled } from '../../test/support/whole.ts';

const ADDRESS = { street: 'Main Street 1', city: 'Springfield', zip: '12345' };
const MEGABYTE = 1024 * 1024;
/** More than a page holds, each of a size that the interface takes. */
const MANY = sampled(16, 30);
const LARGEST_PAGE = 12 * MEGABYTE;
const TYPES = Array.from({ length: 900 }, (_, at) => ({ field: `${at}`.padEnd(980, 'x'), type: 'text' }));

onBothEngines('a page of large items', (engine) => {
  let service: Service;
  before(async () => {
    service = await startService(engine);
    for (let i = 0; i < MANY; i++)
      await service.post('/api/v1/datasync/sources', { name: `s${i}`, type: 'files', config: { path: 'a.csv', types: TYPES } });
  });
  after(() => service.close());

  /** Walks a list by its cursors, with the largest pages that can be asked for. */
  const walk = async (path: string, cursorName = 'cursor'): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor: string | null = null, pages = 0; ; pages++) {
      const more: string = cursor === null ? '' : `&${cursorName}=${cursor}`;
      const { status, text, body } = await service.get(`${path}${path.includes('?') ? '&' : '?'}limit=1000${more}`);
      assert.equal(status, 200, text.slice(0, 500));
      const bytes = Buffer.byteLength(text);
      assert.ok(bytes < LARGEST_PAGE, `a page of ${path} has ${bytes} bytes`);
      assert.ok(pages < MANY, `${path} comes to an end`);
      seen.push(...(body.data as { id?: string; product_id?: string }[]).map(({ id, product_id }) => id ?? product_id ?? ''));
      if (body.next_cursor === null || body.data.length === 0) {
        assert.ok(pages > 0, `${path} comes in several pages`);
        return seen;
      }
      cursor = body.next_cursor;
    }
  };
  const demandAll = (seen: string[], count: number): void => {
    assert.equal(seen.length, count);
    assert.equal(new Set(seen).size, count);
  };

  test('ends early and leads on: sources', async () => {
    demandAll(await walk('/api/v1/datasync/sources'), MANY);
    // The first page of all, whatever is asked for, has something in it.
    const { body } = await service.get('/api/v1/datasync/sources?limit=1');
    assert.deepEqual([body.data.length, body.total], [1, MANY]);
  });

  test('ends early and leads on: events, also where those of another topic are small', async () => {
    for (let i = 0; i < MANY; i++)
      await service.post('/api/v1/products/sync', { product_id: `p${i}`, name: 'A mug', price: 1, stock_quantity: 1 });
    demandAll(await walk('/api/v1/events', 'after'), 2 * MANY);
  });

  test('ends early and leads on: orders with all that they hold', async () => {
    // An item is longer in the answer than in what was sent.
    const items = Array.from({ length: 500 }, (_, at) => ({ product_id: `${at}${'\u{1f4e6}'.repeat(60)}`, quantity: 1, price: 1 }));
    const metadata = { note: 'x'.repeat(16_000) };
    for (let i = 0; i < 4 * MANY; i++)
      await service.post('/api/v1/orders', { customer_id: 'c', items, metadata, shipping_address: ADDRESS });
    for (const expand of ['items', 'all']) demandAll(await walk(`/api/v1/orders?expand=${expand}`), 4 * MANY);
  });

  test('ends early and leads on: products, all of them or those of a category', async () => {
    const categories = Array.from({ length: 99 }, (_, at) => `${at}`.padEnd(97, '€'));
    for (let batch = 0; batch < 4; batch++) {
      const products = Array.from({ length: 100 }, (_, at) => ({
        product_id: `large-${batch}-${at}`,
        name: 'A mug',
        price: 1,
        categories: ['large', ...categories],
      }));
      const { status, text } = await service.post('/api/v1/products/sync/batch', products);
      assert.equal(status, 200, text.slice(0, 500));
    }
    demandAll(await walk('/api/v1/products?category=large'), 400);
    demandAll(await walk('/api/v1/products?q=large'), 400);
  });

  test('ends early and leads on: synchronizations, runs and what they have rejected', async () => {
    const { db } = service.app;
    const long = 'x'.repeat(MEGABYTE);
    const ids: string[] = [];
    const time = '2026-11-01T00:00:00.000Z';
    for (let i = 0; i < MANY; i++) {
      const id = await addSync(db, { streams: [streamOf(`s${i}`, long.slice(0, MEGABYTE / 2))] });
      ids.push(id);
      const runId = id.replace('syn_', 'run_');
      await db.write(
        runStatement,
        `insert into runs (id, sync_id, status, "trigger", mode, attempt, retries, crashes, headway, created_at, not_before, finished_at, approved,
          cancelled, report, rows_read, inserted, updated, deleted, unchanged, rejected, bytes, error)
          values ('${runId}', '${id}', 'failed', 'manual', 'run', 1, 0, 0, 0, '${time}', '${time}', '${time}', 0, 0, '[]', 0, 0, 0, 0, 0, 0, 0,
            '{"kind":"config","code":"X","message":"${long.slice(0, MEGABYTE / 2)}","hint":null,"field":null}')`,
      );
      await db.write(
        runStatement,
        `insert into rejects (id, sync_id, stream, target, identity, first_run_id, last_run_id, "row", reason, unreadable, created_at, updated_at)
          values ('${id.replace('syn_', 'rej_')}', '${ids[0]}', 's', 't', '${i}', '${ids[0]?.replace('syn_', 'run_')}',
            '${ids[0]?.replace('syn_', 'run_')}', '{"a":"${long}"}', 'no', 0, '${time}', '${time}')`,
      );
    }
    demandAll(await walk('/api/v1/datasync/sync'), MANY);
    demandAll(await walk('/api/v1/datasync/runs'), MANY);
    demandAll(await walk(`/api/v1/datasync/sync/${ids[0]}/rejects`), MANY);
  });
});
