import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Changes, Field, Writer, WriteRequest, WriteResult } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let token = 0n;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];

function open(stream: string, options: Partial<WriteRequest> = {}): Promise<Writer> {
  const request = { fields: FIELDS, key: ['id'], mode: 'mirror' as const, owner: `owner of ${stream}`, create: true };
  return session.write({ stream: `public.${stream}`, token: ++token, ...request, ...options });
}

const batch = (rows: Row[], position = String(token)): Batch => Batch.ofRows(rows, { position });
const rowsOf = (table: string): Promise<Row[]> => database.rows(`select * from ${table} order by 1`);
const some = (from: number, to: number, v = 'a'): Row[] => Array.from({ length: to - from + 1 }, (_, i) => [String(from + i), v]);

async function stages(): Promise<string[]> {
  const rows = await database.rows(`select relname from pg_class where relname like '\\_syncline\\_stage%' and relkind = 'r'`);
  return rows.map(([name]) => name ?? '');
}

const indexes = async (table: string): Promise<number> =>
  (await database.rows(`select 1 from pg_index where indrelid = '${table}'::regclass`)).length;

function counts({ inserted, updated, unchanged, deleted }: Changes): number[] {
  return [inserted, updated, unchanged, deleted];
}

async function mirror(stream: string, rows: Row[], options: Partial<WriteRequest> = {}): Promise<number[]> {
  const writer = await open(stream, options);
  const results = [await writer.write(batch(rows)), await writer.finish()];
  await writer.close();
  return counts(results[0] as WriteResult).map((count, i) => count + (counts(results[1] as WriteResult)[i] ?? 0));
}

test('a mirror makes the target the source and counts truly, in whatever order keys come, and however often', async () => {
  const row = fc.tuple(fc.integer({ min: 1, max: 9 }).map(String), fc.constantFrom('a', 'b'));
  const inOrder = fc.uniqueArray(row, { selector: ([id]) => id }).map((rows) => rows.toSorted((a, b) => Number(a[0]) - Number(b[0])));
  const rows = fc.oneof(inOrder, fc.array(row, { maxLength: 12 }));
  const deletes = fc.constantFrom('delete' as const, 'keep' as const);
  let tables = 0;
  await fc.assert(
    fc.asyncProperty(inOrder, rows, fc.integer({ min: 1, max: 5 }), deletes, async (there, read, size, what) => {
      const table = `any_${++tables}`;
      await database.run(`create table ${table} (id bigint primary key, v text); insert into ${table} values (0, 'always'),
        ${[...there, ['99', 'also']].map(([id, v]) => `(${id}, '${v}')`).join(', ')}`);
      const writer = await open(table, { deletes: what });
      for (let at = 0; at < read.length; at += size) await writer.write(batch(read.slice(at, at + size), String(at)));
      const told = counts(await writer.finish());
      await writer.close();
      const [before, after] = [new Map([['0', 'always'], ...there, ['99', 'also']]), new Map(read)];
      const count = (of: Map<string, string>, fits: (id: string, v: string) => boolean): number =>
        [...of].filter((one) => fits(...one)).length;
      const gone = count(before, (id) => !after.has(id));
      const expected = [
        count(after, (id) => !before.has(id)),
        count(after, (id, v) => before.has(id) && before.get(id) !== v),
        count(after, (id, v) => before.get(id) === v),
        what === 'keep' ? 0 : gone,
      ];
      assert.deepEqual(told, expected);
      const left = new Map(what === 'keep' ? [...before, ...after] : after);
      assert.deepEqual(
        await rowsOf(table),
        [...left].sort((a, b) => Number(a[0]) - Number(b[0])),
      );
    }),
    { numRuns: 40 },
  );
});

describe('a mirror into a table without rows', () => {
  test('loads straight, and a table that is made gets its key at the end', async () => {
    const writer = await open('fresh');
    assert.equal((await writer.write(batch(some(1, 3)))).inserted, 3);
    assert.deepEqual([await stages(), await indexes('fresh')], [[], 0]);
    assert.deepEqual(counts(await writer.finish()), [0, 0, 0, 0], 'all was told before');
    await writer.close();
    assert.deepEqual([await rowsOf('fresh'), await indexes('fresh')], [some(1, 3), 1]);
    assert.deepEqual(await mirror('fresh', some(2, 4)), [1, 0, 2, 1]);
    assert.deepEqual([await rowsOf('fresh'), await stages()], [some(2, 4), []]);
  });

  test('that has its key: straight as well, until a key comes again', async () => {
    await database.run('create table keyed (id bigint primary key, v text)');
    const writer = await open('keyed');
    await writer.write(batch(some(1, 3)));
    const { rejects, ...again } = await writer.write(
      batch([
        ['3', 'b'],
        ['bad', null],
        ['4', 'b'],
      ]),
    );
    assert.deepEqual([counts(again), rejects.map(({ index }) => index)], [[1, 1, 0, 0], [1]], 'a key that is there is no reject');
    assert.deepEqual(await stages(), []);
    let shown: Changes | undefined;
    await writer.finish((changes) => {
      shown = changes;
      return true;
    });
    assert.equal(shown?.inserted, 4);
    await writer.close();
    assert.deepEqual(await rowsOf('keyed'), [...some(1, 2), ...some(3, 4, 'b')]);
  });

  test('without a unique index, which could not tell doubles, goes through the stage', async () => {
    await database.run('create table loose (id bigint, v text)');
    const writer = await open('loose');
    await writer.write(batch(some(1, 2)));
    assert.equal((await stages()).length, 1);
    await writer.write(batch(some(2, 3, 'b')));
    assert.deepEqual(counts(await writer.finish()), [3, 0, 0, 0]);
    await writer.close();
    assert.deepEqual(await rowsOf('loose'), [...some(1, 1), ...some(2, 3, 'b')]);
  });

  test('that was begun anew leaves no row of its first try, nor of others', async () => {
    const first = await open('tried');
    await first.write(batch(some(1, 5)));
    await first.close();
    await database.run(`insert into tried values (3, 'doubled by another'), (9, 'of another')`);
    const second = await open('tried', { resume: () => false });
    assert.equal(await indexes('tried'), 1, 'what is there can be compared');
    await second.write(batch(some(4, 7)));
    assert.deepEqual(counts(await second.finish()), [2, 0, 2, 4]);
    await second.close();
    assert.deepEqual(await rowsOf('tried'), some(4, 7));
  });

  test('that is refused takes nobody else’s rows away', async () => {
    const writer = await open('shared');
    await writer.write(batch(some(1, 2)));
    await database.run(`insert into shared values (9, 'of another')`);
    assert.equal((await writer.finish(() => false)).refused, true);
    await writer.close();
    assert.deepEqual(await rowsOf('shared'), [...some(1, 2), ['9', 'of another']]);
  });

  test('counts what triggers let in', async () => {
    await database.run(`create table sieved (id bigint primary key, v text);
      create function odd_only() returns trigger language plpgsql as 'begin if new.id % 2 = 0 then return null; end if; return new; end';
      create trigger sieve before insert on sieved for each row execute function odd_only()`);
    const writer = await open('sieved');
    const told: number[] = [];
    const { inserted } = await writer.write(batch(some(1, 5)), (result) => {
      told.push(result.inserted);
      return 'note';
    });
    assert.deepEqual([inserted, told], [3, [3]]);
    await writer.close();
  });

  test('with marks, and without a key', async () => {
    assert.deepEqual(await mirror('marked', some(1, 2), { deletes: 'mark' }), [2, 0, 0, 0]);
    assert.deepEqual(await mirror('marked', some(2, 3), { deletes: 'mark' }), [1, 0, 1, 1]);
    assert.deepEqual(
      (await database.rows('select id, _deleted_at is null from marked order by 1')).map(([, is]) => is),
      ['f', 't', 't'],
    );
    const doubled = [...some(1, 2), ...some(1, 1)];
    const writer = await open('bag', { key: [] });
    await writer.write(batch(doubled));
    assert.deepEqual([await stages(), (await rowsOf('bag')).length], [[], 3]);
    await writer.finish();
    await writer.close();
    assert.deepEqual(await mirror('bag', doubled, { key: [] }), [0, 0, 3, 0]);
    assert.deepEqual(await mirror('bag', some(1, 3), { key: [] }), [1, 0, 2, 1]);
    assert.deepEqual(await rowsOf('bag'), some(1, 3));
  });
});

describe('a mirror of rows that are there', () => {
  test('rewrites none that is the same', async () => {
    for (const key of [['id'], []]) {
      const table = `still${key.length}`;
      await mirror(table, some(1, 100), { key });
      assert.deepEqual(await mirror(table, some(1, 100), { key }), [0, 0, 100, 0]);
      await database.run('select pg_stat_force_next_flush()').catch(() => {});
      const ids = await database.rows(`select count(distinct xmin::text)::text from ${table}`);
      assert.deepEqual(ids, [['1']], 'all rows are of the first transaction');
    }
  });

  test('whose stage was lost in a crash of the server starts anew', async () => {
    await mirror('mirrored', some(1, 1));
    const writer = await open('mirrored');
    await writer.write(batch(some(1, 1, 'b'), 'one'), () => 'noted');
    await writer.close();
    const [stage] = await stages();
    await database.run(`truncate ${stage}`);
    const again = await open('mirrored');
    assert.deepEqual([again.checkpoint, again.note], [undefined, undefined]);
    await again.write(batch(some(2, 2)));
    await again.finish();
    await again.close();
    assert.deepEqual([await rowsOf('mirrored'), await stages()], [some(2, 2), []]);
  });

  test('has a table of keys beside its stage only when it could not use a row, and none at the end', async () => {
    await database.run(
      `create table spared (id smallint primary key, v varchar(3)); insert into spared select i, 'a' from generate_series(1, 5) i`,
    );
    const options = { stream: 'public.spared', create: false };
    const writer = await open('spared', options);
    await writer.write(batch(some(1, 1), 'one'));
    assert.equal((await stages()).length, 1);
    const { rejects } = await writer.write(batch([['2', 'long']], 'two').sparing([['3'], ['99999']]));
    assert.equal(rejects.length, 1);
    await writer.close();
    assert.deepEqual((await stages()).filter((name) => name.endsWith('_spared')).length, 1);
    const again = await open('spared', options);
    assert.equal(again.checkpoint, 'two');
    await again.write(batch([], 'three').sparing([['4']]));
    assert.deepEqual(counts(await again.finish()), [0, 0, 1, 1]);
    await again.close();
    assert.deepEqual([await rowsOf('spared'), await stages()], [some(1, 4), []]);
  });

  test('that becomes an upsert forgets what it has collected', async () => {
    await mirror('changing', some(1, 1));
    const writer = await open('changing');
    await writer.write(batch(some(1, 2, 'b'), 'one'), () => 'noted');
    await writer.close();
    const upsert = await open('changing', { mode: 'upsert' });
    assert.deepEqual([upsert.checkpoint, upsert.note, await stages()], [undefined, undefined, []]);
    await upsert.close();
  });
});

test('checkpoints of an older version get their notes', async () => {
  await database.run(`create schema old; create table old._syncline_checkpoints (owner text primary key, token numeric(20) not null, position text,
    state text not null default '{}', updated_at timestamptz not null default now()); create table old.t (id bigint primary key, v text);
    insert into old._syncline_checkpoints (owner, token, position) values ('somebody', 0, 'here')`);
  const request = { stream: 'old.t', owner: 'somebody', mode: 'upsert' } as const;
  const first = await open('t', request);
  assert.deepEqual([first.checkpoint, first.note], ['here', undefined]);
  await first.write(batch(some(1, 1), 'there'), () => 'noted');
  await first.close();
  const second = await open('t', request);
  assert.deepEqual([second.checkpoint, second.note], ['there', 'noted']);
  await second.close();
});

describe('what an earlier version has left of a mirror is taken up', () => {
  const leave = (owner: string, state: string): Promise<unknown> =>
    database.run(
      `insert into _syncline_checkpoints (owner, token, position, note, state) values ('${owner}', 0, 'here', 'noted', '${state}')`,
    );
  const goOn = async (table: string): Promise<number[]> => {
    const writer = await open(table);
    assert.deepEqual([writer.checkpoint, writer.note], ['here', 'noted']);
    const results = [await writer.write(batch(some(2, 2, 'b'), 'there')), await writer.finish()];
    await writer.close();
    return counts(results[1] as WriteResult).map((count, i) => count + (counts(results[0] as WriteResult)[i] ?? 0));
  };

  test('a first load, whose table has no key yet', async () => {
    await database.run(`create table left_load (id bigint not null, v text); insert into left_load values (1, 'a')`);
    await leave('owner of left_load', '{"phase":"load","loaded":1}');
    assert.deepEqual(await goOn('left_load'), [1, 0, 0, 0]);
    assert.deepEqual([await rowsOf('left_load'), await indexes('left_load')], [[...some(1, 1), ...some(2, 2, 'b')], 1]);
  });

  test('a stage', async () => {
    const name = `_syncline_stage_${createHash('sha256').update('owner of left_stage').digest('hex').slice(0, 24)}`;
    await database.run(`create table left_stage (id bigint primary key, v text); insert into left_stage values (8, 'spared'), (9, 'gone');
      create unlogged table ${name} (id bigint, v text); insert into ${name} values (1, 'a');
      create unlogged table ${name}_spared (id bigint); insert into ${name}_spared values (null), (8)`);
    await leave('owner of left_stage', '{"staged":1,"spared":true}');
    assert.deepEqual(await goOn('left_stage'), [2, 0, 0, 1]);
    assert.deepEqual([await rowsOf('left_stage'), await stages()], [[...some(1, 1), ...some(2, 2, 'b'), ['8', 'spared']], []]);
  });
});

test('doubles that a delete brings to light are told with it', async () => {
  const writer = await open('late', { mode: 'upsert' });
  await writer.write(batch(some(1, 3)));
  await writer.write(batch(some(2, 4, 'b')));
  const told: WriteResult[] = [];
  await writer.write(Batch.ofRows([['1']], { position: 'x', operation: 'delete' }), (result) => {
    told.push(result);
    return 'note';
  });
  assert.deepEqual(told.map(counts), [[-2, 2, 0, 1]]);
  assert.deepEqual(counts(await writer.finish()), [0, 0, 0, 0]);
  await writer.close();
});
