import assert from 'node:assert/strict';
import type { Approve, Differences, WriteRequest } from '../contract.ts';
import { MARK } from '../marks.ts';
import type { NewStream } from './harness.ts';
import { assertFails, type Case, type Kit, keyOf } from './kit.ts';
import { numbers, start, sum } from './write.ts';

/** That a mirror of what differs alone changes just that, as a whole, and only when it may. */
export const differenceCases: readonly Case[] = [
  {
    name: 'differences: puts and removes these rows and no others, and tells how many beforehand',
    run: async (kit) => {
      const stream = await start(kit, 20);
      const shown: unknown[] = [];
      const { changes } = await finishWith(kit, stream, someDifferences(kit, stream), {}, (plan) => {
        shown.push({ ...plan });
        return true;
      });
      const expected = { inserted: 2, updated: 3, unchanged: 1, deleted: 2 };
      assert.deepEqual([shown, changes], [[expected], expected]);
      await kit.assertContents(stream, after(kit));
      const again = await kit.writer(stream, { mode: 'mirror' });
      assert.equal(again.note, 'noted', 'it ends as every mirror does');
      assert.equal(again.checkpoint, undefined);
      await again.close();
    },
  },
  {
    name: 'differences that are not approved leave everything as it was, and the mirror can go its usual way',
    run: async (kit) => {
      const stream = await start(kit, 20);
      const { refused } = await finishWith(kit, stream, someDifferences(kit, stream), {}, () => false);
      assert.equal(refused, true);
      await kit.assertContents(stream, stream.rows);
      await finishWith(kit, stream, someDifferences(kit, stream), {}, () => true);
      await kit.assertContents(stream, after(kit));
    },
  },
  {
    name: 'differences: what is gone is marked, and unmarked when it is back; or it stays',
    run: async (kit) => {
      const stream = await start(kit, 6);
      const gone = stream.rows.slice(0, 2).map((row) => keyOf(stream, row));
      const first = await finishWith(kit, stream, { put: [], gone }, { deletes: 'mark' });
      assert.equal(first.changes.deleted, 2);
      const marked = { ...stream, fields: [...stream.fields, MARK] };
      const marks = async (): Promise<number> => (await kit.contents(marked)).filter((row) => row.at(-1) !== null).length;
      assert.equal(await marks(), 2);
      const back = await finishWith(kit, stream, { put: stream.rows.slice(0, 1), gone: [] }, { deletes: 'mark' });
      assert.deepEqual([back.changes.updated, await marks()], [1, 1]);
      const kept = await finishWith(kit, stream, { put: [], gone: [keyOf(stream, stream.rows[5] ?? [])] }, { deletes: 'keep' });
      assert.equal(kept.changes.deleted, 0);
      await kit.assertContents(stream, stream.rows);
    },
  },
  {
    name: 'differences of which the target refuses a row change nothing',
    run: async (kit) => {
      const stream = await start(kit, 5);
      const [bad] = kit.shape.bad;
      if (!bad) return;
      const { put, gone } = { put: [...numbers(kit, 6, 7), bad], gone: [keyOf(stream, stream.rows[0] ?? [])] };
      const writer = await kit.writer(stream, { mode: 'mirror' });
      assert.equal(
        await writer.finishWith?.(
          { put, gone },
          () => true,
          () => 'noted',
        ),
        undefined,
      );
      await kit.assertContents(stream, stream.rows);
      await writer.close();
    },
  },
  {
    name: 'differences: a writer whose token is stale changes nothing',
    run: async (kit) => {
      const stream = await start(kit, 20);
      const old = await kit.writer(stream, { mode: 'mirror' });
      const young = await kit.writer(stream, { mode: 'mirror' });
      const work = async (): Promise<unknown> =>
        old.finishWith?.(
          someDifferences(kit, stream),
          () => true,
          () => 'noted',
        );
      await assertFails(work, 'fenced', 'FENCED', 'a stale writer');
      await old.close();
      await young.close();
      await kit.assertContents(stream, stream.rows);
    },
  },
  {
    name: 'differences whose commit fails are there as a whole, with their note, or not at all',
    run: async (kit) => {
      for (const moment of ['before', 'after'] as const) {
        const stream = await start(kit, 20);
        const hook = kit.hook('breakCommit');
        if (!hook) return;
        const writer = await kit.writer(stream, { mode: 'mirror' });
        await hook(moment);
        const ended = await writer
          .finishWith?.(
            someDifferences(kit, stream),
            () => true,
            () => 'noted',
          )
          .then(
            () => true,
            () => false,
          );
        await writer.close();
        const again = await kit.writer(stream, { mode: 'mirror' });
        const isThere = again.note === 'noted';
        await again.close();
        assert.ok(isThere || !ended, 'what was said to be done is done');
        await kit.assertContents(stream, isThere ? after(kit) : stream.rows, `the commit broke ${moment}`);
      }
    },
  },
];

/** Of twenty rows: one is as it was, three are others, two are new, two are gone. */
function someDifferences(kit: Kit, stream: NewStream): Differences {
  const put = [...numbers(kit, 1, 1), ...numbers(kit, 2, 4, 1), ...numbers(kit, 21, 22)];
  return { put, gone: numbers(kit, 19, 20).map((row) => keyOf(stream, row)) };
}

const after = (kit: Kit) => [...numbers(kit, 1, 1), ...numbers(kit, 2, 4, 1), ...numbers(kit, 5, 18), ...numbers(kit, 21, 22)];

async function finishWith(
  kit: Kit,
  stream: NewStream,
  differences: Differences,
  options: Partial<WriteRequest>,
  approve: Approve = () => true,
) {
  const writer = await kit.writer(stream, { mode: 'mirror', ...options });
  const result = await writer.finishWith?.(differences, approve, () => 'noted');
  await writer.close();
  assert.ok(result, 'the manifest claims it');
  return { changes: sum([result]), refused: result.refused };
}
