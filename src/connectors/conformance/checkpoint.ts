import assert from 'node:assert/strict';
import { Batch } from '../batch.ts';
import type { WriteMode } from '../contract.ts';
import { assertFails, batchesOf, type Case, type Kit } from './kit.ts';
import { numbers, start } from './write.ts';

const COUNT = 50;
const SIZE = 10;

/** That rows and position go together, and that only the youngest writer writes. */
export const checkpointCases: readonly Case[] = [
  {
    name: 'a crash after any batch: the next writer goes on behind it, and every row is there once',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        if (!kit.abilities.transactional) return;
        const batches = batchesOf(numbers(kit, 1, COUNT), SIZE);
        for (let crash = 0; crash <= batches.length; crash++) await crashAfter(kit, mode, batches, crash);
      }
    },
  },
  {
    name: 'writing everything twice by key changes nothing',
    run: async (kit) => {
      for (const mode of kit.abilities.write) {
        if (mode === 'append') continue;
        const stream = await start(kit, 0);
        const rows = numbers(kit, 1, COUNT);
        for (const round of [1, 2]) {
          const options = { mode, owner: `twice ${mode} ${kit.abilities.transactional ? round : ''}` };
          await kit.writeAll(await kit.session(), stream, batchesOf(rows, SIZE), options);
          await kit.assertContents(stream, rows, `${mode}, round ${round}`);
        }
      }
    },
  },
  {
    name: 'positions are kept for each owner, to the letter',
    run: async (kit) => {
      if (!kit.abilities.transactional) return;
      const stream = await start(kit, 1);
      const position = JSON.stringify({ at: [`ü😀 ' " \\ \t\n`, null], long: 'x'.repeat(10_000) });
      const owners = ['one', `it's "odd" \\ ; 😀`];
      for (const [at, owner] of owners.entries()) {
        const writer = await kit.writer(stream, { owner: `${owner} ${stream.name}` });
        assert.equal(writer.checkpoint, undefined, 'an owner begins without a position');
        await writer.write(Batch.ofRows([kit.shape.row(at + 1)], { position: position + owner }));
        await writer.finish();
        await writer.close();
      }
      if (!kit.can('append') && !kit.can('upsert')) return;
      for (const owner of owners) {
        const writer = await kit.writer(stream, { owner: `${owner} ${stream.name}` });
        assert.equal(writer.checkpoint, position + owner);
        await writer.close();
      }
    },
  },
  {
    name: 'a writer whose token is stale writes nothing',
    run: async (kit) => {
      if (!kit.abilities.transactional) return;
      for (const mode of kit.abilities.write) {
        const stream = await start(kit, 0);
        const owner = `fenced ${mode}`;
        const [one = Batch.ofRows([], { position: '' }), two = one, three = two] = batchesOf(numbers(kit, 1, 30), SIZE);
        const old = await kit.writer(stream, { mode, owner, token: 9_007_199_254_740_993n });
        await old.write(one);
        const young = await kit.writer(stream, { mode, owner, token: 9_007_199_254_740_994n });
        assert.equal(young.checkpoint, one.position);
        await assertFails(() => old.write(two), 'fenced', 'FENCED', `a stale writer with ${mode}`);
        await assertFails(() => old.write(two), 'fenced', 'FENCED', 'the same once more');
        await assertFails(() => old.finish(() => true), 'fenced', 'FENCED', 'a stale writer that finishes');
        await old.close();
        await assertFails(
          () => kit.writer(stream, { mode, owner, token: 9_007_199_254_740_993n }),
          'fenced',
          'FENCED',
          'opening with a stale token',
        );
        await assertFails(() => kit.writer(stream, { mode, owner, token: 1n }), 'fenced', 'FENCED', 'opening with a very old token');
        await young.write(two);
        await young.write(three);
        await young.finish();
        await young.close();
        await kit.assertContents(stream, numbers(kit, 1, 30), `after the stale writer with ${mode}`);
      }
    },
  },
  {
    name: 'a writer that fences another owner, and that owner, never write by turns',
    run: async (kit) => {
      if (!kit.abilities.transactional || !kit.can('upsert')) return;
      const stream = await start(kit, 0);
      const [owner, mode] = [`fences ${stream.name}`, 'upsert'] as const;
      const [one = Batch.ofRows([], { position: '' }), two = one, three = two] = batchesOf(numbers(kit, 1, 30), SIZE);
      const early = await kit.writer(stream, { mode, owner, token: 1n });
      await early.write(one);
      const repair = { mode, owner: `${owner}/repair`, fences: [owner, `nobody ${stream.name}`] };
      const fencing = await kit.writer(stream, { ...repair, token: 2n });
      await assertFails(() => early.write(two), 'fenced', 'FENCED', 'one that was fenced');
      await early.close();
      await fencing.write(two);
      const late = await kit.writer(stream, { mode, owner, token: 3n });
      assert.equal(late.checkpoint, one.position, 'what is kept of the other is as it was');
      await assertFails(() => fencing.write(three), 'fenced', 'FENCED', 'one whose other was taken over');
      await assertFails(() => fencing.finish(), 'fenced', 'FENCED', 'the same when it finishes');
      await fencing.close();
      await assertFails(() => kit.writer(stream, { ...repair, token: 2n }), 'fenced', 'FENCED', 'opening with a stale token');
      await late.write(three);
      await late.finish();
      await late.close();
      await kit.assertContents(stream, numbers(kit, 1, 30));
    },
  },
  {
    name: 'two owners write to one stream without disturbing each other',
    run: async (kit) => {
      if (!kit.abilities.transactional || !kit.can('upsert')) return;
      const stream = await start(kit, 1);
      const session = await kit.session();
      const work = ['left', 'right'].map(async (owner, at) => {
        const rows = numbers(kit, 1 + at * COUNT, COUNT + at * COUNT);
        await kit.writeAll(session, stream, batchesOf(rows, SIZE), { mode: 'upsert', owner: `${owner} ${stream.name}` });
      });
      await Promise.all(work);
      await kit.assertContents(stream, numbers(kit, 1, 2 * COUNT));
    },
  },
  {
    name: 'the checkpoints are not offered as a stream',
    run: async (kit) => {
      if (!kit.abilities.transactional) return;
      await start(kit, 1);
      const names = (await (await kit.session()).discover()).map(({ name }) => name);
      assert.deepEqual(
        names.filter((name) => name.includes('_syncline')),
        [],
      );
    },
  },
];

async function crashAfter(kit: Kit, mode: WriteMode, batches: readonly Batch[], crash: number): Promise<void> {
  const stream = await start(kit, 0);
  const owner = `crash ${mode} ${crash}`;
  const first = await kit.writer(stream, { mode, owner });
  assert.equal(first.checkpoint, undefined);
  for (const batch of batches.slice(0, crash)) await first.write(batch);
  await first.close();
  const second = await kit.writer(stream, { mode, owner });
  assert.equal(second.checkpoint, batches[crash - 1]?.position, `${mode}: the checkpoint after ${crash} batches`);
  const done = batches.findIndex((batch) => batch.position === second.checkpoint) + 1;
  for (const batch of batches.slice(done)) await second.write(batch);
  await second.finish();
  await second.close();
  await kit.assertContents(stream, numbers(kit, 1, COUNT), `${mode}, after a crash behind batch ${crash}`);
  const third = await kit.writer(stream, { mode, owner });
  assert.equal(third.checkpoint, mode === 'mirror' ? undefined : batches.at(-1)?.position, `${mode}: the checkpoint at the end`);
  await third.close();
}
