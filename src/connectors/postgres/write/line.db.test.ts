import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Field, WriteMode, WriteResult } from '../../contract.ts';
import type { Session } from '../../session.ts';

const FIELDS: readonly Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];

/** Few keys, so that they come again; values that the table refuses; rows without a key. */
const anyRow = fc.tuple(
  fc.oneof({ weight: 20, arbitrary: fc.integer({ min: 1, max: 12 }).map(String) }, { weight: 1, arbitrary: fc.constant(null) }),
  fc.oneof({ weight: 12, arbitrary: fc.constantFrom('a', 'b', 'c') }, { weight: 1, arbitrary: fc.constant('too long') }),
);
const anyBatches = fc.array(
  fc.record({
    operation: fc.oneof({ weight: 6, arbitrary: fc.constant('write' as const) }, { weight: 1, arbitrary: fc.constant('delete' as const) }),
    rows: fc.array(anyRow, { maxLength: 6 }),
  }),
  { minLength: 2, maxLength: 8 },
);

describe('batches that are given before the ones before them are written', () => {
  let database: TestDatabase;
  let session: Session;
  let tables = 0;
  before(async () => {
    database = await newDatabase();
    session = await database.session();
  });
  after(() => database.close());

  interface Outcome {
    results: WriteResult[];
    notes: (string | undefined)[];
    position: string | undefined;
    finished: WriteResult;
    rows: unknown;
  }

  /** Writes them all into a table of its own, each when the one before is done, or all at once. */
  async function written(batches: readonly Batch[], mode: WriteMode, isThere: boolean, ahead: boolean): Promise<Outcome> {
    const table = `line_${++tables}`;
    // A column that refuses what is long, and rows that are there already.
    if (isThere)
      await database.run(
        `create table ${table} (id bigint ${mode === 'append' ? '' : 'primary key'}, v varchar(3)); insert into ${table} values (3, 'x')`,
      );
    const request = { stream: `public.${table}`, fields: FIELDS, key: mode === 'append' ? [] : ['id'], mode, owner: table, create: true };
    const writer = await session.write({ ...request, token: 1n });
    // What is noted with a batch tells what was there before it: it must be true whatever became of the others.
    const told: string[] = [];
    const settle = (at: number) => (result: WriteResult) => {
      told[at] =
        `${told[at - 1] ?? ''}${at}:${result.inserted}/${result.updated}/${result.unchanged}/${result.deleted}/${result.rejects.length};`;
      return told[at];
    };
    const results: WriteResult[] = [];
    if (ahead) results.push(...(await Promise.all(batches.map((batch, at) => writer.write(batch, settle(at))))));
    else for (const [at, batch] of batches.entries()) results.push(await writer.write(batch, settle(at)));
    await writer.close();
    const again = await session.write({ ...request, token: 2n });
    const { checkpoint: position, note } = again;
    const finished = await again.finish(undefined, () => 'finished');
    await again.close();
    const rows = await database.rows(`select * from ${table} order by 1, 2`);
    await database.run(`drop table ${table}`);
    return { results, notes: [note], position, finished, rows };
  }

  for (const mode of ['append', 'upsert', 'mirror'] as const)
    test(`come out as if each had waited for its turn (${mode})`, async () => {
      await fc.assert(
        fc.asyncProperty(anyBatches, fc.boolean(), async (given, isThere) => {
          const batches = given
            .filter(({ operation }) => operation === 'write' || mode === 'upsert')
            .map(({ operation, rows }, at) => {
              const values: Row[] = operation === 'delete' ? rows.flatMap(([id]) => (id === null ? [] : [[id]])) : rows;
              return Batch.ofRows(values, { position: String(at), operation });
            });
          assert.deepEqual(await written(batches, mode, isThere, true), await written(batches, mode, isThere, false));
        }),
        { numRuns: 12 },
      );
    });
});
