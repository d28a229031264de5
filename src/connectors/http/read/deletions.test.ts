import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendJson } from '../../../../test/support/api-server.ts';
import { openHttp, readAll } from '../../../../test/support/http-connector.ts';
import { useApis } from '../../../../test/support/served-apis.ts';
import type { Batch } from '../../batch.ts';
import { validate } from '../config/validate.ts';

const { serve } = useApis();

interface Thing {
  id: number;
  at: number;
  state?: string;
}

const fields = [
  { name: 'id', type: 'int64' },
  { name: 'at', type: 'int64' },
];
const things = { name: 'things', path: '/things', records: 'data', key: ['id'], fields, incremental: { field: 'at', param: 'since' } };
const reading = { stream: 'things', fields: ['id', 'at'], key: ['id'], cursor: 'at' };

function told(batches: readonly Batch[]): string[] {
  return batches.flatMap(({ operation, rows }) => rows.map(([id]) => `${operation} ${id}`));
}

/** What a target has in the end. */
function applied(batches: readonly Batch[], ids = new Set<string>()): string[] {
  for (const { operation, rows } of batches) {
    for (const [id] of rows) {
      if (operation === 'delete') ids.delete(String(id));
      else ids.add(String(id));
    }
  }
  return [...ids].sort();
}

describe('a flag in the record', () => {
  async function open(deleted: object, all: Thing[]) {
    const api = await serve(({ url }, response) =>
      sendJson(response, { data: all.filter(({ at }) => at >= Number(url.searchParams.get('since') ?? 0)) }),
    );
    return openHttp({ base_url: api.url, streams: [{ ...things, deleted }] });
  }

  test('is told as a deletion by an incremental read, and left out by any other', async () => {
    const all: Thing[] = [1, 2, 3].map((id) => ({ id, at: id, state: 'live' }));
    const session = await open({ path: 'state', equals: ['archived', 'gone'] }, all);
    assert.equal((await session.discover())[0]?.tellsDeletions, true);
    const first = await readAll(session, reading);
    assert.deepEqual(told(first.batches), ['write 1', 'write 2', 'write 3']);
    Object.assign(all[1] ?? {}, { at: 10, state: 'archived' });
    all.push({ id: 4, at: 11, state: 'live' });
    const second = await readAll(session, { ...reading, after: first.position });
    assert.deepEqual(told(second.batches), ['delete 2', 'write 4']);
    assert.deepEqual(applied([...first.batches, ...second.batches]), ['1', '3', '4']);
    const whole = await readAll(session, { stream: 'things', fields: ['id', 'at'], key: ['id'] });
    assert.deepEqual(told(whole.batches), ['write 1', 'write 3', 'write 4']);
  });

  test('whatever batches are cut to, the last that is said of a record counts, and nothing is lost by going on', async () => {
    const states = ['live', 'gone', 'live', 'gone', 'live'];
    const all = Array.from({ length: 40 }, (_, i): Thing => ({ id: i % 8, at: i, state: states[(i * 7) % 5] ?? '' }));
    const expected = [...new Map(all.map((thing) => [thing.id, thing.state])).entries()].flatMap(([id, state]) =>
      state === 'live' ? [String(id)] : [],
    );
    const session = await open({ path: 'state', equals: ['gone'] }, all);
    for (const batchRows of [1, 2, 3, 7, 100]) {
      const { batches } = await readAll(session, { ...reading, batchRows });
      assert.deepEqual(applied(batches), expected.sort(), `${batchRows} rows`);
      for (const [at, { position }] of batches.entries()) {
        const rest = await readAll(session, { ...reading, batchRows, after: position });
        assert.deepEqual(applied([...batches.slice(0, at + 1), ...rest.batches]), expected, `${batchRows} rows, after ${at}`);
      }
    }
  });

  test('without values, anything but nothing is a deletion', async () => {
    const all = [null, undefined, '', false, 0, '2026-01-01', true, 1].map((gone, id) => ({ id, at: 1, gone }));
    const session = await open({ path: 'gone' }, all);
    assert.deepEqual(told((await readAll(session, reading)).batches), [
      'delete 5',
      'delete 6',
      'delete 7',
      'write 0',
      'write 1',
      'write 2',
      'write 3',
      'write 4',
    ]);
  });
});

test('of what is gone, the key is enough', async () => {
  const api = await serve((_, response) =>
    sendJson(response, { data: [{ id: 1, deleted: true }, { id: 2, at: 5, name: 'x' }, { deleted: true }] }),
  );
  const all = [...fields, { name: 'name', type: 'text', required: true }];
  const session = await openHttp({ base_url: api.url, streams: [{ ...things, fields: all, deleted: { path: 'deleted' } }] });
  const { batches, rejects } = await readAll(session, { ...reading, fields: ['id', 'at', 'name'] });
  assert.deepEqual(told(batches), ['delete 1', 'write 2']);
  assert.deepEqual(
    rejects.map(({ field }) => field),
    ['id'],
  );
});

describe('a stream of deletions', () => {
  async function open(all: Thing[], gone: { key: number; when: number }[]) {
    const api = await serve(({ url }, response) => {
      const since = Number(url.searchParams.get('since') ?? 0);
      const page = Number(url.searchParams.get('page') ?? 1);
      if (url.pathname === '/things') return sendJson(response, { data: all.filter(({ at }) => at >= since) });
      const found = gone.filter(({ when }) => when >= since);
      return sendJson(response, { data: found.slice((page - 1) * 2, page * 2) });
    });
    const deleted = {
      name: 'deleted_things',
      path: '/deleted',
      records: 'data',
      fields: [
        { name: 'key', type: 'int64' },
        { name: 'when', type: 'int64' },
      ],
      paging: { type: 'page' },
      incremental: { field: 'when', param: 'since' },
    };
    const streams = [{ ...things, deletions: { stream: 'deleted_things', key: ['key'] } }, deleted];
    return { api, session: await openHttp({ base_url: api.url, streams }) };
  }

  test('is read before what is new: what was deleted and made anew is there in the end', async () => {
    const all: Thing[] = [1, 2, 3, 4].map((id) => ({ id, at: id }));
    const gone: { key: number; when: number }[] = [];
    const { api, session } = await open(all, gone);
    const first = await readAll(session, reading);
    assert.deepEqual(told(first.batches), ['write 1', 'write 2', 'write 3', 'write 4']);
    gone.push({ key: 2, when: 5 }, { key: 3, when: 6 }, { key: 4, when: 7 });
    all.splice(1, 3, { id: 3, at: 8 });
    const second = await readAll(session, { ...reading, after: first.position });
    assert.deepEqual(told(second.batches), ['delete 2', 'delete 3', 'delete 4', 'write 3']);
    assert.deepEqual(applied([...first.batches, ...second.batches]), ['1', '3']);
    api.received.length = 0;
    assert.deepEqual(told((await readAll(session, { ...reading, after: second.position })).batches), [], 'nothing is told twice');
    assert.equal(api.received[0]?.url.searchParams.get('since'), '7');
  });

  test('goes on from any batch', async () => {
    const all = Array.from({ length: 6 }, (_, i) => ({ id: i, at: i }));
    const gone = Array.from({ length: 5 }, (_, i) => ({ key: 100 + i, when: i }));
    const { session } = await open(all, gone);
    const { batches } = await readAll(session, { ...reading, batchRows: 2 });
    assert.equal(told(batches).length, 11);
    for (const [at, { position }] of batches.entries()) {
      const rest = await readAll(session, { ...reading, batchRows: 2, after: position });
      assert.deepEqual(told([...batches.slice(0, at + 1), ...rest.batches]), told(batches), `after ${at}`);
    }
  });

  test('what cannot work is refused by its member', () => {
    const faults = (change: object) =>
      validate({
        base_url: 'http://a',
        streams: [
          { ...things, ...change },
          { name: 'd', path: '/d' },
        ],
      } as never).map(({ field, reason }) => `${field} ${reason}`);
    assert.match(faults({ deletions: { stream: 'd', key: ['id'] } }).join(), /deletions\.stream must be a stream with `incremental`/);
    assert.match(
      faults({ deletions: { stream: 'things', key: ['id', 'at'] } }).join(),
      /must be the name of another.*as many fields as the key/,
    );
    assert.match(faults({ key: [], deleted: { path: 'x' } }).join(), /key is mandatory where deletions are told/);
  });
});
