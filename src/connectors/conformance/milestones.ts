import assert from 'node:assert/strict';
import { type Followed, LogBench, type Milestone } from './log-bench.ts';
import { type Case, withValue } from './kit.ts';

/** A milestone is told as soon as it is reached, also when nothing follows. */
const PATIENCE = 8000;

/** Places at which what is told has to be cut. */
export const milestoneCases: readonly Case[] = [
  {
    name: 'what lies before a milestone and what lies behind it are told apart',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      for (const n of [11, 12]) await bench.transact(bench.insert(n));
      const milestone = await bench.milestone();
      for (const n of [13, 14]) await bench.transact(bench.insert(n));
      await toldAnywhere(bench, [milestone]);
    },
  },
  {
    name: 'several milestones, in any order, some of them twice, each between two transactions',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const milestones: Milestone[] = [await bench.milestone()];
      for (let n = 11; n <= 20; n++) {
        await bench.transact(bench.insert(n));
        if (n % 3 > 0) milestones.push(await bench.milestone());
        if (n % 4 === 0) milestones.push(await bench.milestone());
      }
      const mixed = milestones.toSorted((one, other) => (one.before % 3) - (other.before % 3) || other.before - one.before);
      await toldAnywhere(bench, mixed);
    },
  },
  {
    name: 'a milestone at the place where one begins, at the position of a set, and before both',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      for (const n of [11, 12, 13]) await bench.transact(bench.insert(n));
      const position = (await bench.followed()).sets.at(-1)?.position ?? '';
      await bench.transact(bench.insert(14));
      const milestones = [
        { position: bench.start, before: 0 },
        { position, before: 3 },
      ];
      bench.assertTold(await bench.followed(bench.start, milestones));
      bench.assertTold(await bench.followed(position, milestones), 3);
    },
  },
  {
    name: 'a milestone among changes that concern nobody, also when nothing follows',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit) : undefined;
      if (!bench) return;
      const other = await kit.stream(1);
      const others = async (from: number): Promise<void> => {
        for (let n = from; n < from + 3; n++) await bench.transact(bench.insert(n, other));
      };
      await others(100);
      const milestones = [await bench.milestone()];
      await others(200);
      await bench.transact(bench.insert(11));
      await others(300);
      milestones.push(await bench.milestone());
      await others(400);
      await bench.transact(bench.insert(12));
      await others(500);
      milestones.push(await bench.milestone());
      await others(600);
      await toldAnywhere(bench, milestones);
      // By a session that has never asked for the end: the milestone alone is what it knows.
      const { log } = await kit.session();
      assert.ok(log);
      await reachesSoon(bench, log, milestones.at(-1) as Milestone);
    },
  },
  {
    name: 'milestones before and behind transactions that come in pieces',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit) : undefined;
      if (!bench) return;
      const milestones: Milestone[] = [];
      const large = (from: number): Promise<void> => bench.transact(...largeInserts(bench, from));
      await bench.transact(bench.insert(11));
      milestones.push(await bench.milestone());
      await large(10_000);
      milestones.push(await bench.milestone());
      await large(20_000);
      await bench.transact(bench.insert(12));
      milestones.push(await bench.milestone());
      await large(30_000);
      const { sets } = await toldAnywhere(bench, milestones);
      assert.ok(sets.filter(({ position }) => position === undefined).length >= 3, 'large transactions come in pieces');
    },
  },
];

/** Inserts of several megabytes. */
export function largeInserts({ kit, stream }: LogBench, from: number): ReturnType<LogBench['insert']>[] {
  const text = 'ä'.repeat(2000);
  return Array.from({ length: 1000 }, (_, at) => ({
    op: 'insert' as const,
    stream,
    row: withValue(stream, kit.shape.row(from + at), kit.shape.text, text),
  }));
}

/** Follows everything, and then anew from behind each position that was told, with the same milestones. */
async function toldAnywhere(bench: LogBench, milestones: readonly Milestone[]): Promise<Followed> {
  const followed = await bench.followed(bench.start, milestones);
  bench.assertTold(followed);
  let told = 0;
  for (const { changes, position } of followed.sets) {
    told += changes.filter(({ op }) => op !== 'fields').length;
    if (position !== undefined) bench.assertTold(await bench.followed(position, milestones), bench.transactionsIn(told));
  }
  return followed;
}

/** Follows until the milestone is told. From the last change on it has to come soon. */
async function reachesSoon(bench: LogBench, log: LogBench['log'], { position }: Milestone): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), PATIENCE);
  let told = 0;
  try {
    for await (const set of log.follow({ ...bench.request, signal: stop.signal }, bench.start, [position])) {
      told += set.changes.filter(({ op }) => op !== 'fields').length;
      if (told === bench.transactions) timer.refresh();
      if (set.position !== undefined && !log.isBefore(set.position, position)) return;
    }
  } catch (error) {
    assert.ok(!stop.signal.aborted, 'a milestone is not told as long as nothing follows');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
