import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import { Batch } from '../../batch.ts';
import type { Row } from '../../canonical.ts';
import type { Changes, Field, Parts, Writer, WriteRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;
let token = 0n;

before(async () => {
  database = await newDatabase();
  session = await database.session({ lock_timeout: 5 });
});
after(() => database.close());

const FIELDS: Field[] = [
  { name: 'id', type: 'int64', nullable: false },
  { name: 'v', type: 'text', nullable: true },
];

type Whole = Writer & { parts: Parts };
const requestOf = (stream: string): WriteRequest => ({
  stream: `public.${stream}`,
  fields: FIELDS,
  key: ['id'],
  mode: 'mirror',
  owner: `owner of ${stream}`,
  create: true,
  token: 0n,
});

async function open(stream: string, options: Partial<WriteRequest> = {}): Promise<Whole> {
  return (await session.write({ ...requestOf(stream), token: ++token, ...options })) as Whole;
}

const openPart = (stream: string, split: string, index: number, options: Partial<WriteRequest> = {}): Promise<Writer> =>
  session.write({ ...requestOf(stream), token: 1n, part: { split, index }, ...options });

const batch = (rows: Row[], position: string): Batch => Batch.ofRows(rows, { position });
const some = (from: number, to: number, v = 'a'): Row[] => Array.from({ length: to - from + 1 }, (_, i) => [String(from + i), v]);
const rowsOf = (table: string): Promise<Row[]> => database.rows(`select * from ${table} order by 1`);
const counts = ({ inserted, updated, unchanged, deleted }: Changes): number[] => [inserted, updated, unchanged, deleted];

/** Writes a part as a whole; answers what was inserted. */
async function fill(stream: string, split: string, index: number, rows: Row[], options: Partial<WriteRequest> = {}): Promise<number[]> {
  const part = await openPart(stream, split, index, options);
  const result = await part.write(batch(rows, `part ${index}`), () => `note ${index}`);
  await part.finish(undefined, () => `through ${index}`);
  await part.close();
  return counts(result);
}

const leftovers = async (): Promise<unknown> => [
  await database.rows(`select relname from pg_class where relname like '\\_syncline\\_stage%' and relkind = 'r'`),
  await database.rows(`select owner from _syncline_checkpoints where owner like 'part %'`),
];
const NONE = [[], []];

/** A part whose worker has written rows and sleeps before it commits them. */
async function asleep(part: Writer, rows: Row[]): Promise<() => Promise<string>> {
  const [awake, asleep] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const written = part.write(batch(rows, 'asleep'), async () => {
    asleep.resolve();
    await awake.promise;
    return 'late';
  });
  await Promise.race([asleep.promise, written]);
  return () => {
    awake.resolve();
    return failureOf(written).then(({ kind }) => kind);
  };
}

describe('a part whose worker sleeps', () => {
  test('holds up nobody who takes the whole over, though it has written the same rows, and writes nothing when it wakes', async () => {
    await database.run("create table slept (id bigint primary key, v text); insert into slept values (1, 'old')");
    const mode = 'upsert';
    const first = await open('slept', { mode });
    await first.parts.split('x', 1, 'n');
    const part = await openPart('slept', 'x', 0, { mode });
    await part.write(batch(some(1, 5), 'five'));
    const wake = await asleep(part, some(6, 9, 'asleep'));
    const next = await open('slept', { mode });
    await next.parts.split('y', 1, 'n');
    assert.deepEqual(await next.parts.progress(), [{ position: 'five', note: undefined }]);
    await fill('slept', 'y', 0, some(6, 9), { mode });
    await next.parts.join('all', 'n');
    await next.finish();
    assert.ok(['fenced', 'transient'].includes(await wake()));
    await Promise.all([first.close(), part.close(), next.close()]);
    assert.deepEqual(await rowsOf('slept'), some(1, 9));
  });

  test('writes nothing when another writer has fenced the whole, which has not split it anew', async () => {
    const whole = await open('fenced');
    await whole.parts.split('x', 1, 'n');
    const part = await openPart('fenced', 'x', 0);
    await part.write(batch(some(1, 5), 'five'));
    const repair = await open('fenced', { mode: 'upsert', owner: 'repair of fenced', fences: [requestOf('fenced').owner] });
    assert.equal((await failureOf(part.write(batch(some(6, 9), 'nine')))).kind, 'fenced');
    assert.equal((await failureOf(openPart('fenced', 'x', 0))).kind, 'fenced');
    const next = await open('fenced');
    await next.parts.split('y', 1, 'n');
    await fill('fenced', 'y', 0, some(6, 9));
    await next.parts.join('all', 'n');
    await next.finish();
    await Promise.all([whole.close(), part.close(), repair.close(), next.close()]);
    assert.deepEqual(await rowsOf('fenced'), some(1, 9), 'what it had written stays, and is gone on from');
  });
});

describe('a stream that is filled in parts', () => {
  test('is like one that was filled at once: a mirror into a new table', async () => {
    const whole = await open('fresh');
    await whole.parts.split('x', 3, 'note of the whole');
    assert.deepEqual(
      await Promise.all([0, 1, 2].map((i) => fill('fresh', 'x', i, some(i * 10, i * 10 + 9)))),
      [0, 1, 2].map(() => [10, 0, 0, 0]),
    );
    assert.deepEqual(
      await whole.parts.progress(),
      [0, 1, 2].map((i) => ({ position: `part ${i}`, note: `through ${i}` })),
    );
    await whole.parts.join('part 2', 'joined');
    let shown: Changes | undefined;
    await whole.finish((changes) => {
      shown = changes;
      return true;
    });
    await whole.close();
    assert.deepEqual(shown && counts(shown), [30, 0, 0, 0]);
    assert.deepEqual(await rowsOf('fresh'), some(0, 29));
    assert.equal(
      (await database.rows(`select 1 from pg_index where indrelid = 'fresh'::regclass`)).length,
      1,
      'its key is made at the end',
    );
    assert.deepEqual(await leftovers(), NONE);
  });

  test('a mirror that compares: through a stage that all share, with the keys of rows that could not be used', async () => {
    const whole = await open('fresh');
    await whole.parts.split('y', 2, 'n');
    const part = async (index: number, rows: Row[], spared: Row[]): Promise<void> => {
      const writer = await openPart('fresh', 'y', index);
      await writer.write(batch(rows, 'p').sparing(spared), () => 'n');
      await writer.finish();
      await writer.close();
    };
    await Promise.all([part(0, some(0, 9), [['25']]), part(1, some(10, 19, 'b'), [['26']])]);
    await whole.parts.join('p', 'n');
    assert.deepEqual(counts(await whole.finish()), [0, 10, 10, 8], 'two of those that are missing were spared');
    await whole.close();
    assert.deepEqual(await rowsOf('fresh'), [...some(0, 9), ...some(10, 19, 'b'), ...some(25, 26)]);
    assert.deepEqual(await leftovers(), NONE);
  });

  test('an upsert: into a new table, into an empty one, and over rows', async () => {
    await database.run('create table empty_one (id bigint primary key, v text)');
    for (const stream of ['new_one', 'empty_one', 'empty_one']) {
      const isAgain = stream === 'empty_one' && (await rowsOf(stream)).length > 0;
      const whole = await open(stream, { mode: 'upsert', resume: () => false });
      await whole.parts.split('u', 2, 'n');
      const done = await Promise.all(
        [0, 1].map((i) => fill(stream, 'u', i, some(i * 5, i * 5 + 4, isAgain ? 'b' : 'a'), { mode: 'upsert' })),
      );
      assert.deepEqual(
        done,
        [0, 1].map(() => (isAgain ? [0, 5, 0, 0] : [5, 0, 0, 0])),
      );
      await whole.parts.join('the end', 'n');
      await whole.finish();
      await whole.close();
      assert.deepEqual(await rowsOf(stream), some(0, 9, isAgain ? 'b' : 'a'));
      const next = await open(stream, { mode: 'upsert' });
      assert.deepEqual([next.checkpoint, next.note], ['the end', 'n']);
      await next.close();
    }
    assert.deepEqual(await leftovers(), NONE);
  });

  test('rejects rows that the table refuses, each part its own', async () => {
    await database.run(`create table picky (id bigint primary key, v text check (v <> 'bad'))`);
    const whole = await open('picky', { mode: 'upsert' });
    await whole.parts.split('p', 2, 'n');
    for (const index of [0, 1]) {
      const part = await openPart('picky', 'p', index, { mode: 'upsert' });
      const { inserted, rejects } = await part.write(
        batch([...some(index * 5, index * 5 + 3), [String(index * 5 + 4), 'bad']], 'p'),
        () => 'n',
      );
      assert.deepEqual([inserted, rejects.map(({ row }) => row['id'])], [4, [String(index * 5 + 4)]]);
      await part.close();
    }
    await whole.close();
  });
});

describe('who writes a part', () => {
  test('does not go on when a crash of the server has emptied the stage', async () => {
    await database.run(`create table crashed (id bigint primary key, v text); insert into crashed values (1, 'there')`);
    const whole = await open('crashed');
    await whole.parts.split('c', 2, 'n');
    await fill('crashed', 'c', 0, some(1, 5));
    await whole.close();
    const tables = await database.rows(
      `select relname, relpersistence from pg_class where relname like '\\_syncline\\_stage%' and relkind = 'r'`,
    );
    assert.deepEqual(
      tables.map(([, kind]) => kind),
      ['u', 'u'],
      'both are empty after a crash',
    );
    for (const [table] of tables) await database.run(`truncate ${table}`);
    // The other part has written nothing yet, and would be none the wiser.
    assert.equal((await failureOf(openPart('crashed', 'c', 1))).code, 'STAGE_LOST');
    const again = await open('crashed');
    assert.deepEqual([again.checkpoint, await again.parts.progress()], [undefined, []], 'all is collected anew');
    await again.close();
  });
});
