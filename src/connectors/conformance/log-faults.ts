import assert from 'node:assert/strict';
import { comparable, type Row } from '../canonical.ts';
import type { ChangeLog, ChangeSet } from '../changes.ts';
import type { NewStream } from './harness.ts';
import { assertFails, type Case, failure, type Kit, readAll } from './kit.ts';
import { type Followed, logged, LogBench } from './log-bench.ts';
import { everyTypeFields, everyTypeRows } from './streams.ts';

/** Logs whose followers stop, are stopped, or ask for what there is not; and what values look like. */
export const logFaultCases: readonly Case[] = [
  {
    name: 'values of every type are told just as a read gives them',
    run: async (kit) => {
      const transact = kit.isFree() && kit.can('upsert') ? kit.hook('transact') : undefined;
      if (!transact) return;
      const { good } = everyTypeRows(kit.harness.lacks?.bind(kit.harness) ?? (() => false));
      const stream: NewStream = { name: kit.name('types'), fields: everyTypeFields, key: ['id'], rows: [] };
      await kit.create(stream);
      const session = await kit.session();
      const log = session.log as ChangeLog;
      const request = { owner: kit.owner('log'), streams: [logged(stream)] };
      kit.atEnd(() => log.release(request.owner));
      const start = await log.hold(request);
      await kit.change(stream, { put: good });
      const [told, end] = [new Map<string, Row>(), await log.end()];
      for await (const set of log.follow({ ...request, signal: AbortSignal.timeout(60_000) }, start)) {
        for (const change of set.changes) if (change.op === 'insert') told.set(change.row[0] ?? '', change.row as Row);
        if (set.position !== undefined && !log.isBefore(set.position, end)) break;
      }
      const { rows } = await readAll(session, kit.reading(stream));
      assert.equal(rows.length, good.length);
      // Of a double any spelling is right that reads back as the same.
      const spelled = (row: Row | undefined): Row | undefined =>
        row?.map((value, at) => (stream.fields[at]?.type === 'float64' ? comparable('float64', value) : value));
      for (const row of rows) assert.deepEqual(spelled(told.get(row[0] ?? '')), spelled(row));
    },
  },
  {
    name: 'a follower that is told to stop ends, and so does one whose session is closed',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      await bench.transact(bench.insert(11));
      const stop = new AbortController();
      const ends = async (log: ChangeLog, signal: AbortSignal, end: () => Promise<void>): Promise<void> => {
        for await (const set of log.follow({ ...bench.request, signal }, bench.start)) if (set.changes.length > 0) await end();
      };
      await failure(() => ends(bench.log, stop.signal, async () => stop.abort()), 'a follower that is told to stop');
      const other = await kit.session();
      const closed = await failure(
        () => ends(other.log as ChangeLog, AbortSignal.timeout(60_000), () => other.close()),
        'a follower whose session is closed',
      );
      assert.ok(closed.kind !== 'gap' && closed.kind !== 'config', closed.message);
      bench.assertTold(await bench.followed());
    },
  },
  {
    name: 'an owner has one follower: a new one puts an end to the one before',
    run: async (kit) => {
      const bench = kit.harness.manyFollowers ? undefined : await LogBench.open(kit);
      if (!bench) return;
      await bench.transact(bench.insert(11));
      let followed: Followed | undefined;
      const { log } = await kit.session();
      const first = async (): Promise<void> => {
        for await (const set of bench.log.follow({ ...bench.request, signal: AbortSignal.timeout(60_000) }, bench.start))
          if (set.changes.length > 0) followed ??= await bench.followed(bench.start, [], log);
      };
      const error = await failure(first, 'the follower before');
      assert.ok(error.kind === 'fenced' || error.kind === 'transient', `${error.kind}: ${error.message}`);
      assert.ok(followed);
      bench.assertTold(followed);
    },
  },
  {
    name: 'positions that are none, streams that are not there, and streams without a key are refused in words',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const { log, request } = bench;
      const [stream] = request.streams;
      assert.ok(stream);
      for (const position of ['', 'nonsense', '{}', '12', 'null'])
        await assertFails(() => bench.followed(position), 'config', 'POSITION_INVALID', `following from "${position}"`);
      const held = (change: object) => (): Promise<unknown> =>
        log.hold({ owner: kit.owner('refused'), streams: [{ ...stream, ...change }] });
      await assertFails(held({ stream: kit.named('nowhere') }), 'config', 'STREAM_MISSING', 'a stream that is not there');
      await assertFails(held({ key: [] }), 'config', /./, 'a stream without a key');
      await assertFails(held({ fields: [...stream.fields, 'nowhere'] }), 'config', 'FIELD_MISSING', 'a field that is not there');
    },
  },
  {
    name: 'a source that dies while it is followed: what came and the rest make the whole',
    run: async (kit) => {
      const cut = kit.hook('cut');
      const bench = cut ? await LogBench.open(kit) : undefined;
      if (!bench || !cut) return;
      for (let n = 11; n < 16; n++) await bench.transact(bench.insert(n));
      const sets: ChangeSet[] = [];
      const follow = async (): Promise<void> => {
        for await (const set of bench.log.follow({ ...bench.request, signal: AbortSignal.timeout(60_000) }, bench.start)) {
          sets.push(set);
          await cut();
          await bench.transact(bench.insert(20 + sets.length));
        }
      };
      const error = await failure(follow, 'a follower whose connection is cut');
      assert.equal(error.kind, 'transient', error.message);
      const whole = sets.findLastIndex(({ position }) => position !== undefined);
      const { log } = await kit.session();
      const rest = await bench.followed(sets[whole]?.position ?? bench.start, [], log);
      bench.assertTold({ sets: [...sets.slice(0, whole + 1), ...rest.sets], after: bench.start, milestones: [] });
    },
  },
  {
    name: 'followers let go of what they hold',
    run: async (kit) => {
      const connections = kit.hook('connections');
      const bench = connections ? await LogBench.open(kit) : undefined;
      if (!bench || !connections) return;
      await bench.transact(bench.insert(11));
      await bench.followed();
      const before = await connections();
      for (let times = 0; times < 5; times++) await bench.followed();
      assert.ok(await settles(kit, connections, before), 'each follower leaves a connection behind');
    },
  },
];

/** Whether there are no more connections than before, as soon as the last ones are gone. */
async function settles(kit: Kit, connections: () => Promise<number>, before: number): Promise<boolean> {
  const session = await kit.session();
  for (let times = 0; times < 100; times++) {
    if ((await connections()) <= before) return true;
    // A round to the system: meanwhile what was let go of gets closed.
    await session.check();
  }
  return false;
}
