// An API through the whole service: child streams and deletions arrive at the target, and a wrong secret is an error of rights.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { type ApiServer, sendJson, startApi } from '../../../test/support/api-server.ts';
import { onBothEngines } from '../../../test/support/databases.ts';
import { addSource, ask, runToEnd, sqliteFile } from '../../../test/support/real-syncs.ts';
import { type Service, startService } from '../../../test/support/service.ts';

interface Order {
  id: number;
  at: number;
  state: string;
  lines: { no: number; sku: string }[];
}

const text = (name: string, path?: string) => ({ name, type: 'text', ...(path !== undefined && { path }) });
const number = (name: string, path?: string) => ({ name, type: 'int64', ...(path !== undefined && { path }) });

function declared(url: string, password: string): object {
  return {
    base_url: url,
    auth: {
      type: 'login',
      url: '/login',
      values: [{ name: 'user', value: 'sync' }],
      secrets: [{ name: 'password', value: password }],
      token: 'token',
    },
    streams: [
      {
        name: 'orders',
        path: '/orders',
        records: 'data',
        key: ['id'],
        fields: [number('id'), number('at'), text('state')],
        incremental: { field: 'at', param: 'since' },
        deleted: { path: 'state', equals: ['cancelled'] },
      },
      {
        name: 'lines',
        from: {
          stream: 'orders',
          list: 'lines',
          fields: [
            { name: 'order_id', path: 'id' },
            { name: 'order_at', path: 'at' },
          ],
        },
        key: ['order_id', 'no'],
        fields: [number('order_id'), number('no'), text('sku'), number('order_at')],
      },
      {
        name: 'notes',
        path: '/orders/{id}/notes',
        records: 'data',
        from: {
          stream: 'orders',
          params: [{ name: 'id', path: 'id' }],
          fields: [
            { name: 'order_id', path: 'id' },
            { name: 'order_at', path: 'at' },
          ],
        },
        key: ['order_id', 'no'],
        fields: [number('order_id'), number('no'), number('order_at')],
      },
    ],
  };
}

onBothEngines('an API through the service', (engine) => {
  let service: Service;
  let api: ApiServer;
  const orders: Order[] = [1, 2, 3, 4].map((id) => ({
    id,
    at: id,
    state: 'open',
    lines: [
      { no: 1, sku: 'a' },
      { no: 2, sku: 'b' },
    ].slice(0, id % 3),
  }));
  before(async () => {
    service = await startService(engine);
    api = await startApi(({ url, body, headers }, response) => {
      if (url.pathname === '/login') {
        const isKnown = (JSON.parse(body) as { password: string }).password === 'right';
        return sendJson(response, isKnown ? { token: 't' } : { message: 'Wrong password' }, isKnown ? 200 : 401);
      }
      if (headers.authorization !== 'Bearer t') return sendJson(response, {}, 401);
      const [, , id] = url.pathname.split('/');
      if (id !== undefined) return sendJson(response, { data: [{ no: 1 }] });
      return sendJson(response, { data: orders.filter(({ at }) => at >= Number(url.searchParams.get('since') ?? 0)) });
    });
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  test('what is new, what belongs to it and what is gone', async () => {
    const path = sqliteFile(service.place, 'api.sqlite');
    const source = await addSource(service, 'http', declared(api.url, 'right'));
    const target = await addSource(service, 'sqlite', { path });
    const streams = ['orders', 'lines', 'notes'].map((name) => ({ source: name, target: name, mode: 'incremental' }));
    const sync = await ask(service, 'POST', '/sync', {
      name: 'api',
      source_id: source,
      target_id: target,
      streams,
      guard: { max_delete_percent: 100 },
    });
    assert.deepEqual(
      sync.streams.map(({ deletes, cursor }: { deletes: string; cursor: string }) => [deletes, cursor]),
      [
        ['delete', 'at'],
        ['keep', 'order_at'],
        ['keep', 'order_at'],
      ],
      'where deletions are told they are made, and only there',
    );
    const runs = async (): Promise<string[]> => {
      const run = await runToEnd(service, sync.id);
      assert.equal(run.status, 'succeeded', JSON.stringify(run.error));
      return run.streams.map((stream: Record<string, number>) => `${stream['inserted']} ${stream['updated']} ${stream['deleted']}`);
    };
    const held = (statement: string): unknown[] => {
      const db = new DatabaseSync(path, { readOnly: true });
      try {
        return db
          .prepare(statement)
          .all()
          .map((row) => Object.values(row).join(' '));
      } finally {
        db.close();
      }
    };
    assert.deepEqual(await runs(), ['4 0 0', '4 0 0', '4 0 0']);
    assert.deepEqual(held('select order_id, no, sku from lines order by 1, 2'), ['1 1 a', '2 1 a', '2 2 b', '4 1 a']);
    Object.assign(orders[1] ?? {}, { at: 10, state: 'cancelled' });
    Object.assign(orders[2] ?? {}, { at: 11, lines: [{ no: 1, sku: 'c' }] });
    assert.deepEqual(await runs(), ['0 1 1', '1 2 0', '0 2 0']);
    assert.deepEqual(held('select id from orders order by 1'), ['1', '3', '4']);
    assert.deepEqual(await runs(), ['0 0 0', '0 0 0', '0 0 0']);
  });

  test('a wrong secret', async () => {
    const source = await addSource(service, 'http', declared(api.url, 'wrong'), 'stranger');
    const { ok, error } = await ask(service, 'POST', `/sources/${source}/check`);
    assert.deepEqual([ok, error.kind, error.code, error.field], [false, 'auth', 'LOGIN_REFUSED', 'config.auth.secrets']);
  });
});
