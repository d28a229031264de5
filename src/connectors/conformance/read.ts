import assert from 'node:assert/strict';
import type { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import type { ReadRequest } from '../contract.ts';
import type { Session } from '../session.ts';
import { OutsideError } from '../../outside/errors.ts';
import type { NewStream } from './harness.ts';
import { assertFails, type Case, type Kit, readAll } from './kit.ts';

const MANY = 250;

/** Reading everything, in pieces, from anywhere, and being stopped. */
export const readCases: readonly Case[] = [
  {
    name: 'a read yields every row once, in batches of the size asked for',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      const { rows, batches, rejects } = await kit.read(stream);
      kit.assertSame(stream.fields, rows, stream.rows);
      assert.deepEqual(rejects, []);
      assert.ok(batches.length >= 3, `${batches.length} batches are too few to be bounded by ${kit.batchBytes} bytes`);
      const largest = Math.max(...batches.map((batch) => batch.lines.length));
      assert.ok(largest <= kit.batchBytes * 2, `a batch has ${largest} bytes`);
      for (const batch of batches) assert.equal(typeof batch.position, 'string');
    },
  },
  {
    name: 'a batch has no more rows than wanted, and a read goes on behind each',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      const { rows, batches } = await kit.read(stream, { batchRows: 20, batchBytes: 1024 * 1024 });
      kit.assertSame(stream.fields, rows, stream.rows);
      const counts = batches.map((batch) => batch.count);
      assert.ok(
        counts.every((count) => count <= 20),
        counts.join(', '),
      );
      const half = batches[Math.floor(batches.length / 2)];
      if (!kit.abilities.resumable || !half) return;
      const rest = await kit.read(stream, { batchRows: 20, after: half.position });
      const before = batches.slice(0, batches.indexOf(half) + 1).reduce((sum, batch) => sum + batch.count, 0);
      assert.equal(rest.rows.length, MANY - before);
    },
  },
  {
    name: 'fields come in the order asked for',
    run: async (kit) => {
      const stream = await kit.stream(10);
      const fields = stream.fields.toReversed();
      const { rows } = await kit.read({ ...stream, fields });
      kit.assertSame(
        fields,
        rows,
        stream.rows.map((row) => row.toReversed()),
      );
    },
  },
  {
    name: 'an empty stream yields no rows',
    run: async (kit) => {
      const stream = await kit.stream(0);
      assert.deepEqual((await kit.read(stream)).rows, []);
      if (kit.abilities.incremental && stream.cursor !== undefined) {
        assert.deepEqual((await kit.read(stream, { cursor: stream.cursor })).rows, []);
      }
    },
  },
  {
    name: 'a limit is kept',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      for (const limit of [1, 7, MANY - 1, MANY + 1]) {
        const { rows } = await kit.read(stream, { limit });
        assert.equal(rows.length, Math.min(limit, MANY));
      }
    },
  },
  {
    name: 'resuming after any batch yields exactly the rest',
    run: async (kit) => {
      if (!kit.abilities.resumable) return;
      const stream = await kit.stream(MANY);
      await assertResumes(kit, stream, {});
    },
  },
  {
    name: 'resuming without a key yields exactly the rest, equal rows included',
    run: async (kit) => {
      if (!kit.abilities.resumable || !kit.isFree()) return;
      const fields = kit.shape.fields.filter(({ name }) => !kit.shape.key.includes(name)).map((field) => ({ ...field, nullable: true }));
      const at = fields.map(({ name }) => kit.shape.fields.findIndex((field) => field.name === name));
      const rows = Array.from({ length: 120 }, (_, n) => at.map((index) => kit.shape.row(n % 40)[index] ?? null));
      const stream = await kit.create({ name: kit.name('keyless'), fields, key: [], rows });
      const { rows: found } = await kit.read(stream);
      kit.assertSame(fields, found, rows);
      await assertResumes(kit, stream, {});
    },
  },
  {
    name: 'a position that is none is refused',
    run: async (kit) => {
      if (!kit.abilities.resumable) return;
      const stream = await kit.stream(3);
      const session = await kit.session();
      for (const after of ['', 'nonsense', '{}', '[]', 'null', '{"v":999}', '"x"', '{"at":[{}]}', '0']) {
        await assertFails(() => readAll(session, kit.reading(stream, { after })), 'config', 'POSITION_INVALID', `the position ${after}`);
      }
    },
  },
  {
    name: 'an abort ends a read promptly',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      const stopped = AbortSignal.abort();
      await assertAborts(() => kit.read(stream, { signal: stopped }), 'a read whose signal was given already');
      const mine = new AbortController();
      await assertEnds(await kit.session(), kit.reading(stream, { signal: mine.signal }), () => mine.abort(), 'the signal of the request');
      await assertEnds(await kit.session(), kit.reading(stream), () => kit.stop.abort(), 'the signal of the context');
    },
  },
  {
    name: 'breaking out of a read leaks nothing',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      const session = await kit.session();
      const count = kit.hook('connections');
      const breakOut = async (): Promise<void> => {
        for await (const batch of session.read(kit.reading(stream))) if (batch.count > 0) break;
      };
      await breakOut();
      const before = await count?.();
      for (let round = 0; round < 25; round++) await breakOut();
      if (count) assert.ok((await settled(count, before ?? 0)) <= (before ?? 0), 'connections or handles are left over');
      kit.assertSame(stream.fields, (await readAll(session, kit.reading(stream))).rows, stream.rows, 'the session still reads');
    },
  },
  {
    name: 'several reads of one session go on side by side',
    run: async (kit) => {
      const stream = await kit.stream(MANY);
      const session = await kit.session();
      const results = await Promise.all([1, 2, 3].map(() => readAll(session, kit.reading(stream))));
      for (const { rows } of results) kit.assertSame(stream.fields, rows, stream.rows);
    },
  },
  {
    name: 'filters are applied by the system',
    run: async (kit) => {
      if (!kit.abilities.filters) return;
      const stream = await kit.stream(30);
      const [field = ''] = stream.key;
      const at = stream.fields.findIndex(({ name }) => name === field);
      const text = stream.fields.findIndex(({ name }) => name === kit.shape.text);
      const value = stream.rows[9]?.[at] ?? '';
      const few = stream.rows.slice(3, 6).map((row) => row[at] ?? '');
      const expect = async (filter: object, test: (row: Row) => boolean): Promise<void> => {
        const { rows } = await kit.read(stream, { filters: [filter as never] });
        kit.assertSame(stream.fields, rows, stream.rows.filter(test), JSON.stringify(filter));
      };
      const n = (row: Row): number => stream.rows.indexOf(row) + 1;
      await expect({ field, op: '=', value }, (row) => n(row) === 10);
      await expect({ field, op: '!=', value }, (row) => n(row) !== 10);
      await expect({ field, op: 'in', value: few }, (row) => n(row) >= 4 && n(row) <= 6);
      await expect({ field: kit.shape.text, op: 'is_null' }, (row) => row[text] === null);
      await expect({ field: kit.shape.text, op: 'not_null' }, (row) => row[text] !== null);
      if (kit.shape.fields[at]?.type === 'int64') {
        await expect({ field, op: '<', value }, (row) => n(row) < 10);
        await expect({ field, op: '<=', value }, (row) => n(row) <= 10);
        await expect({ field, op: '>', value }, (row) => n(row) > 10);
        await expect({ field, op: '>=', value }, (row) => n(row) >= 10);
      }
      const filters = [{ field: 'no_such_field', op: '=' as const, value: '1' }];
      await assertFails(() => kit.read(stream, { filters }), 'config', 'FIELD_MISSING', 'a filter on a field that is not there');
      const hostile = [{ field: kit.shape.text, op: '=' as const, value: `' or 1=1; --` }];
      assert.deepEqual((await kit.read(stream, { filters: hostile })).rows, []);
    },
  },
];

/** Reads once, then goes on from every position of it: what follows has to be exactly what followed. */
export async function assertResumes(kit: Kit, stream: NewStream, options: Partial<ReadRequest>): Promise<void> {
  const session = await kit.session();
  const { batches } = await readAll(session, kit.reading(stream, options));
  assert.ok(batches.length >= 3, `${batches.length} batches are too few to resume between`);
  for (const [at, { position }] of batches.entries()) {
    const { rows } = await readAll(session, kit.reading(stream, { ...options, after: position }));
    const rest = batches.slice(at + 1).flatMap((batch: Batch) => batch.rows);
    const isOverlap = options.cursor !== undefined && kit.harness.overlaps === true;
    const found = isOverlap ? rows.filter((row) => rest.some((other) => JSON.stringify(other) === JSON.stringify(row))) : rows;
    kit.assertSame(stream.fields, found, rest, `resumed after batch ${at + 1} of ${batches.length}`);
  }
}

async function assertAborts(work: () => Promise<unknown>, what: string): Promise<void> {
  const start = performance.now();
  await assert.rejects(work, (error) => error instanceof OutsideError, what);
  assert.ok(performance.now() - start < 2000, `${what} ends promptly`);
}

async function assertEnds(session: Session, request: ReadRequest, stop: () => void, what: string): Promise<void> {
  let batches = 0;
  let stopped = 0;
  const work = async (): Promise<void> => {
    for await (const _ of session.read(request)) {
      if (++batches > 1) continue;
      stopped = performance.now();
      stop();
    }
  };
  await assert.rejects(work, (error) => error instanceof OutsideError, what);
  assert.ok(performance.now() - stopped < 2000, `${what} ends promptly`);
  assert.ok(batches <= 2, `${what}: ${batches - 1} batches came after the abort`);
}

/** The count when it has come down to `wanted`, or after two seconds. */
async function settled(count: () => Promise<number>, wanted: number): Promise<number> {
  const end = performance.now() + 2000;
  let now = await count();
  while (now > wanted && performance.now() < end) now = await count();
  return now;
}
