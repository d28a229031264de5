import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Handler, sendJson } from '../../../test/support/api-server.ts';
import { failureOf, readAll, writeRows } from '../../../test/support/http-connector.ts';
import { useApis } from '../../../test/support/served-apis.ts';
import { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { Field } from '../contract.ts';

// What passes is tried again in place: the same request, soon, and not for ever.

const { open } = useApis({ timeout_seconds: 0.3 });

type Fault = (response: Parameters<Handler>[1]) => void;
const status =
  (code: number): Fault =>
  (response) =>
    sendJson(response, {}, code, { 'retry-after': '0.01' });
const FAULTS: Record<string, Fault> = {
  ...Object.fromEntries([408, 425, 429, 500, 502, 503, 504].map((code) => [code, status(code)])),
  reset: (response) => void response.socket?.resetAndDestroy(),
  silence: () => {},
  'half an answer': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"items":[{"id":1},', () => response.destroy());
  },
};

const FIELDS: Field[] = [{ name: 'id', type: 'int64', nullable: true }];
const write = { path: '/things' };
const reading = { path: '/things', records: 'items', fields: [{ name: 'id', type: 'int64' }], paging: { type: 'page' } };
const request = { stream: 's', fields: FIELDS, mode: 'append' } as const;

describe('a fault that passes', () => {
  for (const [name, fault] of Object.entries(FAULTS))
    test(`${name}: what is written is sent again byte for byte, with the same key, and what is read is read once`, async () => {
      let faults = 2;
      const { api, session } = await open((_, response) => (faults-- > 0 ? fault(response) : sendJson(response, {}, 201)), { write });
      assert.equal((await writeRows(session, request, [['1'], ['2']])).inserted, 2);
      const sent = api.received.map(({ headers, body }) => `${headers['idempotency-key'] as string} ${body}`);
      assert.deepEqual([sent.length, new Set(sent).size], [4, 2]);

      let left = 1;
      const { session: source } = await open(({ url }, response) => {
        const page = Number(url.searchParams.get('page') ?? 1);
        if (page === 2 && left-- > 0) return fault(response);
        return sendJson(response, { items: page <= 3 ? [{ id: page }] : [] });
      }, reading);
      assert.deepEqual((await readAll(source, { stream: 's', fields: ['id'] })).rows, [['1'], ['2'], ['3']]);
    });

  test('that does not pass is given up after five tries, or when the time is over, and told as what it is', async () => {
    const { api, session } = await open((_, response) => sendJson(response, {}, 502), { write });
    const failure = await failureOf(writeRows(session, request, [['1']]));
    assert.deepEqual([failure.kind, failure.code, api.received.length], ['transient', 'API_FAILED', 5]);
    const short = await open((_, response) => sendJson(response, {}, 502), { write }, { max_wait_seconds: 0.5 });
    await failureOf(writeRows(short.session, request, [['1']]));
    assert.equal(short.api.received.length, 2);
    const never = await open((_, response) => sendJson(response, {}, 502), { write }, { max_wait_seconds: 0 });
    await failureOf(writeRows(never.session, request, [['1']]));
    assert.equal(never.api.received.length, 1);
  });

  test('a refusal is none: it is not tried again', async () => {
    for (const code of [400, 401, 403, 404, 409, 422]) {
      const { api, session } = await open((_, response) => sendJson(response, {}, code), { write });
      await writeRows(session, request, [['1']]).catch(() => {});
      assert.equal(api.received.length, 1, String(code));
    }
  });

  test('a removal is tried again too', async () => {
    let faults = 1;
    const { api, session } = await open((_, response) => (faults-- > 0 ? void response.destroy() : void response.writeHead(204).end()), {
      write: { ...write, delete_path: '/things/{id}' },
    });
    const writer = await session.write({ ...request, key: ['id'], owner: 'tests', token: 1n, create: false });
    assert.equal((await writer.write(Batch.ofRows([['7']], { position: 'p', operation: 'delete' }))).deleted, 1);
    assert.equal(new Set(api.received.map(({ headers }) => headers['idempotency-key'])).size, 1);
  });

  test('that lasts ends a read behind what was read before: the next one goes on there', async () => {
    let isBroken = true;
    const { api, session } = await open(
      ({ url }, response) => {
        const page = Number(url.searchParams.get('page') ?? 1);
        if (page === 6 && isBroken) return sendJson(response, {}, 500);
        return sendJson(response, { items: page <= 8 ? [{ id: page }] : [] });
      },
      reading,
      { max_wait_seconds: 0 },
    );
    const rows: Row[] = [];
    let position = '';
    const first = (async () => {
      for await (const batch of session.read({ stream: 's', fields: ['id'], key: [] })) {
        rows.push(...batch.rows);
        position = batch.position;
      }
    })();
    assert.equal((await failureOf(first)).code, 'API_FAILED');
    assert.deepEqual(rows, [['1'], ['2'], ['3'], ['4'], ['5']]);
    isBroken = false;
    const before = api.received.length;
    assert.deepEqual((await readAll(session, { stream: 's', fields: ['id'], after: position })).rows, [['6'], ['7'], ['8']]);
    assert.equal(api.received[before]?.url.searchParams.get('page'), '6');
  });
});
