import assert from 'node:assert/strict';
import type { ChangeLog, LogRequest } from '../../src/connectors/changes.ts';

/** A database with the tables `chance` (id, v) and `beside` (id, v), of which only the first is followed. */
interface ChanceWorld {
  readonly log: ChangeLog;
  readonly request: LogRequest;
  /** Connections that write at the same time. */
  readonly writers: readonly ((sql: string) => Promise<unknown>)[];
  /** The ids in `chance` that everybody sees now. */
  readonly visible: () => Promise<readonly string[]>;
}

/** A milestone, what was seen before it, and the first id that was given out behind it. */
interface ChanceMilestone {
  readonly position: string;
  readonly seen: ReadonlySet<number>;
  readonly behind: number;
}

const TRANSACTIONS = 60;

/** Takes milestones while several write, and looks whether what is told is cut at them. */
export async function followMilestonesByChance({ log, request, writers, visible }: ChanceWorld): Promise<void> {
  const seed = Number(process.env['TEST_SEED'] ?? Date.now() % 1_000_000);
  const start = await log.hold(request);
  let ids = 0;
  const write = async (run: (sql: string) => Promise<unknown>, random: (below: number) => number): Promise<void> => {
    for (let n = 0; n < TRANSACTIONS; n++) {
      await run('begin');
      for (let rows = random(4); rows >= 0; rows--) {
        // Now and then more than fits into one set.
        const size = random(40) === 0 ? 700_000 : random(300);
        await run(`insert into ${random(3) === 0 ? 'beside' : 'chance'} values (${++ids}, repeat('x', ${size}))`);
      }
      await run(random(6) === 0 ? 'rollback' : 'commit');
    }
  };
  const over = new AbortController();
  const writing = Promise.all(writers.map((run, at) => write(run, numbers(seed + at)))).finally(() => over.abort());
  const milestones: ChanceMilestone[] = [];
  while (!over.signal.aborted) {
    const seen = new Set((await visible()).map(Number));
    const position = await log.end();
    milestones.push({ position, seen, behind: ids + 1 });
  }
  await writing;
  await assertCut(log, request, start, milestones).catch((error: unknown) => {
    throw new Error(`TEST_SEED=${seed}`, { cause: error });
  });
  const all = new Set((await visible()).map(Number));
  assert.ok(milestones.length > 3 && all.size > TRANSACTIONS);
}

async function assertCut(log: ChangeLog, request: LogRequest, start: string, milestones: readonly ChanceMilestone[]): Promise<void> {
  const end = await log.end();
  const told = new Set<number>();
  let position = start;
  let ahead = milestones.filter((milestone) => log.isBefore(start, milestone.position));
  const positions = milestones.map((milestone) => milestone.position).toReversed();
  for await (const set of log.follow({ ...request, signal: AbortSignal.timeout(120_000) }, start, positions)) {
    const here = set.changes.flatMap((change) => (change.op === 'insert' ? [Number(change.row[0])] : []));
    for (const { behind, seen } of milestones)
      assert.ok(!here.some((id) => id >= behind) || !here.some((id) => seen.has(id)), 'both sides of a milestone are in one set');
    for (const { behind } of ahead) assert.ok(!here.some((id) => id >= behind), 'what lies behind a milestone came before it');
    for (const id of here) {
      assert.ok(!told.has(id), 'a change is told twice');
      told.add(id);
    }
    if (set.position === undefined) continue;
    ({ position } = set);
    for (const { seen, position: milestone } of ahead)
      if (!log.isBefore(position, milestone))
        assert.ok(
          [...seen].every((id) => told.has(id)),
          'what lies before a milestone comes behind it',
        );
    ahead = ahead.filter((milestone) => log.isBefore(position, milestone.position));
    if (!log.isBefore(position, end)) break;
  }
  assert.deepEqual(ahead, []);
}

/** Numbers that look random, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}
