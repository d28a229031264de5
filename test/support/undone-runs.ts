import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Batch } from '../../src/connectors/batch.ts';
import type { Row } from '../../src/connectors/canonical.ts';
import type { TargetChange } from '../../src/connectors/changes.ts';
import type { Field, WriteRequest } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import type { UndoResult, UndoRequest } from '../../src/connectors/undo.ts';
import { sampled } from './whole.ts';

type ApplyingSession = Session & Required<Pick<Session, 'apply'>>;

/** A database whose runs are taken back. */
export interface UndoBench {
  readonly session: () => Promise<Session>;
  readonly run: (sql: string) => Promise<void>;
  /** Every value of every row, digit by digit, the key first. */
  readonly contents: (table: string) => Promise<Row[]>;
  /**
   * Makes a table with a key `Id`, with columns of every type that has traps, one that is computed, and one (`Own note`) that nobody
   * synchronizes. Answers the fields that are.
   */
  readonly make: (table: string) => Promise<readonly Field[]>;
  readonly quote: (name: string) => string;
  /** How a stream of this name is called. */
  readonly stream: (table: string) => string;
}

const KEYS = ['1', '2', '3', '4', '5', '6'];

/** What every field may be; the first is the value of rows that are there before. */
const VALUES: Readonly<Record<string, readonly (string | null)[]>> = {
  text: ['a', 'A', 'a ', '', null, 'it\'s \\ {"x"}\n', 'ü€𝄞'],
  decimal: ['1.50', '1.5000', '0', '-12345678901234.123456', null],
  timestamp: ['2026-11-15 04:42:11.123456', '2026-11-15 04:42:11', '1999-12-31 23:59:59.000001', null],
  timestamptz: ['2026-11-15 04:42:11.123456+00', '2026-11-15 04:42:11+00', null],
  json: ['{"b": 1.0, "a": [1, null]}', '[]', '"x"', null],
  binary: ['\\x00ff10', '\\x', null, '\\xdeadbeef'],
  boolean: ['t', 'f', null],
  float64: ['1.5', '-0.000001', '1e300', null],
  int64: ['9223372036854775807', '-1', null],
};

interface Step {
  readonly kind: 'mirror' | 'marking' | 'upsert' | 'removal' | 'live' | 'other';
  readonly rows: readonly { key: string; seed: number }[];
}

const someRows = fc.uniqueArray(fc.record({ key: fc.constantFrom(...KEYS), seed: fc.nat(40) }), {
  selector: ({ key }) => key,
  maxLength: 6,
});
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('mirror', 'marking', 'upsert', 'removal', 'live', 'live', 'other', 'other'),
  rows: someRows,
});

const rowOf = (fields: readonly Field[], key: string, seed: number): Row =>
  fields.map(({ type }, at) => {
    if (at === 0) return key;
    const values = VALUES[type] as readonly (string | null)[];
    return values[(seed * (at + 1) + (seed >> 2)) % values.length] ?? null;
  });

export type Contents = ReadonlyMap<string, string>;

/** Tests that hold for every database that keeps what runs replace. */
export function testUndo(bench: () => UndoBench): void {
  let token = 0n;
  let tables = 0;
  const sync = 'syn_1';

  const contentsOf = async (table: string): Promise<Contents> =>
    new Map((await bench().contents(table)).map((row) => [row[0] ?? '', JSON.stringify(row)]));

  const undoing = (table: string, run: string, more: Partial<UndoRequest> = {}): UndoRequest => ({
    run,
    sync,
    streams: [bench().stream(table)],
    owners: [`${sync}/${table}`],
    token: ++token,
    preview: false,
    mostListed: 100,
    ...more,
  });

  async function write(
    session: Session,
    { table, fields, run, most = 1000 }: { table: string; fields: readonly Field[]; run: string; most?: number },
    rows: readonly Row[],
    options: Partial<WriteRequest> & { operation?: 'delete' } = {},
  ): Promise<void> {
    const { operation, ...more } = options;
    const request = {
      stream: bench().stream(table),
      fields,
      key: ['Id'],
      mode: 'upsert' as const,
      owner: `${sync}/${table}`,
      create: true,
    };
    const writer = await session.write({ ...request, token: ++token, resume: () => false, undo: { run, sync, most }, ...more });
    await writer.write(Batch.ofRows(rows, { position: '{"p":1}', ...(operation && { operation }) }));
    await writer.finish();
    await writer.close();
  }

  async function takeStep(session: Session, table: string, fields: readonly Field[], run: string, { kind, rows }: Step): Promise<void> {
    const { quote } = bench();
    const all = rows.map(({ key, seed }) => rowOf(fields, key, seed));
    const of = { table, fields, run };
    if (kind === 'mirror') return write(session, of, all, { mode: 'mirror' });
    if (kind === 'marking') return write(session, of, all, { mode: 'mirror', deletes: 'mark' });
    if (kind === 'upsert') return write(session, of, all);
    if (kind === 'removal')
      return write(
        session,
        of,
        rows.map(({ key }) => [key]),
        { operation: 'delete' },
      );
    if (kind === 'live') return applyLive(session, of, rows);
    for (const { key, seed } of rows) {
      const where = `where ${quote('Id')} = ${key}`;
      if (seed % 3 === 0) await bench().run(`delete from ${quote(table)} ${where}`);
      else if (seed % 3 === 1) await bench().run(`update ${quote(table)} set ${quote('Own note')} = 'n${seed}' ${where}`);
      else await bench().run(`update ${quote(table)} set ${quote(fields[1]?.name ?? '')} = 'other ${seed}' ${where}`);
    }
  }

  /** Each key several times, in one transaction; one of them moves to another key. */
  async function applyLive(
    session: Session,
    { table, fields, run }: { table: string; fields: readonly Field[]; run: string },
    rows: Step['rows'],
  ): Promise<void> {
    const streams = [{ stream: bench().stream(table), fields, key: ['Id'], create: true }];
    const applier = await (session as ApplyingSession).apply({
      streams,
      owner: `${sync}/live`,
      token: ++token,
      undo: { run, sync, most: 1000 },
    });
    const changes: TargetChange[] = rows.flatMap(({ key, seed }): TargetChange[] => {
      const row = rowOf(fields, key, seed);
      const again = rowOf(fields, key, seed + 1);
      if (seed % 5 === 0) return [{ op: 'delete', stream: 0, key: [key] }];
      if (seed % 5 === 1) return [{ op: 'update', stream: 0, row: rowOf(fields, String(10 + Number(key)), seed), key: [key] }];
      if (seed % 5 === 2)
        return [
          { op: 'insert', stream: 0, row },
          { op: 'delete', stream: 0, key: [key] },
        ];
      return [
        { op: 'insert', stream: 0, row },
        { op: 'update', stream: 0, row: again },
      ];
    });
    if (rows.length === 6) changes.unshift({ op: 'truncate', stream: 0 });
    await applier.apply({ changes, position: '{"p":1}' });
    await applier.close();
  }

  /** A table that has rows, as every run but the first finds one. */
  async function filled(): Promise<{ table: string; fields: readonly Field[]; session: Session; named: (n: number) => string }> {
    const table = `Undo ${++tables}`;
    const named = (n: number): string => `run_${table}_${n}`;
    const fields = await bench().make(table);
    const session = await bench().session();
    await write(
      session,
      { table, fields, run: named(0) },
      KEYS.slice(0, 4).map((key) => rowOf(fields, key, 0)),
      { mode: 'mirror', deletes: 'mark' },
    );
    return { table, fields, session, named };
  }

  const takeBack = (session: Session, request: UndoRequest): Promise<UndoResult> => {
    assert.ok(session.undo);
    return session.undo.undo(request);
  };

  describe('undo', () => {
    test('gives rows back what they were before the last runs, and leaves and lists those that others have changed since', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), fc.array(someRows, { maxLength: 2 }), async (steps, later) => {
          const { table, fields, session, named } = await filled();
          const runs: { run: string; before: Contents; after: Contents }[] = [];
          for (const [at, one] of steps.entries()) {
            const run = named(at + 1);
            const before = await contentsOf(table);
            await takeStep(session, table, fields, run, one);
            if (one.kind !== 'other') runs.push({ run, before, after: await contentsOf(table) });
          }
          for (const rows of later) await takeStep(session, table, fields, '', { kind: 'other', rows });
          for (const { run, before, after } of runs.toReversed()) {
            const now = await contentsOf(table);
            if (before.size === 0) {
              await assert.rejects(takeBack(session, undoing(table, run)), { code: 'UNDO_TABLE_FILLED' });
              assert.deepEqual(await contentsOf(table), now);
              continue;
            }
            const { expected, restored, removed, left } = modelled(now, before, after);
            const shown = await takeBack(session, undoing(table, run, { preview: true })).catch(asRefusal);
            assert.deepEqual(await contentsOf(table), now, 'a preview changes nothing');
            const result = await takeBack(session, undoing(table, run)).catch(asRefusal);
            assert.deepEqual(await contentsOf(table), expected);
            // A run that has touched no row has nothing to be taken back.
            if (result === undefined || shown === undefined) assert.deepEqual(before, after);
            else {
              const [stream] = result.streams;
              assert.deepEqual([stream?.restored, stream?.removed, stream?.left], [restored, removed, left.length]);
              assert.deepEqual(stream?.rows_left.map(({ key }) => String(key['Id'])).sort(), left.sort());
              const [preview] = shown.streams;
              assert.deepEqual([preview?.restored, preview?.removed, preview?.left], [restored, removed, left.length]);
              const again = await takeBack(session, undoing(table, run));
              assert.deepEqual(again, { ...result, isAgain: true });
            }
          }
          await session.close();
        }),
        { numRuns: sampled(6, 150) },
      );
    });

    test('is refused in words where not all of it is kept, and for an older run before a newer one', async () => {
      const { table, fields, session, named } = await filled();
      const rows = KEYS.map((key) => rowOf(fields, key, 1));
      const refused = async (run: string): Promise<string> => {
        const error: unknown = await takeBack(session, undoing(table, run)).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        return (error as { code?: string } | undefined)?.code ?? 'done';
      };
      assert.equal(await refused(named(0)), 'UNDO_TABLE_FILLED');
      assert.equal(await refused('run_unknown'), 'UNDO_NOTHING_KEPT');
      await write(session, { table, fields, run: named(1) }, rows);
      await write(session, { table, fields, run: named(2) }, rows.slice(0, 1), { mode: 'mirror' });
      assert.equal(await refused(named(1)), 'UNDO_NEWER_FIRST');
      await write(
        session,
        { table, fields, run: named(3), most: 3 },
        KEYS.map((key) => rowOf(fields, key, 2)),
      );
      assert.equal(await refused(named(3)), 'UNDO_TOO_MUCH');
      const before = await contentsOf(table);
      const stale = undoing(table, named(2), { token: 0n });
      await assert.rejects(takeBack(session, stale), { kind: 'fenced' });
      assert.deepEqual(await contentsOf(table), before);
      await session.close();
    });

    test('knows a table whose columns have changed since', async () => {
      const { table, fields, session, named } = await filled();
      const { quote, run } = bench();
      const before = await contentsOf(table);
      const wider: Field[] = [...fields, { name: 'Later', type: 'int64', nullable: true }];
      await write(session, { table, fields: wider, run: named(1) }, [
        [...rowOf(fields, '1', 3), '7'],
        [...rowOf(fields, '9', 3), null],
      ]);
      const result = await takeBack(session, undoing(table, named(1)));
      assert.deepEqual(
        result.streams.map(({ restored, removed, left }) => [restored, removed, left]),
        [[1, 1, 0]],
      );
      const values = (rows: Contents): string[] => [...rows].map(([key, row]) => `${key} ${(JSON.parse(row) as Row).slice(0, 4).join()}`);
      assert.deepEqual(values(await contentsOf(table)), values(before));
      await write(session, { table, fields: wider, run: named(2) }, [[...rowOf(fields, '1', 3), '8']]);
      await run(`alter table ${quote(table)} drop column ${quote('Later')}`);
      await assert.rejects(takeBack(session, undoing(table, named(2))), { code: 'UNDO_TABLE_CHANGED', message: /"Later"/ });
      // The next run goes on all the same, and can be taken back.
      const now = await contentsOf(table);
      await write(session, { table, fields, run: named(3) }, [rowOf(fields, '2', 5)]);
      await takeBack(session, undoing(table, named(3)));
      assert.deepEqual(await contentsOf(table), now);
      await session.close();
    });

    test('forgets what is older than it is to be, and in the end everything', async () => {
      const { table, fields, session, named } = await filled();
      assert.ok(session.undo);
      await write(session, { table, fields, run: named(1) }, [rowOf(fields, '1', 1)]);
      await write(session, { table, fields, run: named(2) }, [rowOf(fields, '1', 2)]);
      await session.undo.forget({ sync, olderThan: 3_600_000 });
      await session.undo.forget({ sync: 'syn_other' });
      await takeBack(session, undoing(table, named(2), { preview: true }));
      await session.undo.forget({ sync, olderThan: 0, except: named(2) });
      await assert.rejects(takeBack(session, undoing(table, named(1))), { code: 'UNDO_NOTHING_KEPT' });
      await takeBack(session, undoing(table, named(2)));
      await session.undo.forget({ sync });
      await assert.rejects(takeBack(session, undoing(table, named(2))), { code: 'UNDO_NOTHING_KEPT' });
      // Others write on, and nothing is kept of it.
      await bench().run(`delete from ${bench().quote(table)}`);
      await session.undo.forget({ sync });
      await session.close();
    });
  });
}

function asRefusal(error: unknown): undefined {
  if ((error as { code?: unknown }).code === 'UNDO_NOTHING_KEPT') return undefined;
  throw error;
}

/** What is to come of it, by the rows before and after the run and now. */
export function modelled(now: Contents, before: Contents, after: Contents) {
  const expected = new Map(now);
  const left: string[] = [];
  let [restored, removed] = [0, 0];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [was, written, is] = [before.get(key), after.get(key), now.get(key)];
    if (was === written || is === was) continue;
    if (is !== written) left.push(key);
    else if (was === undefined) {
      expected.delete(key);
      removed++;
    } else {
      expected.set(key, was);
      restored++;
    }
  }
  return { expected: inOrder(expected), restored, removed, left };
}

function inOrder(contents: Contents): Contents {
  return new Map([...contents].sort(([a], [b]) => Number(a) - Number(b)));
}
