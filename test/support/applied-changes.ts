import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Row, Value } from '../../src/connectors/canonical.ts';
import type { Applier, ApplyRequest, TargetChange } from '../../src/connectors/changes.ts';
import { counts, insert, int, maybe, PLAIN_FIELDS, remove, text, update } from '../../src/connectors/conformance/made-changes.ts';
import type { Field } from '../../src/connectors/contract.ts';
import type { Session } from '../../src/connectors/session.ts';
import { OutsideError } from '../../src/outside/errors.ts';
import { anyChange, modelled } from './change-model.ts';
import { sampled } from './whole.ts';

/** A database that changes are applied to, as a test of it sees it. */
interface AppliedWorld {
  session(): Promise<Session>;
  /** Runs statements. */
  run(sql: string): Promise<void>;
  /** Rows as texts, by another connection. */
  rows(sql: string): Promise<readonly Row[]>;
  /** Statements that make a trigger which notes each operation on a table `t` and its id in `seen(op, id)`. */
  witness(table: string): Promise<void>;
}

type StreamRequest = ApplyRequest['streams'][number];

const stream = (name: string, more: Partial<StreamRequest> = {}): StreamRequest => ({
  stream: name,
  fields: PLAIN_FIELDS,
  key: ['id'],
  create: true,
  ...more,
});

let token = 0n;

/** What holds for every database that changes are applied to, beyond the conformance suite. */
export function testApplying(world: () => AppliedWorld): void {
  const open = async (streams: readonly StreamRequest[], more: Partial<ApplyRequest> = {}): Promise<Applier> => {
    const session = await world().session();
    return (session.apply as NonNullable<Session['apply']>)({ streams, owner: `live ${streams[0]?.stream}`, token: ++token, ...more });
  };
  const rowsOf = (table: string): Promise<readonly Row[]> => world().rows(`select * from ${table} order by 1`);

  test('changes are made in their order, once each, and counted', async () => {
    const applier = await open([stream('plain')]);
    await world().witness('plain');
    const changes = [
      insert(['1', 'a']),
      insert(['2', 'b']),
      update(['1', 'A']),
      update(['1', 'AA']),
      remove('2'),
      insert(['2', 'again']),
      insert(['3', 'c']),
      update(['4', 'moved'], ['3']),
      update(['1', 'AA']),
      update(['9', 'not there before']),
      remove('77'),
    ];
    const result = await applier.apply({ changes, position: 'p1' });
    assert.deepEqual(result, { counts: [counts(5, 4, 1, 1)], rejects: [] });
    assert.deepEqual(await rowsOf('plain'), [
      ['1', 'AA'],
      ['2', 'again'],
      ['4', 'moved'],
      ['9', 'not there before'],
    ]);
    const events = await world().rows('select op, id from seen');
    const of = (id: string): string =>
      events
        .filter((row) => row[1] === id)
        .map(([op]) => op)
        .join(' ');
    assert.deepEqual([of('1'), of('2'), of('3'), of('4')], ['insert update update update', 'insert delete insert', 'insert', 'update']);
    await applier.close();
  });

  test('changes leave alone what is not told, and are looked up where the row is not there', async () => {
    const asked: unknown[] = [];
    const lookUp: ApplyRequest['lookUp'] = async (at, keys) => {
      asked.push([at, keys]);
      return keys.filter(([id]) => id !== '9').map(([id]) => [id as string, 'now', 'whole']);
    };
    const wide = stream('wide', { fields: [...PLAIN_FIELDS, text('w')] });
    const applier = await open([wide], { lookUp });
    const { counts: changed } = await applier.apply({
      changes: [
        insert(['1', 'a', 'L']),
        insert(['2', 'b', 'M']),
        update(['1', 'A', undefined]),
        update(['3', 'moved', undefined], ['2']),
        update(['5', 'x', undefined]),
        update(['9', 'x', undefined]),
      ],
      position: 'p',
    });
    assert.deepEqual(asked, [[0, [['5'], ['9']]]]);
    assert.deepEqual(changed, [counts(3, 2, 0, 1)]);
    assert.deepEqual(await rowsOf('wide'), [
      ['1', 'A', 'L'],
      ['3', 'moved', 'M'],
      ['5', 'now', 'whole'],
    ]);
    await applier.close();
    const blind = await open([wide]);
    const { rejects } = await blind.apply({ changes: [update(['77', 'x', undefined]), insert(['6', 'a', 'b'])], position: 'q' });
    assert.deepEqual(
      rejects.map(({ index }) => index),
      [0],
    );
    assert.equal((await rowsOf('wide')).length, 4);
    await blind.close();
  });

  test('rows that are gone are removed, marked or kept, also all at once', async () => {
    const applier = await open([stream('removed'), stream('marked', { deletes: 'mark' }), stream('staying', { deletes: 'keep' })]);
    const changes = [0, 1, 2].flatMap((at): TargetChange[] => [
      insert(['1', 'a'], at),
      insert(['2', 'b'], at),
      insert(['3', 'c'], at),
      remove('1', at),
      remove('2', at),
      insert(['2', 'B'], at),
    ]);
    const first = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(first.counts, [counts(4, 0, 2), counts(3, 1, 2), counts(3, 1, 0, 2)]);
    const second = await applier.apply({
      changes: [0, 1, 2].flatMap((at): TargetChange[] => [{ op: 'truncate', stream: at }, update(['1', 'back'], undefined, at)]),
      position: 'q',
    });
    assert.deepEqual(second.counts, [counts(1, 0, 2), counts(0, 1, 2), counts(0, 1, 0)]);
    assert.deepEqual(await rowsOf('removed'), [['1', 'back']]);
    assert.deepEqual(await world().rows('select id from marked where _deleted_at is null'), [['1']]);
    assert.equal((await rowsOf('staying')).length, 3);
    await applier.close();
  });

  test('a key that changes again and again sees all of it', async () => {
    const applier = await open([stream('hot')]);
    const changes = [insert(['1', '0']), insert(['2', '0'])];
    for (let i = 1; i <= 2000; i++) changes.push(update(['1', String(i)]));
    const { counts: changed } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(changed, [counts(2, 2000, 0)]);
    assert.deepEqual(await rowsOf('hot'), [
      ['1', '2000'],
      ['2', '0'],
    ]);
    await applier.close();
  });

  test('what adds up at the source adds up at the target all along', async () => {
    const accounts = stream('accounts', { fields: [int('id'), int('balance')] });
    const applier = await open([accounts]);
    const balances = Array.from({ length: 20 }, () => 100);
    await applier.apply({ changes: balances.map((balance, id) => insert([String(id), String(balance)])), position: '0' });
    const sums = new Set<unknown>();
    for (let set = 1; set <= 10; set++) {
      const changes: TargetChange[] = [];
      for (let n = 1; n <= 15; n++) {
        const [from, to] = [(set * 7 + n * 3) % 20, (set * 7 + n * 3 + n) % 20];
        balances[from] = (balances[from] as number) - n;
        balances[to] = (balances[to] as number) + n;
        for (const id of [from, to]) changes.push(update([String(id), String(balances[id])]));
      }
      for (const part of [{ changes: changes.slice(0, 11) }, { changes: changes.slice(11), position: String(set) }]) {
        await applier.apply(part);
        sums.add((await world().rows('select sum(balance) from accounts'))[0]?.[0]);
      }
    }
    assert.deepEqual([...sums], ['2000']);
    assert.deepEqual(
      (await rowsOf('accounts')).map((row) => Number(row[1])),
      balances,
    );
    await applier.close();
  });

  test('what the table refuses comes back, and the others get in', async () => {
    await world().run(`create table strict (id bigint not null primary key, v varchar(20) not null check (v <> 'bad'))`);
    const applier = await open([stream('strict'), stream('beside')]);
    const changes: TargetChange[] = Array.from({ length: 600 }, (_, i) => insert([String(i), 'good']));
    changes[100] = insert(['100', 'bad']);
    changes[500] = insert(['500', null]);
    changes[503] = insert([null, 'good']);
    changes[599] = insert(['7', 'beside'], 1);
    changes.push(update(['100', 'better']));
    const { counts: changed, rejects } = await applier.apply({ changes, position: 'p' });
    assert.deepEqual(
      rejects.map(({ index, stream: at }) => [index, at]),
      [
        [100, 0],
        [500, 0],
        [503, 0],
      ],
    );
    assert.deepEqual(changed, [counts(597, 0, 0), counts(1, 0, 0)]);
    assert.deepEqual(await world().rows('select v from strict where id = 100'), [['better']]);
    await applier.close();
  });

  test('tables are made and extended', async () => {
    const applier = await open([stream('narrow')]);
    const wide = [...PLAIN_FIELDS, { name: 'n', type: 'int64' as const, nullable: true }];
    await applier.apply({ changes: [insert(['1', 'a'])], position: 'p1' });
    const giveAll = async (): Promise<void> => {
      await applier.apply({ changes: [update(['1', 'b'])] });
      await applier.extend(0, wide);
      await applier.apply({ changes: [insert(['2', 'c', '5']), update(['1', 'd', '2'])] });
      await applier.apply({ changes: [update(['2', 'e', undefined])], position: 'p2' });
    };
    // Where a table cannot be changed within a transaction, it is changed before, and the transaction is given again.
    await giveAll().catch((error: unknown) => {
      assert.ok(error instanceof OutsideError && error.code === 'TABLE_CHANGED', String(error));
      return giveAll();
    });
    assert.deepEqual(await rowsOf('narrow'), [
      ['1', 'd', '2'],
      ['2', 'e', '5'],
    ]);
    await applier.extend(0, [...wide, text('late')]);
    await applier.apply({ changes: [insert(['3', 'x', '1', 'late'])], position: 'p3' });
    assert.equal((await rowsOf('narrow'))[2]?.at(-1), 'late');
    await applier.close();
  });

  test('values of every type get in, and are found to be the same', async () => {
    const types = ['text', 'decimal', 'float64', 'boolean', 'date', 'time', 'timestamp', 'timestamptz', 'uuid', 'json', 'binary'] as const;
    const fields: Field[] = [
      int('id'),
      ...types.map((type): Field => ({ name: `a_${type}`, type, nullable: true, ...(type === 'decimal' && { precision: 12, scale: 4 }) })),
    ];
    const row = [
      '1',
      'tab\t new\n back\\ "ü😀',
      '12345.6700',
      '1.5',
      't',
      '2026-11-15',
      '04:42:11.123456',
      '2026-11-15 04:42:11.5',
      '2026-11-15 04:42:11.123456+00',
      '6f1c1d4e-0000-4000-8000-000000000001',
      '{"b": 1, "a": [null]}',
      '\\x00ff',
    ];
    const nulls = ['2', ...types.map(() => null)];
    const applier = await open([stream('typed', { fields })]);
    for (const [position, change] of [insert(row), insert(nulls), update(row), maybe(update(row)), maybe(insert(nulls))].entries()) {
      const { rejects, counts: changed } = await applier.apply({ changes: [change], position: String(position) });
      assert.deepEqual(rejects, []);
      if (position > 2) assert.deepEqual(changed, [counts(0, 0, 0, 1)]);
    }
    const found: Row[] = [];
    const session = await world().session();
    for await (const { rows } of session.read({ stream: 'typed', fields: fields.map(({ name }) => name), key: ['id'] }))
      found.push(...rows);
    assert.deepEqual(found[1], nulls);
    assert.deepEqual([found[0]?.[1], found[0]?.[11], found[0]?.[9]], [row[1], row[11], row[9]]);
    await applier.close();
  });

  for (const isMaybe of [false, true])
    test(`changes by chance${isMaybe ? ' that may be there already' : ''} lead where they lead one by one`, async () => {
      const streams = [0, 1].map((at) => stream(`chance_${isMaybe ? 'maybe_' : ''}${at}`, { fields: [...PLAIN_FIELDS, text('w')] }));
      const applier = await open(streams, { lookUp: async () => [] });
      const model = streams.map(() => new Map<string, Value[]>());
      const property = fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 80 }), async (given) => {
        const changes = isMaybe ? given.map(maybe) : given;
        const { counts: changed, rejects } = await applier.apply({ changes, position: 'p' });
        const expected = modelled(model, changes);
        if (!isMaybe) assert.deepEqual({ changed, rejects: rejects.map(({ index }) => index) }, expected);
        for (const [at, rows] of model.entries()) {
          const sorted = [...rows].sort(([a], [b]) => Number(a) - Number(b)).map(([id, values]) => [id, ...values]);
          assert.deepEqual(await rowsOf(streams[at]?.stream ?? ''), sorted);
        }
      });
      // What is left of one set is there for the next, so a smaller example would be another one.
      await fc.assert(property, { numRuns: sampled(12, 40), endOnFailure: true });
      await applier.close();
    });
}
