import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { benchesOfTests, type EngineBench, streamOf } from '../../../test/support/engine-run.ts';
import { Batch } from '../../connectors/batch.ts';
import type { StreamProof } from '../run.ts';

const bench = benchesOfTests();

const PEOPLE = `create table people (id integer primary key, name text, price numeric);
  insert into people values (1, 'Ada', 1.5), (2, 'Grace', 2.25), (3, '', null), (4, null, 4), (5, 'Ada ', 5)`;

async function verified(b: EngineBench): Promise<StreamProof> {
  const { status, first } = await b.run({ mode: 'verify' });
  assert.equal(status, 'succeeded', JSON.stringify(first));
  return first.proof ?? assert.fail('nothing was compared');
}

const countsIn = ({ result, missing, extra, different, kept, quarantined }: StreamProof) => ({
  result,
  missing,
  extra,
  different,
  kept,
  quarantined,
});
const EQUAL = { result: 'equal', missing: 0, extra: 0, different: 0, kept: 0, quarantined: 0 };

describe('a verify', () => {
  test('finds both ends equal, and then just what was damaged, with the values of both', async () => {
    const b = bench([streamOf('people')], PEOPLE);
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, result: 'differs', missing: 5 });
    await b.run();
    const proof = await verified(b);
    assert.deepEqual(countsIn(proof), EQUAL);
    assert.equal(proof.rows, 5);
    assert.match(proof.digest, /^[0-9a-f]{64}$/);
    assert.equal((await verified(b)).digest, proof.digest);
    b.target.exec(`update people set name = 'ada' where id = 1; update people set name = null where id = 3;
      delete from people where id = 5; insert into people (id, name) values (9, 'Eve')`);
    const found = await verified(b);
    assert.deepEqual(countsIn(found), { ...EQUAL, result: 'differs', missing: 1, extra: 1, different: 2 });
    assert.equal(found.digest, proof.digest, 'the digest is that of the source');
    assert.deepEqual(
      found.samples.toSorted((one, other) => String(one.key?.['id']).localeCompare(String(other.key?.['id']))),
      [
        { difference: 'different', key: { id: '1' }, fields: ['name'], source: { name: 'Ada' }, target: { name: 'ada' } },
        { difference: 'different', key: { id: '3' }, fields: ['name'], source: { name: '' }, target: { name: null } },
        {
          difference: 'missing',
          key: { id: '5' },
          fields: ['id', 'name', 'price'],
          source: { id: '5', name: 'Ada ', price: '5' },
          target: null,
        },
        {
          difference: 'extra',
          key: { id: '9' },
          fields: ['id', 'name', 'price'],
          source: null,
          target: { id: '9', name: 'Eve', price: null },
        },
      ],
    );
    assert.equal(b.rows('people').length, 5, 'nothing was written');
  });

  test('looks through casts, names, expressions and filters', async () => {
    const fields = [
      { from: 'id', to: 'number', type: 'text' as const },
      { to: 'label', expression: 'name + "!"' },
      { from: 'price', to: 'price' },
    ];
    const filter = [{ field: 'id', op: '<' as const, value: '5' }];
    const b = bench([streamOf('people', { target: 'labels', fields, filter })], PEOPLE);
    const run = await b.run();
    assert.equal(run.first.rejected, 0, JSON.stringify(run.first));
    assert.deepEqual(countsIn(await verified(b)), EQUAL);
    b.target.exec(`update labels set label = 'Ada?' where number = '1'`);
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, result: 'differs', different: 1 });
    b.source.exec('update people set id = 50 where id = 1');
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, result: 'differs', extra: 1 });
  });

  test('misses nothing of what a column of another type has: the time of a day, space around a number, a fraction', async () => {
    const b = bench(
      [streamOf('days')],
      `create table days (id integer primary key, day date, count integer, amount decimal text);
       insert into days values (1, '2026-01-01', 7, '1.50'), (2, '2026-01-02', 8, '2.5'), (3, '2026-01-03', 9, '3')`,
    );
    b.target.exec('create table days (id integer primary key, day timestamp, count text, amount text)');
    const loaded = await b.run();
    assert.deepEqual([loaded.status, loaded.first.rejected], ['succeeded', 0], JSON.stringify([loaded.first, b.openRejects()]));
    assert.deepEqual(countsIn(await verified(b)), EQUAL);
    b.target.exec(
      `update days set day = '2026-01-01 05:00:00' where id = 1; update days set count = '8 ' where id = 2; update days set amount = ' 3' where id = 3`,
    );
    const found = await verified(b);
    assert.deepEqual(countsIn(found), { ...EQUAL, result: 'differs', different: 3 });
    assert.deepEqual(found.samples.map(({ fields }) => fields.join()).sort(), ['amount', 'count', 'day']);
  });

  test('does not miss what is in quarantine: by the mapping, or by the target', async () => {
    const b = bench(
      [
        streamOf('people', {
          fields: [
            { from: 'id', to: 'id' },
            { from: 'name', to: 'name', type: 'int64' },
          ],
        }),
      ],
      `create table people (id integer primary key, name text); insert into people values (1, '1'), (2, '2'), (3, 'three')`,
    );
    assert.equal((await b.run()).status, 'partial');
    assert.deepEqual(countsIn(await verified(b)), EQUAL);
    b.source.exec(`update people set name = 'two' where id = 2`);
    assert.equal((await b.run()).status, 'partial');
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, quarantined: 1 }, 'the target keeps what it had of the row');

    const refusing = bench(
      [streamOf('people')],
      `create table people (id integer primary key, name text); insert into people values (1, 'a'), (2, 'b')`,
    );
    refusing.target.exec(`create table people (id integer primary key, name text check (name <> 'b'))`);
    assert.equal((await refusing.run()).status, 'partial');
    assert.deepEqual(countsIn(await verified(refusing)), { ...EQUAL, quarantined: 1 });
  });

  test('knows what becomes of rows that are gone: marked, or kept', async () => {
    const marking = bench([streamOf('people', { deletes: 'mark' })], PEOPLE);
    await marking.run();
    marking.source.exec('delete from people where id = 2');
    assert.deepEqual(countsIn(await verified(marking)), { ...EQUAL, result: 'differs', extra: 1 });
    await marking.run();
    assert.deepEqual(countsIn(await verified(marking)), EQUAL);
    marking.target.exec(`update people set _deleted_at = '2026-01-01 00:00:00+00' where id = 1`);
    assert.deepEqual(countsIn(await verified(marking)), { ...EQUAL, result: 'differs', missing: 1 });

    const keeping = bench([streamOf('people', { deletes: 'keep' })], PEOPLE);
    await keeping.run();
    keeping.source.exec('delete from people where id = 2');
    assert.deepEqual(countsIn(await verified(keeping)), { ...EQUAL, kept: 1 });
  });

  test('compares rows that are only added as multisets', async () => {
    const b = bench(
      [streamOf('people', { mode: 'append', key: [], cursor: 'id' })],
      'create table people (id integer, name text); insert into people values (1, null), (2, null), (2, null)',
    );
    await b.run();
    assert.deepEqual(countsIn(await verified(b)), EQUAL);
    b.target.exec('delete from people where rowid = (select max(rowid) from people); insert into people values (7, null)');
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, result: 'differs', missing: 1, kept: 1 });
    const repaired = await b.run({ mode: 'repair' });
    assert.deepEqual([repaired.status, repaired.first.inserted, repaired.first.proof?.result], ['succeeded', 1, 'equal']);
    assert.equal(b.rows('people').length, 4);
  });

  test('says "changing" of rows that are others whenever they are looked at, and still finds one that is damaged', async () => {
    const b = bench([streamOf('people')], PEOPLE);
    await b.run();
    let turn = 0;
    // Whoever writes at the source does so whenever the target was read.
    const busy = {
      open: async (end: 'source' | 'target') => {
        const session = await b.open(end);
        return end === 'source'
          ? session
          : {
              ...session,
              read: (request: Parameters<typeof session.read>[0]) => {
                b.source.exec(`update people set name = 'turn ${++turn}' where id = 2`);
                return session.read(request);
              },
            };
      },
    };
    const changing = await b.run({ mode: 'verify', ports: busy });
    assert.deepEqual([changing.first.proof?.result, changing.first.proof?.different, changing.first.proof?.changing], ['changing', 0, 1]);
    b.target.exec(`update people set name = 'x' where id = 5`);
    const found = await b.run({ mode: 'verify', ports: busy });
    assert.deepEqual([found.first.proof?.result, found.first.proof?.different], ['differs', 1]);
    assert.deepEqual(found.first.proof?.samples[0]?.key, { id: '5' });
  });
});

const WITNESS = `create table seen (what text, id int);
  create trigger i after insert on people begin insert into seen values ('insert', new.id); end;
  create trigger u after update on people begin insert into seen values ('update', new.id); end;
  create trigger d after delete on people begin insert into seen values ('delete', old.id); end;`;

describe('a repair', () => {
  const MANY = `create table people (id integer primary key, name text);
    insert into people select value, 'n' || value from (with recursive s(value) as (select 1 union all select value + 1 from s where value < 100) select value from s)`;
  const damage = (b: EngineBench): void =>
    b.target.exec(
      `delete from people where id = 1; update people set name = 'x' where id = 50; insert into people values (200, 'y'); ${WITNESS}`,
    );
  const seen = (b: EngineBench): unknown[] =>
    b.target
      .prepare('select what, id from seen order by 2')
      .all()
      .map((row) => ({ ...row }));

  test('touches the damaged rows alone, and proves it', async () => {
    const b = bench([streamOf('people')], MANY);
    await b.run();
    damage(b);
    const preview = await b.run({ mode: 'repair_preview' });
    assert.partialDeepStrictEqual(preview.first.changes, { inserted: 1, updated: 1, deleted: 1, unchanged: 98 });
    assert.equal(preview.first.changes?.samples?.length, 3);
    assert.deepEqual(seen(b), []);
    const repaired = await b.run({ mode: 'repair' });
    assert.equal(repaired.status, 'succeeded', JSON.stringify(repaired));
    assert.deepEqual(seen(b), [
      { what: 'insert', id: 1 },
      { what: 'update', id: 50 },
      { what: 'delete', id: 200 },
    ]);
    assert.partialDeepStrictEqual(repaired.first, { read: 100, inserted: 1, updated: 1, deleted: 1, rejected: 0 });
    assert.deepEqual(countsIn(repaired.first.proof ?? assert.fail()), EQUAL);
    assert.equal((await b.run()).first.unchanged, 100, 'the position and the mirror are as they were');
  });

  test('adds a field that is new at the source, and finds it there', async () => {
    const b = bench([streamOf('people')], MANY);
    await b.run();
    b.source.exec(`alter table people add column mail text; update people set mail = 'm' || id where id < 4`);
    const repaired = await b.run({ mode: 'repair' });
    assert.deepEqual([repaired.status, repaired.first.updated], ['succeeded', 3], JSON.stringify(repaired.first));
    assert.deepEqual(countsIn(repaired.first.proof ?? assert.fail()), EQUAL);
  });

  test('leaves alone what the target has besides', async () => {
    const b = bench([streamOf('people')], MANY);
    await b.run();
    b.target.exec(`alter table people add column mine text; update people set mine = 'kept'; update people set name = 'x' where id = 5`);
    assert.deepEqual((await b.run({ mode: 'repair' })).first.updated, 1);
    assert.deepEqual({ ...b.target.prepare('select name, mine from people where id = 5').get() }, { name: 'n5', mine: 'kept' });
  });

  test('asks before it deletes more than the guard allows', async () => {
    const b = bench([streamOf('people')], MANY);
    await b.run();
    b.source.exec('delete from people where id > 70');
    const asked = await b.run({ mode: 'repair' });
    assert.deepEqual([asked.status, asked.error?.code, asked.first.changes?.deleted], ['needs_approval', 'TOO_MANY_DELETES', 30]);
    assert.equal(b.rows('people').length, 100);
    const approved = await b.run({ mode: 'repair', id: asked.id, approved: true });
    assert.deepEqual([approved.status, approved.first.deleted, b.rows('people').length], ['succeeded', 30, 70]);
  });

  test('does not remove what is to be kept, and takes marks away', async () => {
    const b = bench([streamOf('people', { deletes: 'mark' })], MANY);
    await b.run();
    b.target.exec(`update people set _deleted_at = '2026-01-01 00:00:00+00' where id = 1; insert into people (id, name) values (200, 'y')`);
    const repaired = await b.run({ mode: 'repair' });
    assert.deepEqual([repaired.status, repaired.first.proof?.result], ['succeeded', 'equal'], JSON.stringify(repaired.first));
    const marks = b.target.prepare('select id from people where _deleted_at is not null').all();
    assert.deepEqual(
      marks.map((row) => ({ ...row })),
      [{ id: 200 }],
    );
  });

  test('has rows that the target refuses in quarantine, with the reason, and the others written', async () => {
    const b = bench([streamOf('people')], PEOPLE);
    b.target.exec(`create table people (id integer primary key, name text, price numeric, check (name <> 'Grace'))`);
    b.target.exec(`insert into people values (1, 'Ada', 1.5)`);
    const repaired = await b.run({ mode: 'repair' });
    assert.partialDeepStrictEqual(repaired.first, { status: 'partial', inserted: 3, rejected: 1 });
    assert.deepEqual(
      b.openRejects().map(({ key, row, unreadable }) => [key, row, unreadable]),
      [['["2"]', { id: '2', name: 'Grace', price: '2.25' }, false]],
    );
    assert.match(b.openRejects()[0]?.reason ?? '', /check/i);
    assert.partialDeepStrictEqual(repaired.first.proof, { result: 'differs', missing: 1 });
    // It waits there like one that a run has rejected: it is no difference, and goes when the target takes it.
    assert.deepEqual(countsIn(await verified(b)), { ...EQUAL, quarantined: 1 });
    b.source.exec(`update people set name = 'Hopper' where id = 2`);
    await b.run();
    assert.deepEqual([b.openRejects(), countsIn(await verified(b))], [[], EQUAL]);
  });

  test('and a worker of a run that was asleep never write by turns', async () => {
    const b = bench([streamOf('people')], PEOPLE);
    await b.run();
    b.target.exec(`update people set name = 'ada' where id = 1`);
    const session = await b.open('target');
    const fields = [{ name: 'id', type: 'int64' as const, nullable: false }];
    const request = { stream: 'people', fields, key: ['id'], mode: 'upsert' as const, owner: 'syn_1/people', create: true };
    const asleep = await session.write({ ...request, token: 5n });
    const { first } = await b.run({ mode: 'repair', token: 6n });
    assert.deepEqual([first.status, first.updated], ['succeeded', 1]);
    await assert.rejects(asleep.write(Batch.ofRows([['7']], { position: '1' })), { code: 'FENCED' });
    await session.close();
    assert.deepEqual(countsIn(await verified(b)), EQUAL);
  });

  test('that was cut off goes on, and counts everything once', async () => {
    const b = bench([streamOf('people')], MANY.replace('< 100', '< 2000'));
    await b.run();
    b.target.exec('delete from people where id % 2 = 0');
    const stopping = new AbortController();
    let written = 0;
    const ports = {
      progress: (_index: number, report: { inserted: number }) => {
        written = report.inserted;
        if (written > 0) stopping.abort('handed_over');
      },
    };
    const cut = await b.run({ mode: 'repair', signal: stopping.signal, ports });
    assert.equal(cut.status, 'handed_over');
    assert.ok(written > 0 && written < 1000, `${written} rows`);
    const again = await b.run({ mode: 'repair', id: cut.id });
    assert.deepEqual([again.status, again.first.inserted, again.first.proof?.result], ['succeeded', 1000, 'equal']);
  });
});
