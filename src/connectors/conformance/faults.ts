import assert from 'node:assert/strict';
import type { Batch } from '../batch.ts';
import type { Row } from '../canonical.ts';
import { OutsideError } from '../../outside/errors.ts';
import { batchesOf, type Case, failure, type Kit, readAll } from './kit.ts';
import { numbers, start } from './write.ts';

/** Either end dying in the middle of it. */
export const faultCases: readonly Case[] = [
  {
    name: 'a source that dies while being read: what came and the rest make the whole',
    run: async (kit) => {
      if (!kit.abilities.read) return;
      const cut = kit.hook('cut');
      if (!cut) return;
      const stream = await kit.stream(250);
      const session = await kit.session();
      const found: Row[] = [];
      const batches: Batch[] = [];
      try {
        for await (const batch of session.read(kit.reading(stream))) {
          batches.push(batch);
          found.push(...batch.rows);
          if (batches.length === 2) await cut();
        }
      } catch (error) {
        assertTransient(error);
        const after = kit.abilities.resumable ? batches.at(-1)?.position : undefined;
        if (after === undefined) found.length = 0;
        const rest = await readAll(await kit.session(), kit.reading(stream, after === undefined ? {} : { after }));
        found.push(...rest.rows);
      }
      kit.assertSame(stream.fields, found, stream.rows);
    },
  },
  {
    name: 'a session whose connection was cut works again, or says that it is lost',
    run: async (kit) => {
      const cut = kit.hook('cut');
      if (!cut) return;
      const session = await kit.session();
      await session.discover();
      await cut();
      await session.discover().catch(assertTransient);
      await (await kit.session()).discover();
    },
  },
  {
    name: 'a target that dies between two batches',
    run: async (kit) => {
      if (!kit.abilities.transactional) return;
      const cut = kit.hook('cut');
      if (!cut) return;
      for (const mode of kit.abilities.write) await dieWhileWriting(kit, mode, cut);
    },
  },
  {
    name: 'a target that dies before the commit: nothing of the batch is there',
    run: async (kit) => dieAtCommit(kit, 'before'),
  },
  {
    name: 'a target that dies after the commit: all of the batch is there, with its position',
    run: async (kit) => dieAtCommit(kit, 'after'),
  },
  {
    name: 'an abort ends a writer, and the next one goes on',
    run: async (kit) => {
      if (!kit.abilities.transactional) return;
      for (const mode of kit.abilities.write) {
        const stop = new AbortController();
        await dieWhileWriting(kit, mode, async () => stop.abort(), stop.signal);
      }
    },
  },
];

async function dieAtCommit(kit: Kit, moment: 'before' | 'after'): Promise<void> {
  if (!kit.abilities.transactional) return;
  const breakCommit = kit.hook('breakCommit');
  if (!breakCommit) return;
  for (const mode of kit.abilities.write) {
    const stream = await start(kit, 0);
    const owner = `dying ${mode} ${moment}`;
    const batches = batchesOf(numbers(kit, 1, 40), 10);
    const writer = await kit.writer(stream, { mode, owner });
    await writer.write(batches[0] as Batch);
    await breakCommit(moment);
    assertTransient(await failure(() => writer.write(batches[1] as Batch), 'a write whose commit dies'));
    await writer.close();
    const next = await kit.writer(stream, { mode, owner });
    assert.equal(next.checkpoint, batches[moment === 'before' ? 0 : 1]?.position, `${mode}, ${moment} the commit`);
    for (const batch of batches.slice(moment === 'before' ? 1 : 2)) await next.write(batch);
    await next.finish();
    await next.close();
    await kit.assertContents(stream, numbers(kit, 1, 40), mode);
  }
}

/** Batches are written until it dies; the next writer goes on where the target says. */
async function dieWhileWriting(
  kit: Kit,
  mode: 'append' | 'upsert' | 'mirror',
  die: () => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const stream = await start(kit, 0);
  const owner = `cut ${mode}`;
  const batches = batchesOf(numbers(kit, 1, 40), 10);
  const writer = await kit.writer(stream, { mode, owner, ...(signal && { signal }) });
  await writer.write(batches[0] as Batch);
  await die();
  // A connector may connect anew by itself; but what it says is written has to be.
  const isWritten = await writer.write(batches[1] as Batch).then(
    () => true,
    (error: unknown) => {
      assertTransient(error);
      return false;
    },
  );
  if (signal) assert.equal(isWritten, false, 'an aborted writer writes nothing more');
  await writer.close();
  const next = await kit.writer(stream, { mode, owner });
  const done = batches.findIndex(({ position }) => position === next.checkpoint) + 1;
  assert.ok(done >= (isWritten ? 2 : 1), 'what was said to be written is there');
  for (const batch of batches.slice(done)) await next.write(batch);
  await next.finish();
  await next.close();
  await kit.assertContents(stream, numbers(kit, 1, 40), mode);
}

function assertTransient(error: unknown): void {
  assert.ok(error instanceof OutsideError, `a OutsideError, not ${String(error)}`);
  assert.equal(error.kind, 'transient', `${error.code} ${error.message}`);
}
