import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Batch } from '../batch.ts';
import type { Changes, Writer, WriteMode } from '../contract.ts';
import { Checkpoint } from './checkpoint.ts';
import type { SqlDialect } from './dialect.ts';
import { openDirect } from './direct.ts';
import { openMirror } from './mirror.ts';
import { NOTHING } from './outcome.ts';

type Rows = Map<string, string>;

/** Everything that a system keeps. */
interface Stored {
  table: Rows;
  stage: Rows | undefined;
  token: bigint;
  row: { position: string | null; note: string | null; state: string | null };
}

class Crash extends Error {}

/** A system in memory, with transactions and nothing else. It crashes when it has been asked so many things. */
class System {
  stored: Stored = { table: new Map(), stage: undefined, token: 0n, row: { position: null, note: null, state: null } };
  stepsLeft = Infinity;

  step(): void {
    if (this.stepsLeft-- <= 0) throw new Crash();
  }

  async open(mode: WriteMode, token: bigint, columns = 'int'): Promise<Omit<Writer, 'close'>> {
    const dialect = this.#dialect(mode, token, columns);
    const kept = await dialect.checkpoint.takeOver(undefined);
    return (mode === 'mirror' ? openMirror : openDirect)(dialect, kept);
  }

  #dialect(mode: WriteMode, token: bigint, columns: string): SqlDialect {
    const touch = (): Stored => {
      this.step();
      return this.stored;
    };
    const transaction: SqlDialect['transaction'] = async (work) => {
      const before = structuredClone(this.stored);
      try {
        const result = await work();
        this.step();
        return result;
      } catch (error) {
        this.stored = before;
        throw error;
      }
    };
    const put = (rows: () => Rows, batch: Batch): Changes => {
      const changes = { ...NOTHING };
      for (const [key = '', value = ''] of batch.rows as [string, string][]) {
        const known = rows().get(key);
        changes[known === undefined ? 'inserted' : known === value ? 'unchanged' : 'updated']++;
        rows().set(key, value);
      }
      return changes;
    };
    const remove = (rows: () => Rows, batch: Batch): Changes => {
      const gone = batch.rows.filter(([key]) => rows().delete(key as string));
      return { ...NOTHING, deleted: gone.length };
    };
    const stageRows = (): Rows => touch().stage ?? assert.fail('there is no stage');
    const isOurs = (): boolean => touch().token === token;
    const checkpoint = new Checkpoint({
      take: () => {
        const { row } = touch();
        if (this.stored.token > token) return undefined;
        this.stored.token = token;
        return { position: row.position ?? undefined, note: row.note ?? undefined, state: row.state ?? undefined };
      },
      isOurs,
      state: () => (isOurs() ? this.stored.row.state : undefined),
      change: (values) => {
        if (!isOurs()) return false;
        Object.assign(this.stored.row, values);
        return true;
      },
    });
    return {
      request: {
        stream: 't',
        fields: ['id', 'v'].map((name) => ({ name, type: 'text', nullable: false })),
        key: ['id'],
        mode,
        owner: 'me',
        token,
        create: true,
      },
      checkpoint,
      transaction,
      table: {
        columns: [['id', columns]],
        isEmpty: () => touch().table.size === 0,
        count: () => touch().table.size,
        putter: () => ({ put: (batch) => ({ ...put(() => touch().table, batch), rejects: [] }) }),
        remover: () => ({ put: (batch) => ({ ...remove(() => touch().table, batch), rejects: [] }) }),
      },
      stage: {
        state: `stage ${columns}`,
        isThere: () => touch().stage !== undefined,
        make: () => void (touch().stage = new Map()),
        drop: () => void (touch().stage = undefined),
        collector: () => ({ put: (batch) => ({ ...put(stageRows, batch), rejects: [] }) }),
        remover: () => ({ put: (batch) => ({ ...remove(stageRows, batch), rejects: [] }) }),
        spare: () => {},
        move: () => {
          const { table } = touch();
          this.stored.stage = new Map(table);
          this.stored.table = new Map();
          return table.size;
        },
        merge: ({ ask, keep }) =>
          transaction(async () => {
            await checkpoint.demand();
            const { table } = this.stored;
            const staged = stageRows();
            const changes = { ...NOTHING, deleted: [...table.keys()].filter((key) => !staged.has(key)).length };
            for (const [key, value] of staged) {
              const known = table.get(key);
              changes[known === undefined ? 'inserted' : known === value ? 'unchanged' : 'updated']++;
            }
            if (!(await ask(changes))) return undefined;
            Object.assign(this.stored, { table: new Map(staged), stage: undefined });
            const outcome = { ...changes, rejects: [] };
            await keep(outcome);
            return outcome;
          }),
      },
    };
  }
}

const anyRows = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.constantFrom('1', '2')), { maxLength: 8 });

/** One row a batch; the position says how many were written. */
const batchesOf = (rows: readonly (readonly [string, string])[]): Batch[] =>
  rows.map((row, at) => Batch.ofRows([row], { position: String(at + 1) }));

describe('a mirror', () => {
  test('makes the target the source, whenever and however often it is broken off', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyRows, fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 6 }), async (there, read, crashes) => {
        const system = new System();
        system.stored.table = new Map(there);
        const batches = batchesOf(read);
        let token = 0n;
        for (const stepsLeft of [...crashes, Infinity]) {
          system.stepsLeft = stepsLeft;
          try {
            const writer = await system.open('mirror', ++token);
            for (const batch of batches.slice(Number(writer.checkpoint ?? 0))) await writer.write(batch, () => `note ${batch.position}`);
            await writer.finish(undefined, () => 'finished');
          } catch (error) {
            if (!(error instanceof Crash)) throw error;
          }
        }
        assert.deepEqual(new Map(system.stored.table), new Map(read));
        assert.deepEqual([system.stored.row.position, system.stored.row.note, system.stored.stage], [null, 'finished', undefined]);
      }),
      { numRuns: 300 },
    );
  });

  test('that is refused leaves the table as it was, and need not be read again', async () => {
    await fc.assert(
      fc.asyncProperty(anyRows, anyRows, async (there, read) => {
        const system = new System();
        system.stored.table = new Map(there);
        const writer = await system.open('mirror', 1n);
        const counts: number[] = [];
        for (const batch of batchesOf(read)) counts.push((await writer.write(batch)).inserted);
        const { refused, inserted } = await writer.finish(() => false);
        assert.equal(refused, true);
        assert.equal(
          counts.reduce((sum, count) => sum + count, inserted),
          0,
          'what was told is taken back',
        );
        assert.deepEqual(system.stored.table, new Map(there));
        const next = await system.open('mirror', 2n);
        assert.equal(next.checkpoint, read.length === 0 ? undefined : String(read.length));
        await next.finish();
        assert.deepEqual(system.stored.table, new Map(read));
      }),
    );
  });

  test('into an empty table tells of each row once, and takes nothing back where others have written, too', async () => {
    const system = new System();
    const writer = await system.open('mirror', 1n);
    await writer.write(
      Batch.ofRows(
        [
          ['a', '1'],
          ['b', '1'],
          ['a', '2'],
        ],
        { position: '1' },
      ),
    );
    await writer.write(Batch.ofRows([['b']], { position: '2', operation: 'delete' }));
    system.stored.table.set('of another', '1');
    let shown: Changes | undefined;
    const { refused, inserted } = await writer.finish((changes) => {
      shown = changes;
      return false;
    });
    assert.deepEqual([shown?.inserted, refused, inserted], [1, true, 0]);
    assert.deepEqual([...system.stored.table.keys()], ['a', 'of another']);
  });

  test('goes straight into the table, or through a stage; with other columns, or after other work, it begins anew', async () => {
    const system = new System();
    const [one] = batchesOf([['a', '1']]) as [Batch];
    await (await system.open('mirror', 1n)).write(one);
    assert.equal(system.stored.stage, undefined);
    assert.equal((await system.open('mirror', 2n)).checkpoint, '1');
    const wider = await system.open('mirror', 3n, 'text');
    assert.deepEqual([wider.checkpoint, system.stored.stage], [undefined, new Map()]);
    await wider.write(one, () => 'noted');
    assert.equal((await system.open('mirror', 4n, 'text')).checkpoint, '1');
    const append = await system.open('append', 5n, 'text');
    assert.deepEqual([append.checkpoint, append.note, system.stored.stage], [undefined, undefined, undefined]);
  });

  test('writes nothing more when another has taken over', async () => {
    const system = new System();
    const [one, two] = batchesOf([
      ['a', '1'],
      ['b', '1'],
    ]) as [Batch, Batch];
    for (const mode of ['mirror', 'upsert'] as const) {
      const [old, young] = mode === 'mirror' ? [1n, 2n] : [3n, 4n];
      const early = await system.open(mode, old);
      await early.write(one);
      const late = await system.open(mode, young);
      assert.equal(late.checkpoint, '1');
      await assert.rejects(early.write(two), { kind: 'fenced', code: 'FENCED' });
      await assert.rejects(early.finish(), { kind: 'fenced' });
      await assert.rejects(system.open(mode, old), { kind: 'fenced' });
      await late.write(two);
      await late.finish();
      assert.deepEqual([...system.stored.table.keys()], ['a', 'b']);
    }
  });
});
