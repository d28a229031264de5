import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHookPort } from '../../datasync/hooks/port.ts';
import type { Database } from '../../db/database.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import { insertCalls } from '../../../test/support/hook-calls.ts';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import type { Row } from '../canonical.ts';
import { conformance } from '../conformance.ts';
import type { NewStream } from '../conformance/harness.ts';
import { connector } from './connector.ts';
import { FIELDS } from './stream.ts';

const HOOK = 'hok_01kfa0v2m3f8rb4v3k7m2t9xqe';

/** What was sent, as the row that it becomes. */
function rowOf(n: number): Row {
  const body = `{"number":${n},"words":"${'x'.repeat(60)}"}`;
  return [String(n), `${HOOK}.${n}`, '2026-11-01 09:30:00.125+00', `message ${n}`, '{"x-topic":"orders"}', body, 'json'];
}

async function put(db: Database, rows: readonly Row[]): Promise<void> {
  const calls = rows.map(([seq, , received = '', senderId, headers, body]) => ({
    seq: Number(seq),
    senderId: senderId ?? null,
    receivedAt: String(received).replace(' ', 'T').replace('+00', 'Z'),
    headers: headers ?? '{}',
    body: body ?? '',
    encoding: 'utf8' as const,
  }));
  await db.write(insertCalls, { hookId: HOOK, calls });
}

conformance('hook', {
  connector,
  shape: {
    stream: 'hook',
    fields: FIELDS,
    key: ['id'],
    cursor: 'sequence',
    onlyAdds: true,
    text: 'sender_id',
    row: (n) => rowOf(n),
    bad: [],
  },
  start: async () => {
    const db = await openTestDatabase('sqlite');
    await put(db, []);
    return {
      config: { hook: HOOK },
      context: { hooks: createHookPort(db) },
      create: ({ rows }: NewStream) => put(db, rows),
      change: ({ rows }: NewStream, { put: added = [] }: { put?: readonly Row[] }) => put(db, [...rows, ...added]),
      close: () => db.close(),
    };
  },
  cannot: {
    outOfOrder: 'the row of a hook is its lock: the numbers of calls are in the order of commits',
    cut: 'our own database is asked in this process',
    connections: 'our own database is asked in this process',
  },
});

onBothEngines('calls of a hook, by the cursor', (engine) => {
  test('are read on behind the last one, whatever they are made of', async () => {
    const db = await openTestDatabase(engine);
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal };
    const session = await connector.open({ hook: HOOK }, { ...context, hooks: createHookPort(db) });
    const read = async (after?: string) => {
      const request = {
        stream: 'hook',
        fields: ['sequence', 'body', 'encoding'],
        key: [],
        cursor: 'sequence',
        ...(after !== undefined && { after }),
      };
      const rows: Row[] = [];
      let position = after;
      for await (const batch of session.read(request)) {
        rows.push(...batch.rows);
        ({ position } = batch);
      }
      return { rows, position };
    };
    try {
      await assert.rejects(session.check(), /There is no hook/);
      const call = (seq: number, body: string, encoding: 'utf8' | 'base64' = 'utf8') => ({
        seq,
        senderId: null,
        receivedAt: '2026-11-01T09:30:00.000Z',
        headers: '{}',
        body,
        encoding,
      });
      await db.write(insertCalls, {
        hookId: HOOK,
        calls: [call(1, '{"a": 1.10}'), call(2, 'a=1&b="2"'), call(3, 'AP8B', 'base64'), call(4, '')],
      });
      const first = await read();
      assert.deepEqual(first.rows, [
        ['1', '{"a": 1.10}', 'json'],
        ['2', '"a=1&b=\\"2\\""', 'text'],
        ['3', '"AP8B"', 'base64'],
        ['4', '""', 'text'],
      ]);
      assert.deepEqual(await read(first.position), { rows: [], position: first.position });
      await db.write(insertCalls, { hookId: HOOK, calls: [call(7, '7')] });
      assert.deepEqual((await read(first.position)).rows, [['7', '7', 'json']]);
    } finally {
      await db.close();
    }
  });
});
