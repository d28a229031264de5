import assert from 'node:assert/strict';
import { Batch } from '../batch.ts';
import type { Settle, WriteMode, Writer, WriteResult } from '../contract.ts';
import type { NewStream } from './harness.ts';
import { batchesOf, type Case, type Kit } from './kit.ts';
import { numbers, start } from './write.ts';

const SIZE = 10;

/** That the outcome of a batch is told before it counts, and that what is noted then is kept with the position. */
export const noteCases: readonly Case[] = [
  {
    name: 'what is noted with a batch comes back with its position, to the letter',
    run: async (kit) => {
      if (!kit.abilities.checkpoints) return;
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const owner = `noting ${mode}`;
        const batches = batchesOf(numbers(kit, 1, 3 * SIZE), SIZE);
        for (const [at, batch] of batches.entries()) {
          const asked: (string | undefined)[] = [];
          const resume = (note: string | undefined): boolean => {
            asked.push(note);
            return true;
          };
          const writer = await kit.writer(stream, { mode, owner, resume });
          const before = at === 0 ? undefined : oddNote(at - 1);
          assert.deepEqual(asked, [before], `${mode}: asked once, with the note`);
          assert.equal(writer.note, before, `${mode}: the note after ${at} batches`);
          assert.equal(writer.checkpoint, batches[at - 1]?.position, `${mode}: the position after ${at} batches`);
          await writer.write(batch, async () => oddNote(at));
          await writer.close();
        }
        const last = await kit.writer(stream, { mode, owner });
        await last.finish(undefined, () => 'the end');
        await last.close();
        await kit.assertContents(stream, numbers(kit, 1, 3 * SIZE), mode);
        await assertKept(kit, stream, { mode, owner }, mode === 'mirror' ? undefined : batches.at(-1)?.position, 'the end');
      }
    },
  },
  {
    name: 'the note stays where nothing else is noted',
    run: async (kit) => {
      if (!kit.abilities.checkpoints) return;
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const owner = `silent ${mode}`;
        const [one, two] = batchesOf(numbers(kit, 1, 2 * SIZE), SIZE) as [Batch, Batch];
        const writer = await kit.writer(stream, { mode, owner });
        await writer.write(one, () => 'kept');
        await writer.write(two);
        await writer.close();
        await assertKept(kit, stream, { mode, owner }, two.position, 'kept');
        const last = await kit.writer(stream, { mode, owner });
        await last.finish();
        await last.close();
        await assertKept(kit, stream, { mode, owner }, mode === 'mirror' ? undefined : two.position, 'kept');
      }
    },
  },
  {
    name: 'the outcome of a batch is told with its counts and its rejects',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const [bad] = kit.shape.bad;
        const writer = await kit.writer(stream, { mode, owner: `told ${mode}` });
        if (!kit.abilities.checkpoints) assert.deepEqual([writer.checkpoint, writer.note], [undefined, undefined], 'it keeps nothing');
        const rows = numbers(kit, 1, 2 * SIZE);
        await assertTold(writer, Batch.ofRows(rows.slice(0, SIZE), { position: '{"p":1}' }));
        const mixed = [...rows.slice(SIZE), ...(bad ? [bad] : [])];
        const { rejects } = await assertTold(writer, Batch.ofRows(mixed, { position: '{"p":2}' }));
        assert.deepEqual(
          rejects.map(({ index }) => index),
          bad ? [SIZE] : [],
        );
        await assertTold(writer, Batch.ofRows([], { position: '{"p":3}' }));
        // By key there is something to compare with: what was new before is not so any more.
        if (mode === 'upsert') await assertTold(writer, Batch.ofRows(numbers(kit, 5, SIZE, 1), { position: '{"p":4}' }));
        const told: WriteResult[] = [];
        const { refused, ...result } = await writer.finish(() => true, keepIn(told));
        assert.notEqual(refused, true);
        assert.deepEqual(told.at(-1), result, `${mode}: what was told at the end is what was done`);
        await writer.close();
      }
    },
  },
  {
    name: 'a batch whose outcome cannot be kept is not written',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const owner = `thrown ${mode}`;
        const batches = batchesOf(numbers(kit, 1, 3 * SIZE), SIZE) as [Batch, Batch, Batch];
        const [one, two, three] = batches;
        const first = await kit.writer(stream, { mode, owner });
        await first.write(one, () => 'one');
        await assertThrows((settle) => first.write(two, settle), `${mode}: a batch`);
        await first.close();
        if (!kit.abilities.checkpoints) continue;
        const second = await kit.writer(stream, { mode, owner });
        assert.deepEqual([second.checkpoint, second.note], [one.position, 'one'], `${mode}: nothing of the batch counts`);
        const mixed = Batch.ofRows([...two.rows, ...kit.shape.bad], { position: two.position });
        await assertThrows((settle) => second.write(mixed, settle), `${mode}: a batch with rejects`);
        await second.close();
        const third = await kit.writer(stream, { mode, owner });
        assert.deepEqual([third.checkpoint, third.note], [one.position, 'one'], `${mode}: nothing of that batch either`);
        await third.write(two, () => 'two');
        await third.write(three, () => 'three');
        await third.close();
        await finishTwice(kit, stream, { mode, owner }, three.position);
        await kit.assertContents(stream, numbers(kit, 1, 3 * SIZE), mode);
      }
    },
  },
  {
    name: 'a mirror whose outcome cannot be kept changes nothing; one that is refused tells nothing and goes on later',
    run: async (kit) => {
      if (!kit.abilities.checkpoints || !kit.can('mirror')) return;
      const stream = await start(kit, 5);
      const source = numbers(kit, 4, 12, 1);
      const owner = 'refused';
      const [batch] = batchesOf(source) as [Batch];
      const first = await kit.writer(stream, { mode: 'mirror', owner });
      await first.write(batch, () => 'collected');
      await assertThrows((settle) => first.finish(undefined, settle), 'a mirror');
      await first.close();
      await kit.assertContents(stream, stream.rows, 'after an outcome that could not be kept');
      await assertKept(kit, stream, { mode: 'mirror', owner }, batch.position, 'collected');
      const second = await kit.writer(stream, { mode: 'mirror', owner });
      const told: WriteResult[] = [];
      assert.equal((await second.finish(() => false, keepIn(told))).refused, true);
      assert.deepEqual(told, [], 'a refusal commits nothing');
      await second.close();
      await kit.assertContents(stream, stream.rows, 'after a refusal');
      await assertKept(kit, stream, { mode: 'mirror', owner }, batch.position, 'collected');
      const third = await kit.writer(stream, { mode: 'mirror', owner });
      assert.notEqual(
        (
          await third.finish(
            () => true,
            () => 'done',
          )
        ).refused,
        true,
      );
      await third.close();
      await kit.assertContents(stream, source);
      await assertKept(kit, stream, { mode: 'mirror', owner }, undefined, 'done');
    },
  },
];

function oddNote(n: number): string {
  return JSON.stringify({ n, odd: `ü😀 ' " \\ \t\n $1 $$ ?`, long: 'x'.repeat(5000) });
}

function keepIn(told: WriteResult[]): Settle {
  return (result) => {
    told.push({ ...result });
    return 'told';
  };
}

async function assertTold(writer: Writer, batch: Batch): Promise<WriteResult> {
  const told: WriteResult[] = [];
  const result = await writer.write(batch, keepIn(told));
  assert.deepEqual(told.at(-1), result, 'what was told is what was done');
  return result;
}

/** What a settle throws comes back as it is, and so does what its promise rejects with. */
async function assertThrows(work: (settle: Settle) => Promise<unknown>, what: string): Promise<void> {
  const problem = new Error('It cannot be kept.');
  await assert.rejects(
    work(() => Promise.reject(problem)),
    (error) => error === problem,
    `${what}: the reason why its outcome cannot be kept`,
  );
}

/** The end is told as well: a writer that cannot finish leaves everything to the next. */
async function finishTwice(kit: Kit, stream: NewStream, { mode, owner }: { mode: WriteMode; owner: string }, position: string) {
  const first = await kit.writer(stream, { mode, owner });
  await assertThrows((settle) => first.finish(undefined, settle), `${mode}: the end`);
  await first.close();
  await assertKept(kit, stream, { mode, owner }, position, 'three');
  const second = await kit.writer(stream, { mode, owner });
  await second.finish(undefined, () => 'end');
  await second.close();
  await assertKept(kit, stream, { mode, owner }, mode === 'mirror' ? undefined : position, 'end');
}

async function assertKept(
  kit: Kit,
  stream: NewStream,
  options: { mode: WriteMode; owner: string },
  position: string | undefined,
  note: string | undefined,
): Promise<void> {
  const writer = await kit.writer(stream, options);
  assert.deepEqual([writer.checkpoint, writer.note], [position, note], `${options.mode}: position and note`);
  await writer.close();
}
