import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type pg from 'pg';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// Through the whole service; the connector's own test of the same kind does many more, without it.

const EXAMPLES = Math.max(4, Math.round(Number(process.env['CRASHES'] ?? 0) / 2));
const WRITERS = 3;
const IDS = 12;

let service: Service;
let source: TestDatabase;
let target: TestDatabase;
let ends: { source_id: string; target_id: string };
let tables = 0;
before(async () => {
  [service, source, target] = [await startService('sqlite'), await newDatabase(), await newDatabase()];
  const create = async ({ config }: TestDatabase): Promise<string> =>
    (await post('/sources', { name: 'One end', type: 'postgres', config })).id as string;
  ends = { source_id: await create(source), target_id: await create(target) };
});
after(async () => {
  await service.close();
  await source.close();
  await target.close();
});

type Step =
  | { do: 'begin'; writer: number }
  | { do: 'commit'; writer: number }
  | { do: 'rollback'; writer: number }
  | { do: 'write'; writer: number; id: number }
  | { do: 'delete'; writer: number; id: number }
  | { do: 'rename'; writer: number; id: number; to: number }
  | { do: 'clock'; by: number }
  | { do: 'run' };

const writer = fc.nat(WRITERS - 1);
const id = fc.nat(IDS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('begin' as const), writer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('commit' as const), writer }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), writer }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), writer, id }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), writer, id }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rename' as const), writer, id, to: id }) },
  // Between two steps usually no time passes; now and then the clock is set back.
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clock' as const), by: fc.integer({ min: -5, max: 5 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
);

test('late commits, equal and turned-back times, changed keys, deletes and re-inserts: an incremental synchronization misses nothing', async () => {
  const writers = await Promise.all(Array.from({ length: WRITERS }, () => source.client()));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: 'max' }), (steps) => interleave(writers, steps)),
    { numRuns: EXAMPLES },
  );
});

/** Transactions and runs, a step at a time. Whatever a transaction writes has the time at which it began, as with `now()`. */
async function interleave(writers: readonly pg.Client[], steps: readonly Step[]): Promise<void> {
  const table = `t${++tables}`;
  await source.run(`create table ${table} (id bigint primary key, at timestamp not null, version bigint not null)`);
  const stream = { source: `public.${table}`, target: `public.${table}`, mode: 'incremental', cursor: 'at' };
  const sync = (await post('/sync', { name: table, ...ends, streams: [stream] })).id as string;
  const begun = new Map<number, number>();
  const busy = new Map<number, number>();
  let clock = 1_000;
  let version = 0;

  const begin = async (who: number): Promise<void> => {
    if (begun.has(who)) return;
    begun.set(who, clock);
    await writers[who]?.query('begin; select 1');
  };
  const end = async (who: number, how: 'commit' | 'rollback'): Promise<void> => {
    if (!begun.delete(who)) return;
    for (const [row, owner] of busy) if (owner === who) busy.delete(row);
    await writers[who]?.query(how);
  };
  /** Rows of one transaction at a time: two who want the same would wait for each other. */
  const change = async (who: number, rows: readonly number[], statement: (at: string) => string): Promise<void> => {
    await begin(who);
    if (rows.some((row) => (busy.get(row) ?? who) !== who)) return;
    for (const row of rows) busy.set(row, who);
    await writers[who]?.query(statement(`'2026-01-01'::timestamp + ${begun.get(who)} * interval '1 second'`));
  };

  for (const one of steps) {
    if (one.do === 'begin') await begin(one.writer);
    else if (one.do === 'commit' || one.do === 'rollback') await end(one.writer, one.do);
    else if (one.do === 'clock') clock += one.by;
    else if (one.do === 'run') await run(sync);
    else if (one.do === 'delete') await change(one.writer, [one.id], () => `delete from ${table} where id = ${one.id}`);
    else if (one.do === 'rename') {
      const statement = `update ${table} set id = ${one.to}, version = ${++version}`;
      const isFree = `not exists (select from ${table} where id = ${one.to})`;
      await change(one.writer, [one.id, one.to], (at) => `${statement}, at = ${at} where id = ${one.id} and ${isFree}`);
    } else {
      const values = `${one.id}, %, ${++version}`;
      await change(
        one.writer,
        [one.id],
        (at) =>
          `insert into ${table} values (${values.replace('%', at)}) on conflict (id) do update set at = excluded.at, version = excluded.version`,
      );
    }
  }
  for (const who of begun.keys()) await end(who, 'commit');
  await run(sync);

  const select = `select id, at, version from ${table} order by id`;
  const there = await source.rows(select);
  const arrived = new Map((await target.rows(select)).map((row) => [row[0], row]));
  assert.deepEqual(
    there.map(([key]) => arrived.get(key as string)),
    there,
    'every row of the source is at the target as it is',
  );
}

async function run(sync: string): Promise<void> {
  const started = await post(`/sync/${sync}/runs`, {});
  const ended = await until('the end of the run', async () => {
    const { body } = await service.get(`/api/v1/datasync/runs/${started.id as string}`);
    return !['queued', 'running'].includes(body.data.status) && body.data;
  });
  assert.equal(ended.status, 'succeeded', JSON.stringify(ended));
}

async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
  const answer = await service.post(`/api/v1/datasync${path}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data as Record<string, unknown>;
}
