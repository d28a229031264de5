import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { until } from '../../../../test/support/until.ts';
import type { ReadRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let tables = 0;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

const COLUMNS = 'id bigint primary key, at bigint, v int default 0';

async function newTable(cursor = 'id', columns = COLUMNS): Promise<{ name: string; request: ReadRequest }> {
  const name = `t${++tables}`;
  await database.run(`create table ${name} (${columns})`);
  return { name, request: { stream: `public.${name}`, fields: ['id', 'at', 'v'], key: ['id'], cursor, once: true, batchBytes: 32 } };
}

/** Reads on and on; every read tells the ids it had. */
function reader(request: ReadRequest): () => Promise<string[]> {
  let position: string | undefined;
  return async () => {
    const ids: string[] = [];
    for await (const batch of session.read({ ...request, ...(position !== undefined && { after: position }) })) {
      ids.push(...batch.rows.map(([id]) => String(id)));
      ({ position } = batch);
    }
    return ids;
  };
}

describe('reading each row once', () => {
  test('rows that were changed only do not come again, by a cursor that is unique', async () => {
    const { name, request } = await newTable();
    const read = reader(request);
    await database.run(`insert into ${name} select n, n from generate_series(1, 100) n`);
    assert.equal((await read()).length, 100);
    await database.run(`update ${name} set v = 1 where id <= 10 or id = 100; insert into ${name} values (101, 101)`);
    assert.deepEqual(await read(), ['101']);
    await database.run(`update ${name} set v = 2`);
    assert.deepEqual(await read(), []);
  });

  test('nor by times that all rows share', async () => {
    for (const [type, moment] of [
      ['timestamptz', "'2026-01-01'"],
      ['timestamptz', "date_trunc('second', now()) - interval '0.123456 s'"],
      ['timestamp', "'2026-01-01 10:00'"],
      ['date', "'2026-01-01'"],
    ] as const) {
      const { name, request } = await newTable('at', `id bigint primary key, at ${type}, v int default 0`);
      const read = reader(request);
      await database.run(`insert into ${name} select n, ${moment} from generate_series(1, 9) n`);
      assert.equal((await read()).length, 9, type);
      await database.run(`update ${name} set v = 1; insert into ${name} values (10, now())`);
      assert.deepEqual(await read(), ['10'], type);
    }
  });

  test('a row with the same cursor as the last comes, where such rows may come', async () => {
    for (const [type, value] of [
      ['bigint', '7'],
      ['date', 'current_date'],
    ] as const) {
      const { name, request } = await newTable('at', `id bigint primary key, at ${type}, v int default 0`);
      const read = reader(request);
      await database.run(`insert into ${name} values (5, ${value})`);
      assert.deepEqual(await read(), ['5']);
      await database.run(`insert into ${name} values (4, ${value})`);
      assert.deepEqual([await read(), await read()], [['4'], []], type);
    }
  });

  test('what commits late comes, once, and nothing with it that was only changed before', async () => {
    const { name, request } = await newTable();
    const read = reader(request);
    await database.run(`insert into ${name} select n, n from generate_series(1, 5) n`);
    assert.equal((await read()).length, 5);
    const slow = await database.client();
    await slow.query(`begin; insert into ${name} values (6, 6)`);
    await database.run(`insert into ${name} values (7, 7); update ${name} set v = 1 where id < 5`);
    assert.deepEqual(await read(), ['7']);
    await database.run(`update ${name} set v = 2 where id < 5`);
    await slow.query('commit');
    assert.deepEqual(await read(), ['6']);
    await database.run(`update ${name} set v = 3`);
    assert.deepEqual(await read(), []);
  });

  test('a transaction that is over soon is waited for', async (t) => {
    const { name, request } = await newTable();
    const read = reader(request);
    const slow = await database.client();
    await slow.query(`begin; insert into ${name} values (1, 1)`);
    await database.run(`insert into ${name} values (2, 2)`);
    // The time for which it waits does not pass: however busy the machine is, the transaction is over in time.
    const stopped = t.mock.method(performance, 'now', () => 0);
    const reading = read();
    const looks = new Set<string | null>();
    await until('it to look again who is running', async () => {
      const seen = await database.rows(`
        select query_start from pg_stat_activity
        where datname = current_database() and application_name like 'syncline%' and query like '%pg_locks%'`);
      for (const [at = null] of seen) looks.add(at);
      return looks.size > 1;
    });
    await slow.query('commit');
    assert.deepEqual((await reading).sort(), ['1', '2']);
    stopped.mock.restore();
    await database.run(`update ${name} set v = 1`);
    assert.deepEqual(await read(), []);
  });

  test('rows that are changed while they are read come once as well', async () => {
    const { name, request } = await newTable();
    await database.run(`insert into ${name} select n, n from generate_series(1, 20) n`);
    const ids: string[] = [];
    let position = '';
    for await (const batch of session.read(request)) {
      ids.push(...batch.rows.map(([id]) => String(id)));
      ({ position } = batch);
      await database.run(`update ${name} set v = v + 1; insert into ${name} values (${100 + ids.length}, 1) on conflict do nothing`);
    }
    assert.deepEqual([...ids].sort(), [...new Set(ids)].sort());
    assert.equal(ids.length, 20);
    const rest: string[] = [];
    for await (const batch of session.read({ ...request, after: position })) rest.push(...batch.rows.map(([id]) => String(id)));
    const there = await database.rows(`select id from ${name}`);
    assert.deepEqual([...ids, ...rest].sort(), there.map(([id]) => String(id)).sort());
  });

  test('views, materialized views and rows from the future', async () => {
    const { name } = await newTable();
    await database.run(`insert into ${name} values (1, 1), (2, 2); create view v_${name} as select * from ${name};
      create materialized view m_${name} as select * from ${name}`);
    for (const kind of ['v', 'm']) {
      const read = reader({ stream: `public.${kind}_${name}`, fields: ['id'], key: [], cursor: 'id', once: true });
      const id = kind === 'v' ? 3 : 4;
      assert.equal((await read()).length, id - 1);
      await database.run(`update ${name} set v = 9; insert into ${name} values (${id}, 3); refresh materialized view m_${name}`);
      assert.deepEqual([await read(), await read()], [[String(id)], []], kind);
    }
    const future = await newTable('at', 'id bigint primary key, at timestamptz, v int default 0');
    const read = reader(future.request);
    await database.run(`insert into ${future.name} values (1, '9999-01-01'), (2, now())`);
    assert.deepEqual((await read()).sort(), ['1', '2']);
    await database.run(`insert into ${future.name} values (3, now())`);
    assert.deepEqual([await read(), await read()], [['3'], []]);
  });

  test('whatever transactions do, none is lost, and none comes twice that nobody changed', async () => {
    const writers = await Promise.all([database.client(), database.client()]);
    const step = fc.oneof(
      { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('insert', 'insert', 'change', 'begin', 'end'), who: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('batch', 'batch', 'read', 'cut'), who: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), fc.boolean(), async (steps, isUnique) => {
        const { name, request } = await newTable(isUnique ? 'at' : 'id');
        if (isUnique) await database.run(`create unique index on ${name} (at)`);
        const open = new Map<number, number>();
        const changed = new Set<string>();
        const given: string[] = [];
        let clock = 0;
        let position: string | undefined;
        let reading: AsyncIterator<{ position: string; rows: readonly (readonly (string | null)[])[] }> | undefined;
        const next = async (): Promise<boolean> => {
          reading ??= session.read({ ...request, ...(position !== undefined && { after: position }) })[Symbol.asyncIterator]();
          const { done, value } = await reading.next();
          if (done) reading = undefined;
          else {
            ({ position } = value);
            given.push(...value.rows.map(([id]) => String(id)));
          }
          return !done;
        };
        const begin = async (who: number): Promise<void> => {
          if (open.has(who)) return;
          // Numbers as a sequence with room gives them: a transaction that begins later has none that is lower.
          open.set(who, ++clock * 100);
          await writers[who]?.query('begin; select 1');
        };
        const end = async (who: number): Promise<void> => {
          if (open.delete(who)) await writers[who]?.query('commit');
        };
        for (const { do: what, who } of steps) {
          if (what === 'begin') await begin(who);
          else if (what === 'end') await end(who);
          else if (what === 'insert') {
            await begin(who);
            const id = (open.get(who) ?? 0) + 1;
            open.set(who, id);
            await writers[who]?.query(`insert into ${name} values (${id}, ${id})`);
          } else if (what === 'change') {
            const rows = await database.rows(
              `update ${name} set v = v + 1 where id in (select id from ${name} order by id limit 2 for update skip locked) returning id`,
            );
            for (const [id] of rows) changed.add(String(id));
          } else if (what === 'batch') await next();
          else if (what === 'read') while (await next());
          else if (reading) {
            await reading.return?.();
            reading = undefined;
          }
        }
        for (const who of open.keys()) await end(who);
        while (await next());
        while (await next());
        const there = (await database.rows(`select id from ${name}`)).map(([id]) => String(id));
        assert.deepEqual([...new Set(given)].sort(), there.sort(), 'all of them');
        const twice = given.filter((id, at) => given.indexOf(id) < at && !changed.has(id));
        assert.deepEqual(twice, [], 'nothing that nobody changed came twice');
      }),
      { numRuns: 10 },
    );
  });
});
