import assert from 'node:assert/strict';
import type { Batch } from '../batch.ts';
import type { Changes, PartProgress, Parts, Range, WriteMode, Writer, WriteRequest } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { assertFails, batchesOf, type Case, type Kit, readAll } from './kit.ts';
import { numbers, start, sum } from './write.ts';

const ROWS = 300;
const PARTS = 3;
const SIZE = 10;

/** Reads that are cut into ranges. */
export const rangeCases: readonly Case[] = [
  {
    name: 'the ranges of a read hold every row once, in their order, and each can be taken up anywhere',
    run: async (kit) => {
      const stream = await kit.stream(ROWS);
      const { batches, rows } = await kit.read(stream);
      const found = [];
      for (const range of await cut(kit, stream)) {
        const part = await kit.read(stream, { range });
        found.push(...part.rows);
        for (const [at, { position }] of part.batches.entries()) {
          const rest = await kit.read(stream, { range, after: position });
          kit.assertSame(
            stream.fields,
            rest.rows,
            part.batches.slice(at + 1).flatMap((batch) => batch.rows),
          );
        }
      }
      assert.ok(batches.length > 1);
      assert.deepEqual(found, rows, 'together they are the whole read');
    },
  },
  {
    name: 'rows that come after the cut are in a range as well, wherever they belong',
    run: async (kit) => {
      const stream = await kit.stream(ROWS, (_, n) => kit.shape.row(2 * n));
      const ranges = await cut(kit, stream);
      const late = Array.from({ length: ROWS + 10 }, (_, at) => kit.shape.row(2 * at + 1));
      await kit.change(stream, { put: late });
      const session = await kit.session();
      const parts = await Promise.all(ranges.map((range) => readAll(session, kit.reading(stream, { range }))));
      kit.assertSame(
        stream.fields,
        parts.flatMap(({ rows }) => rows),
        [...stream.rows, ...late],
      );
    },
  },
];

/** Streams that several writers fill at the same time. */
export const partCases: readonly Case[] = [
  {
    name: 'a stream that is filled in parts is like one that was filled at once',
    run: async (kit) => {
      for (const mode of splitModes(kit)) {
        for (const there of [0, 2 * SIZE]) {
          const stream = await start(kit, there);
          const work = { mode, owner: `parts ${mode} ${there}` };
          const whole = await openWhole(kit, stream, work);
          await whole.parts.split('s', PARTS, 'split');
          const written = await Promise.all(
            slices(kit).map((batches, index) => fill(kit, stream, { ...work, part: { split: 's', index } }, batches)),
          );
          assert.deepEqual(
            (await whole.parts.progress()).map(({ note }) => note),
            slices(kit).map(() => 'through'),
          );
          await whole.parts.join('joined', 'all');
          const counted = sum([...written.flat(), await whole.finish(undefined, () => 'end')]);
          await whole.close();
          await kit.assertContents(stream, numbers(kit, 1, ROWS), `${mode} over ${there} rows`);
          if (kit.harness.countsUnchanged !== false)
            assert.deepEqual(counted, { inserted: ROWS - there, updated: 0, unchanged: there, deleted: 0 }, `${mode} over ${there} rows`);
          const next = await kit.writer(stream, work);
          assert.deepEqual([next.checkpoint, next.note], [mode === 'mirror' ? undefined : 'joined', 'end']);
          await next.close();
        }
      }
    },
  },
  {
    name: 'who takes a part over goes on where it stands, and who had it before writes nothing more',
    run: async (kit) => {
      for (const mode of splitModes(kit)) {
        const stream = await start(kit, 0);
        const work = { mode, owner: `taken ${mode}` };
        const whole = await openWhole(kit, stream, work);
        await whole.parts.split('s', PARTS, 'split');
        const [first, ...others] = slices(kit) as [Batch[], ...Batch[][]];
        const part = { ...work, part: { split: 's', index: 0 } };
        const early = await kit.writer(stream, part);
        await early.write(first[0] as Batch, () => 'noted');
        const late = await kit.writer(stream, part);
        assert.deepEqual([late.checkpoint, late.note], [first[0]?.position, 'noted'], mode);
        await assertFenced(early, first[1] as Batch, `${mode}: the one before`);
        await assertFails(() => kit.writer(stream, { ...part, token: 1n }), 'fenced', /./, `${mode}: a lower token`);
        for (const batch of first.slice(1)) await late.write(batch);
        await late.finish();
        await Promise.all([early.close(), late.close()]);
        await Promise.all(others.map((batches, at) => fill(kit, stream, { ...work, part: { split: 's', index: at + 1 } }, batches)));
        await whole.parts.join('joined', 'all');
        await whole.finish();
        await whole.close();
        await kit.assertContents(stream, numbers(kit, 1, ROWS), mode);
      }
    },
  },
  {
    name: 'parts cannot be written any more when they are split anew, joined or forgotten; what is in them stays until it is forgotten',
    run: async (kit) => {
      for (const mode of splitModes(kit)) {
        const stream = await start(kit, 0);
        const work = { mode, owner: `nobody ${mode}` };
        const [[first, second, third] = []] = slices(kit) as [Batch, Batch, Batch][];
        const whole = await openWhole(kit, stream, work);
        await whole.parts.split('one', 1, 'n');
        const one = await kit.writer(stream, { ...work, part: { split: 'one', index: 0 } });
        await one.write(first as Batch, () => 'first');
        await whole.parts.split('two', 1, 'n');
        await assertFenced(one, second as Batch, `${mode}: after another split`);
        const two = await kit.writer(stream, { ...work, part: { split: 'two', index: 0 } });
        assert.deepEqual([two.checkpoint, two.note], [first?.position, 'first']);
        await two.write(second as Batch);
        await whole.parts.join('joined', 'n');
        await assertFenced(two, third as Batch, `${mode}: after the join`);
        await whole.finish();
        await kit.assertContents(stream, numbers(kit, 1, 2 * SIZE), mode);
        await Promise.all([one.close(), two.close(), whole.close()]);
        const again = await openWhole(kit, stream, { ...work, resume: () => false });
        await again.parts.split('three', 1, 'n');
        const three = await kit.writer(stream, { ...work, part: { split: 'three', index: 0 } });
        await three.write(first as Batch, () => 'first');
        let heard: readonly PartProgress[] | undefined;
        const resume: WriteRequest['resume'] = (_, parts) => {
          heard = parts;
          return false;
        };
        const anew = await openWhole(kit, stream, { ...work, resume });
        assert.deepEqual(heard, [{ position: first?.position, note: 'first' }], `${mode}: how far the part is`);
        assert.deepEqual([anew.checkpoint, await anew.parts.progress()], [undefined, []]);
        await assertFenced(three, third as Batch, `${mode}: after it was begun anew`);
        await assertFails(() => again.parts.split('four', 1, 'n'), 'fenced', /./, `${mode}: splitting by who was taken over`);
        await assertFails(() => again.parts.join('p', 'n'), 'fenced', /./, `${mode}: joining by who was taken over`);
        assert.deepEqual(await anew.parts.progress(), [], `${mode}: nothing has come of it`);
        await Promise.all([three.close(), again.close(), anew.close()]);
      }
    },
  },
];

type Work = Pick<WriteRequest, 'mode' | 'owner' | 'part' | 'resume'>;

function splitModes(kit: Kit): WriteMode[] {
  return kit.abilities.write.filter((mode) => mode !== 'append');
}

/** The ranges of a read; there have to be some. */
async function cut(kit: Kit, stream: NewStream): Promise<readonly Range[]> {
  await kit.system.analyze?.(stream);
  const ranges = (await (await kit.session()).ranges?.(kit.reading(stream), ROWS / PARTS)) ?? [];
  assert.ok(ranges.length > 1, `a read of ${ROWS} rows can be cut`);
  return ranges;
}

async function openWhole(kit: Kit, stream: NewStream, work: Work): Promise<Writer & { parts: Parts }> {
  const writer = await kit.writer(stream, work);
  assert.ok(writer.parts, `a stream that is written in the mode ${work.mode} can be split`);
  return writer as Writer & { parts: Parts };
}

/** The rows of each part, in batches. */
function slices(kit: Kit): Batch[][] {
  const each = ROWS / PARTS;
  return Array.from({ length: PARTS }, (_, at) => batchesOf(numbers(kit, at * each + 1, (at + 1) * each), SIZE, `part ${at}`));
}

async function fill(kit: Kit, stream: NewStream, work: Work, batches: readonly Batch[]): Promise<Changes[]> {
  const writer = await kit.writer(stream, work);
  const results: Changes[] = [];
  for (const batch of batches) results.push(await writer.write(batch));
  results.push(await writer.finish(undefined, () => 'through'));
  await writer.close();
  return results;
}

async function assertFenced(writer: Writer, batch: Batch, who: string): Promise<void> {
  await assertFails(() => writer.write(batch), 'fenced', /./, `${who}, writing`);
  await assertFails(() => writer.finish(), 'fenced', /./, `${who}, finishing`);
}
