import assert from 'node:assert/strict';
import type { Batch } from '../batch.ts';
import type { Changes, WriteRequest } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { batchesOf, type Case, type Kit, keyOf } from './kit.ts';
import { numbers, start, sum } from './write.ts';

const SIZE = 10;

/** Work that begins anew though there is a position; and mirrors into a target that has nothing yet. */
export const anewCases: readonly Case[] = [
  {
    name: 'who is told to begin anew has neither position nor note, and the rows before do no harm',
    run: async (kit) => {
      if (!kit.abilities.checkpoints) return;
      for (const mode of kit.abilities.write) {
        if (mode === 'mirror') continue;
        for (const crash of [0, 2]) {
          const stream = await start(kit, 0);
          const owner = `anew ${mode} ${crash}`;
          await writeSome(kit, stream, { mode, owner }, batchesOf(numbers(kit, 1, 20), SIZE, 'old').slice(0, crash));
          const rows = mode === 'append' ? numbers(kit, 21, 50) : numbers(kit, 11, 40, 1);
          const batches = batchesOf(rows, SIZE, 'new');
          const anew = await beginAnew(kit, stream, { mode, owner });
          for (const batch of batches.slice(0, 2)) await anew.write(batch, () => 'anew');
          await anew.close();
          const next = await kit.writer(stream, { mode, owner, resume: (note) => note === 'anew' });
          assert.deepEqual([next.checkpoint, next.note], [batches[1]?.position, 'anew'], 'the next one goes on with the new work');
          for (const batch of batches.slice(2)) await next.write(batch);
          await next.finish();
          await next.close();
          const old = numbers(kit, 1, crash * SIZE).filter((row) => !rows.some((other) => sameKey(stream, row, other)));
          const found = await kit.contents(stream);
          // Where rows are shown at the end only, those of unfinished work never were.
          const isWhole = found.length === rows.length + old.length;
          kit.assertSame(stream.fields, found, isWhole ? [...old, ...rows] : rows, `${mode}, begun anew after ${crash} batches`);
        }
      }
    },
  },
  {
    name: 'a mirror that begins anew uses nothing that was collected before',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror')) return;
      for (const begin of beginnings) {
        for (const crash of [0, 2]) {
          const stream = await begin.make(kit);
          const owner = `anew ${begin.name} ${crash}`;
          await writeSome(kit, stream, { mode: 'mirror', owner }, batchesOf(numbers(kit, 1, 20), SIZE, 'old').slice(0, crash));
          const source = numbers(kit, 11, 40, 1);
          const batches = batchesOf(source, SIZE, 'new');
          const anew = await beginAnew(kit, stream, { mode: 'mirror', owner });
          await anew.write(batches[0] as Batch, () => 'anew');
          await anew.close();
          const next = await kit.writer(stream, { mode: 'mirror', owner, resume: (note) => note === 'anew' });
          assert.deepEqual([next.checkpoint, next.note], [batches[0]?.position, 'anew']);
          for (const batch of batches.slice(1)) await next.write(batch);
          await next.finish();
          await next.close();
          await kit.assertContents(stream, source, `${begin.name}, begun anew after ${crash} batches`);
        }
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing: a crash after any batch, and every row is counted once',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror')) return;
      for (const begin of beginnings.slice(0, 2)) {
        const batches = batchesOf(numbers(kit, 1, 3 * SIZE), SIZE);
        for (let crash = 0; crash <= batches.length; crash++) {
          const stream = await begin.make(kit);
          const request = { mode: 'mirror' as const, owner: `empty ${begin.name} ${crash}` };
          const results = await writeSome(kit, stream, request, batches.slice(0, crash));
          const writer = await kit.writer(stream, request);
          assert.equal(writer.checkpoint, batches[crash - 1]?.position);
          for (const batch of batches.slice(crash)) results.push(await writer.write(batch));
          let shown: Changes | undefined;
          results.push(
            await writer.finish((changes) => {
              shown = { ...changes };
              return true;
            }),
          );
          await writer.close();
          const expected = { inserted: 3 * SIZE, updated: 0, unchanged: 0, deleted: 0 };
          assert.deepEqual(shown, expected, `${begin.name}: what was shown`);
          assert.deepEqual(sum(results), expected, `${begin.name}: what was counted`);
          await kit.assertContents(stream, numbers(kit, 1, 3 * SIZE), `${begin.name}, after a crash behind batch ${crash}`);
          if (crash === batches.length) await assertEqualAgain(kit, stream, request);
        }
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing is broken off for good: what it has put there is counted once',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror')) return;
      for (const begin of beginnings.slice(0, 2)) {
        const stream = await begin.make(kit);
        const request = { mode: 'mirror' as const, owner: `broken off ${begin.name}` };
        const rows = numbers(kit, 1, 3 * SIZE);
        const results = await writeSome(kit, stream, request, batchesOf([...rows.slice(0, 15), ...rows.slice(10, 20)], SIZE));
        const anew = await beginAnew(kit, stream, request);
        for (const batch of batchesOf(rows, SIZE, 'new')) results.push(await anew.write(batch));
        results.push(await anew.finish());
        await anew.close();
        await kit.assertContents(stream, rows, begin.name);
        const { inserted, deleted } = sum(results);
        assert.deepEqual([inserted, deleted], [rows.length, 0], `${begin.name}: what both have counted`);
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing: of equal keys in several batches the last counts',
    run: async (kit) => {
      if (!kit.can('mirror')) return;
      for (const begin of beginnings.slice(0, 2)) {
        const stream = await begin.make(kit);
        const rows = [...numbers(kit, 1, SIZE), ...numbers(kit, 5, 14, 1), ...numbers(kit, 8, 9, 2)];
        const results: Changes[] = [];
        const writer = await kit.writer(stream, { mode: 'mirror' });
        for (const batch of batchesOf(rows, SIZE)) results.push(await writer.write(batch));
        results.push(await writer.finish());
        await writer.close();
        await kit.assertContents(
          stream,
          [...numbers(kit, 1, 4), ...numbers(kit, 5, 7, 1), ...numbers(kit, 8, 9, 2), ...numbers(kit, 10, 14, 1)],
          begin.name,
        );
        assert.deepEqual([sum(results).inserted, sum(results).deleted], [14, 0], `${begin.name}: there are fourteen rows`);
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing reads its rows again when another program has removed them meanwhile',
    run: async (kit) => {
      if (!kit.abilities.transactional || !kit.abilities.deletes || !kit.can('mirror')) return;
      for (const begin of beginnings.slice(0, 2)) {
        const stream = await begin.make(kit);
        const request = { mode: 'mirror' as const, owner: `removed ${begin.name}` };
        const batches = batchesOf(numbers(kit, 1, 3 * SIZE), SIZE);
        await writeSome(kit, stream, request, batches.slice(0, 2));
        await kit.change(stream, { remove: numbers(kit, 1, 2 * SIZE).map((row) => keyOf(stream, row)) });
        const writer = await kit.writer(stream, request);
        const done = batches.findIndex(({ position }) => position === writer.checkpoint) + 1;
        for (const batch of batches.slice(done)) await writer.write(batch);
        await writer.finish();
        await writer.close();
        await kit.assertContents(stream, numbers(kit, 1, 3 * SIZE), begin.name);
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing can be refused, and is taken up later',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror')) return;
      for (const begin of beginnings.slice(0, 2)) {
        const stream = await begin.make(kit);
        const request = { mode: 'mirror' as const, owner: `refused ${begin.name}` };
        const batches = batchesOf(numbers(kit, 1, 2 * SIZE), SIZE);
        const results = await writeSome(kit, stream, request, batches);
        for (const agreed of [false, true]) {
          const writer = await kit.writer(stream, request);
          assert.equal(writer.checkpoint, batches.at(-1)?.position, `${begin.name}: before it is ${agreed ? 'agreed to' : 'refused'}`);
          assert.notEqual(writer.note, undefined);
          const { refused, ...result } = await writer.finish(
            () => agreed,
            () => 'asked',
          );
          results.push(result);
          assert.equal(refused ?? false, !agreed);
          await writer.close();
          if (agreed || begin.name === 'empty') await kit.assertContents(stream, agreed ? numbers(kit, 1, 2 * SIZE) : [], begin.name);
        }
        assert.deepEqual(sum(results), { inserted: 2 * SIZE, updated: 0, unchanged: 0, deleted: 0 }, 'in all, every row counts once');
      }
    },
  },
  {
    name: 'a mirror into a target that has nothing is refused when another program has written there too: its rows stay',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror') || !(kit.system.change || kit.can('upsert'))) return;
      for (const count of [0, SIZE]) {
        const stream = await kit.stream(0);
        const writer = await kit.writer(stream, { mode: 'mirror', owner: `refused beside others ${count}` });
        const results: Changes[] = [];
        if (count > 0) results.push(await writer.write(batchesOf(numbers(kit, 1, count), SIZE)[0] as Batch));
        const theirs = numbers(kit, 100, 102);
        await kit.change(stream, { put: theirs });
        const { refused, ...end } = await writer.finish(() => false);
        results.push(end);
        await writer.close();
        assert.equal(refused, true);
        const found = await kit.contents(stream);
        kit.assertSame(
          stream.fields,
          found.filter((row) => theirs.some((other) => sameKey(stream, row, other))),
          theirs,
        );
        assert.equal(sum(results).inserted, found.length - theirs.length, 'what is counted is there');
      }
    },
  },
];

/** What a mirror may find. */
const beginnings: readonly { name: string; make(kit: Kit): Promise<NewStream> }[] = [
  { name: 'not there', make: (kit) => start(kit, 0) },
  { name: 'empty', make: (kit) => kit.stream(0) },
  { name: 'with rows', make: (kit) => kit.stream(15) },
];

type Work = Pick<WriteRequest, 'mode' | 'owner'>;

/** Writes batches and then is gone, as after a crash. */
async function writeSome(kit: Kit, stream: NewStream, work: Work, batches: readonly Batch[]): Promise<Changes[]> {
  const writer = await kit.writer(stream, work);
  const results: Changes[] = [];
  for (const batch of batches) results.push(await writer.write(batch, () => 'before'));
  await writer.close();
  return results;
}

async function beginAnew(kit: Kit, stream: NewStream, work: Work) {
  const writer = await kit.writer(stream, { ...work, resume: () => false });
  assert.deepEqual([writer.checkpoint, writer.note], [undefined, undefined], `${work.mode}: nothing is left of what was before`);
  return writer;
}

async function assertEqualAgain(kit: Kit, stream: NewStream, work: Work): Promise<void> {
  const rows = await kit.contents(stream);
  const writer = await kit.writer(stream, { ...work, resume: () => false });
  const results: Changes[] = [];
  for (const batch of batchesOf(rows, SIZE)) results.push(await writer.write(batch));
  results.push(await writer.finish());
  await writer.close();
  if (kit.harness.countsUnchanged !== false)
    assert.deepEqual(sum(results), { inserted: 0, updated: 0, unchanged: rows.length, deleted: 0 }, 'the same once more changes nothing');
}

function sameKey(stream: NewStream, row: NewStream['rows'][number], other: NewStream['rows'][number]): boolean {
  return JSON.stringify(keyOf(stream, row)) === JSON.stringify(keyOf(stream, other));
}
