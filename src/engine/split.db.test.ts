// Streams that are copied in parts by several hands, any of which may die, sleep or come too late at any moment.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { streamOf } from '../../test/support/engine-run.ts';
import { newDatabase, type TestDatabase } from '../../test/support/postgres-database.ts';
import type { StreamDefinition } from './definition.ts';
import { executeRun } from './execute.ts';
import type { Counts, End, RunOrder, RunOutcome, RunPorts, StreamReport, TakenPart } from './run.ts';

const ROWS = 2000;
let source: TestDatabase;
let target: TestDatabase;

before(async () => {
  [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  await source.run(`create table big (id int primary key, v text, changed timestamptz not null default now());
    alter table big alter v set storage external;
    insert into big select n, repeat(md5(n::text), 250), '2026-01-01' from generate_series(1, ${ROWS}) n; analyze big`);
});
after(() => Promise.all([source.close(), target.close()]));

const contents = (database: TestDatabase, table: string): Promise<unknown> =>
  database.rows(`select count(*), md5(string_agg(id || v || changed, ',' order by id)) from ${table}`);

interface OfferedPart extends TakenPart {
  status: 'waiting' | 'running' | 'done';
}

/** What the nodes share: who may work on which part. Any number of hands work on one run, one of which has it. */
class Board {
  readonly #definition: StreamDefinition;
  #parts: OfferedPart[] = [];
  #token = 0n;
  readonly recounts = new Map<string, Counts>();
  /** Resolves when the first part is done. */
  readonly partDone = Promise.withResolvers<void>();
  log: string[] = [];

  constructor(definition: StreamDefinition) {
    this.#definition = definition;
  }

  #order(id: string, token: bigint): RunOrder {
    const endOf = (role: 'source' | 'target', { config }: TestDatabase): End => ({ id: role, name: role, type: 'postgres', config });
    return {
      id,
      syncId: `syn_${this.#definition.target}`,
      mode: 'run',
      token,
      approved: true,
      source: endOf('source', source),
      target: endOf('target', target),
      definition: {
        direction: 'source_to_target',
        streams: [this.#definition],
        on_reject: 'quarantine',
        guard: { max_delete_percent: 20, allow_empty: false },
        schema_changes: 'apply',
        on_gap: 'load',
        max_retained: 10_000_000_000,
      },
      streams: [{ index: 0, generation: 1, fields: null, position: null, note: null, rows: null, openRejects: 0 }],
      sideBySide: 1,
      splitRows: 800,
      rollAfter: 3_600_000,
    };
  }

  #ports(signal: AbortSignal, token: bigint): RunPorts {
    const ours = (): void => assert.ok(token === this.#token, 'another worker has the run now');
    const nothing = async (): Promise<void> => {};
    return {
      open: (end) => (end === 'source' ? source : target).session({}, { signal }),
      progress: () => {},
      log: (_level, { message }) => this.log.push(message),
      lag: () => {},
      keepRejects: nothing,
      listRejects: async () => [],
      resolveRejects: nothing,
      keepPosition: nothing,
      listDelivered: async () => [],
      keepDelivered: async () => 0,
      joinDelivered: nothing,
      keepFields: nothing,
      keepRows: nothing,
      recount: async (_index, run, counts) => {
        this.recounts.set(run, counts);
      },
      isOurs: async () => true,
      liveFront: async () => ({ isFollowing: false, position: null }),
      nudgeLive: nothing,
      offerParts: async (_index, split, parts) => {
        ours();
        this.#parts = parts.map(({ range, isDone }, index) => ({ split, index, range, token: 0, status: isDone ? 'done' : 'waiting' }));
      },
      takePart: async () => {
        ours();
        return { taken: this.#take() ?? null, open: this.#parts.filter(({ status }) => status !== 'done').length, error: null };
      },
      endPart: async (_index, part) => this.#end(part, true),
    };
  }

  #take(): TakenPart | undefined {
    const part = this.#parts.find(({ status }) => status === 'waiting');
    if (!part) return undefined;
    Object.assign(part, { status: 'running', token: part.token + 1 });
    const { status: _, ...taken } = part;
    return taken;
  }

  #end({ split, index, token }: TakenPart, isDone: boolean): void {
    const part = this.#parts[index];
    if (part?.split !== split || part.token !== token || part.status !== 'running') return;
    part.status = isDone ? 'done' : 'waiting';
    if (isDone) this.partDone.resolve();
  }

  /** A worker has the run, until the end or until it is gone. */
  async lead(id: string, signal: AbortSignal = new AbortController().signal): Promise<RunOutcome & { report: StreamReport }> {
    const token = ++this.#token;
    const outcome = await executeRun(this.#order(id, token), this.#ports(signal, token), signal);
    return { ...outcome, report: outcome.streams[0]?.report as StreamReport };
  }

  /** A worker helps, part after part, until it is told to stop. It may be gone in the middle of each. */
  async help(id: string, stop: AbortSignal, lifetime: () => number): Promise<void> {
    while (!stop.aborted) {
      const part = this.#take();
      if (!part) {
        await pause(5);
        continue;
      }
      const gone = new AbortController();
      const timer = setTimeout(() => gone.abort('fenced'), lifetime());
      const order = { ...this.#order(id, this.#token), part };
      const { status } = await executeRun(order, this.#ports(gone.signal, this.#token), gone.signal);
      clearTimeout(timer);
      this.#end(part, status === 'succeeded');
    }
  }
}

/** Repeatable, so that a failure can be looked at again. */
function randomOf(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return (state / 2 ** 31) * most;
  };
}

/** Does a run that is cut off again and again, with helpers that are, too. */
async function withTrouble(board: Board, id: string, seed: number): Promise<StreamReport> {
  const random = randomOf(seed);
  const over = new AbortController();
  const helpers = [1, 2].map(() => board.help(id, over.signal, () => 20 + random(300)));
  try {
    for (let attempt = 1; ; attempt++) {
      const gone = new AbortController();
      const timer = attempt < 8 ? setTimeout(() => gone.abort('fenced'), 50 + random(400)) : undefined;
      const { status, report, error } = await board.lead(id, gone.signal);
      clearTimeout(timer);
      if (status === 'succeeded') return report;
      assert.ok(gone.signal.aborted || error?.kind === 'transient', JSON.stringify(error));
    }
  } finally {
    over.abort();
    await Promise.all(helpers);
  }
}

const told = ({ read, inserted, updated, deleted, unchanged, rejected }: Counts): Counts => ({
  read,
  inserted,
  updated,
  deleted,
  unchanged,
  rejected,
  bytes: 0,
});
const NOTHING: Counts = { read: 0, inserted: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0, bytes: 0 };

describe('a stream that is copied in parts', { timeout: 300_000 }, () => {
  for (const seed of [1, 2])
    test(`is whole and truly counted, whichever worker is gone when: mirror, trouble ${seed}`, async () => {
      const table = `public.mirror_${seed}`;
      const board = new Board(streamOf('public.big', { target: table }));
      assert.deepEqual(told(await withTrouble(board, 'run_1', seed)), { ...NOTHING, read: ROWS, inserted: ROWS });
      assert.deepEqual(await contents(target, table), await contents(source, 'big'));
      await target.run(
        `update ${table} set v = 'other' where id % 100 = 0; delete from ${table} where id % 100 = 1; insert into ${table} select -n, 'more', now() from generate_series(1, 30) n`,
      );
      const again = await withTrouble(board, 'run_2', seed + 100);
      assert.deepEqual(told(again), { ...NOTHING, read: ROWS, inserted: 20, updated: 20, deleted: 30, unchanged: ROWS - 40 });
      assert.deepEqual(await contents(target, table), await contents(source, 'big'));
      assert.ok(
        board.log.some((line) => line.includes('copied in 10 parts')),
        board.log.join('\n'),
      );
      assert.deepEqual(
        await target.rows(`select owner from _syncline_checkpoints where owner like 'part %' and owner like '%/${table}'`),
        [],
      );
    });

  for (const seed of [5, 6])
    test(`a first load that one run gave up is gone on with by the next: trouble ${seed}`, async () => {
      const table = `public.load_${seed}`;
      const board = new Board(streamOf('public.big', { target: table, mode: 'incremental', cursor: 'changed', deletes: 'keep' }));
      const over = new AbortController();
      const helper = board.help('run_1', over.signal, () => 10_000);
      const gone = new AbortController();
      const first = board.lead('run_1', gone.signal);
      await board.partDone.promise;
      gone.abort('cancelled');
      over.abort();
      await Promise.all([first, helper]);
      assert.equal((await first).status, 'cancelled');
      const second = await withTrouble(board, 'run_2', seed);
      const earlier = board.recounts.get('run_1') ?? NOTHING;
      assert.ok(earlier.read > 0, 'what the first run had done is left');
      assert.equal(second.read + earlier.read, ROWS, JSON.stringify([second, earlier]));
      assert.equal(second.inserted + earlier.inserted, ROWS);
      assert.deepEqual(await contents(target, table), await contents(source, 'big'));
      assert.deepEqual(told((await board.lead('run_3')).report), NOTHING, 'the position is that of the whole');
    });

  test('a worker that sleeps through it all writes nothing when it wakes up', async () => {
    const board = new Board(streamOf('public.big', { target: 'public.asleep' }));
    const gone = new AbortController();
    const first = board.lead('run_1', gone.signal);
    await board.partDone.promise;
    gone.abort('fenced');
    await first;
    // Parts of a split whose name nobody uses any more.
    const [checkpoint] = await target.rows(`select state from _syncline_checkpoints where owner = 'syn_public.asleep/public.asleep'`);
    const { split } = JSON.parse(checkpoint?.[0] ?? '{}') as { split?: { name: string } };
    assert.ok(split, 'it is cut off in the middle of a split');
    const session = await target.session();
    const late = await session.write({
      stream: 'public.asleep',
      fields: [{ name: 'id', type: 'int64', nullable: false }],
      key: ['id'],
      mode: 'mirror',
      owner: 'syn_public.asleep/public.asleep',
      token: 99n,
      create: true,
      part: { split: split.name, index: 9 },
    });
    assert.equal((await board.lead('run_1')).status, 'succeeded');
    await assert.rejects(late.finish(), { kind: 'fenced' });
    assert.deepEqual(await contents(target, 'asleep'), await contents(source, 'big'));
  });
});
