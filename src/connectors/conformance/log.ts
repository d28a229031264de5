import assert from 'node:assert/strict';
import type { Row } from '../canonical.ts';
import type { ChangeSet, LogRequest } from '../changes.ts';
import type { Field } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { assertFails, type Case } from './kit.ts';
import { logged, LogBench } from './log-bench.ts';
import { largeInserts } from './milestones.ts';

/** Logs that are held and followed. */
export const logCases: readonly Case[] = [
  {
    name: 'a log that can be followed lacks nothing',
    run: async (kit) => {
      const { log } = await kit.session();
      assert.deepEqual(await log?.check(), []);
    },
  },
  {
    name: 'everything since the hold is told once, in the order of commits, and each transaction whole',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      await bench.transact(bench.insert(11));
      await bench.transact(bench.update(1, 1));
      await bench.transact(bench.remove(2));
      await bench.transact(bench.update(11, 1));
      await bench.transact(bench.insert(2));
      const followed = await bench.followed();
      bench.assertTold(followed);
      const last = followed.sets.findLast(({ changes }) => changes.length > 0);
      assert.ok(Math.abs((last?.committedAt ?? 0) - Date.now()) < 600_000, 'it is told when that was');
    },
  },
  {
    name: 'transactions over several streams, changes of the key, and streams that are emptied',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit, 2) : undefined;
      if (!bench) return;
      const [one, two] = bench.streams as [NewStream, NewStream];
      await bench.transact(bench.insert(11, one), bench.insert(11, two), bench.update(11, 1, one), bench.remove(1, two));
      await bench.transact({ op: 'update', stream: two, key: bench.key(2), row: kit.shape.row(12) }, bench.insert(2, two));
      await bench.transact({ op: 'truncate', stream: one });
      await bench.transact(bench.insert(1, one), bench.update(11, 2, two));
      bench.assertTold(await bench.followed());
    },
  },
  {
    name: 'one goes on behind every position exactly, in the same session and in another',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const positions: string[] = [bench.start];
      for (let n = 11; n <= 16; n++) {
        await bench.transact(bench.insert(n));
        const told = await bench.followed(positions.at(-1));
        bench.assertTold(told, n - 11);
        positions.push(told.sets.at(-1)?.position ?? '');
      }
      const { log } = await kit.session();
      for (const [since, position] of positions.entries()) bench.assertTold(await bench.followed(position, [], log), since);
    },
  },
  {
    name: 'what happens while one follows is told, too',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const sets: ChangeSet[] = [];
      await bench.transact(bench.insert(11));
      const signal = AbortSignal.timeout(60_000);
      for await (const set of bench.log.follow({ ...bench.request, signal }, bench.start)) {
        sets.push(set);
        const told = sets.flatMap(({ changes }) => changes).filter(({ op }) => op === 'insert').length;
        if (told === 6) break;
        if (set.changes.length > 0) await bench.transact(bench.insert(11 + told));
      }
      bench.assertTold({ sets, after: bench.start, milestones: [] });
    },
  },
  {
    name: 'a transaction that is large comes in pieces, of which the last alone has a position',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit) : undefined;
      if (!bench) return;
      await bench.transact(bench.insert(11));
      await bench.transact(...largeInserts(bench, 10_000));
      await bench.transact(bench.insert(12));
      const followed = await bench.followed();
      bench.assertTold(followed);
      const { sets } = followed;
      assert.ok(
        sets.some(({ position }) => position === undefined),
        'several megabytes are not one set',
      );
      for (const { bytes, changes } of sets)
        assert.ok(changes.length === 0 || (bytes > 0 && bytes < 4 * 1024 * 1024), `a set of ${bytes} bytes`);
    },
  },
  {
    name: 'changes that concern nobody move the position',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit) : undefined;
      if (!bench) return;
      const other = await kit.stream(1);
      for (const n of [11, 12, 13]) await bench.transact(bench.insert(n, other));
      bench.assertTold(await bench.followed());
    },
  },
  {
    name: 'the end of the log lies behind everything that is visible',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const { log } = bench;
      const ends = [await log.end()];
      for (const n of [11, 12, 13]) {
        await bench.transact(bench.insert(n));
        ends.push(await log.end());
      }
      for (const [at, one] of ends.entries()) {
        for (const [later, other] of ends.entries()) assert.equal(log.isBefore(one, other), at < later, 'the order of positions');
        bench.assertTold(await bench.followed(one), at);
      }
    },
  },
  {
    name: 'fields are told as they are wanted, and others only when they are new',
    run: async (kit) => {
      const bench = kit.isFree() && kit.abilities.createsStreams && kit.can('upsert') ? await LogBench.open(kit) : undefined;
      if (!bench) return;
      const { log, stream } = bench;
      const [id, , amount, note] = stream.fields as [Field, Field, Field, Field];
      const narrow = { stream: stream.name, fields: [note.name, id.name], key: stream.key };
      const known = stream.fields.map(({ name }) => name).filter((name) => !narrow.fields.includes(name));
      const asked = (ignored?: readonly string[]): LogRequest => ({
        ...bench.request,
        streams: [{ ...narrow, ...(ignored && { ignored }) }],
      });
      const late: Field = { name: 'late', type: 'int64', nullable: true };
      const wide = { ...stream, fields: [...stream.fields, late] };
      await bench.transact(bench.insert(11));
      await kit.change(wide, { put: [[...kit.shape.row(12), '5']] });
      const end = await log.end();
      const tell = async (request: LogRequest): Promise<[string[], Row][]> => {
        const rows: [string[], Row][] = [];
        let names: string[] = [];
        for await (const set of log.follow({ ...request, signal: AbortSignal.timeout(60_000) }, bench.start)) {
          for (const change of set.changes) {
            if (change.op === 'fields') names = change.fields.map(({ name }) => name);
            else if (change.op === 'insert' || change.op === 'update') rows.push([names, change.row as Row]);
          }
          if (set.position !== undefined && !log.isBefore(set.position, end)) break;
        }
        return rows;
      };
      const [first, second] = [kit.shape.row(11)[3] ?? null, kit.shape.row(12)[3] ?? null];
      assert.deepEqual(await tell(asked()), [
        [narrow.fields, [first, '11']],
        [narrow.fields, [second, '12']],
      ]);
      assert.ok(known.includes(amount.name));
      assert.deepEqual(await tell(asked(known)), [
        [narrow.fields, [first, '11']],
        [
          [...narrow.fields, late.name],
          [second, '12', '5'],
        ],
      ]);
    },
  },
  {
    name: 'rows are looked up by their keys as they are now',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const following = bench.log.follow({ ...bench.request, signal: AbortSignal.timeout(60_000) }, bench.start);
      await bench.transact(bench.update(1, 1));
      for await (const set of following) if (set.changes.some(({ op }) => op === 'update')) break;
      const rows = await following.lookUp(0, [bench.key(1), bench.key(4), bench.key(77)], bench.request.streams[0]?.fields ?? []);
      kit.assertSame(bench.stream.fields, rows, [kit.shape.row(1, 1), kit.shape.row(4)]);
    },
  },
  {
    name: 'what is kept for an owner is told, and let go of as often as one likes',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      const { log, request } = bench;
      await bench.transact(bench.insert(11));
      for (let times = 0; times < 2; times++) {
        const { bytes, bytesPerSecond } = await log.kept(request.owner);
        assert.ok(bytes === null || bytes >= 0);
        assert.ok(bytesPerSecond === null || bytesPerSecond >= 0);
      }
      for (let times = 0; times < 2; times++) await log.release(request.owner);
      await log.release(kit.owner('nobody'));
      // Where nothing is kept for an owner, nothing is lost either.
      if (kit.harness.keepsNoLog) bench.assertTold(await bench.followed());
      else await assertFails(() => bench.followed(), 'gap', /./, 'following what was let go of');
    },
  },
  {
    name: 'what the target has may be forgotten, and is not told again',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      await bench.transact(bench.insert(11));
      const following = bench.log.follow({ ...bench.request, signal: AbortSignal.timeout(60_000) }, bench.start);
      const sets: ChangeSet[] = [];
      for await (const set of following) {
        sets.push(set);
        if (set.position !== undefined) following.acknowledge(set.position);
        if (bench.transactionsIn(sets.flatMap(({ changes }) => changes).filter(({ op }) => op === 'insert').length) === 1) break;
      }
      bench.assertTold({ sets, after: bench.start, milestones: [] });
      await bench.transact(bench.insert(12));
      bench.assertTold(await bench.followed(sets.at(-1)?.position), 1);
    },
  },
  {
    name: 'a new hold gives up the one before',
    run: async (kit) => {
      const bench = await LogBench.open(kit);
      if (!bench) return;
      await bench.transact(bench.insert(11));
      const anew = await bench.log.hold(bench.request);
      assert.ok(bench.log.isBefore(bench.start, anew));
      await bench.transact(bench.insert(12));
      bench.assertTold(await bench.followed(anew), 1);
    },
  },
  {
    name: 'a stream that is added later is told from then on, and the others go on',
    run: async (kit) => {
      const bench = kit.isFree() ? await LogBench.open(kit, 2) : undefined;
      if (!bench) return;
      const [one, two] = bench.streams as [NewStream, NewStream];
      const { log, request } = bench;
      const start = await log.hold({ ...request, streams: [logged(one)] });
      await bench.transact(bench.insert(11, one));
      // A field that is gone from the table by now does no harm.
      const gone = request.streams.map((stream) => ({ ...stream, fields: [...stream.fields, 'gone'] }));
      await log.change({ ...request, streams: gone });
      await bench.transact(bench.insert(12, two), bench.insert(12, one));
      bench.assertTold(await bench.followed(start));
    },
  },
];
