import { Batch } from '../../connectors/batch.ts';
import type { Row } from '../../connectors/canonical.ts';
import type { Stream, WriteRequest, Writer } from '../../connectors/contract.ts';
import { decodeRows } from '../../connectors/lines.ts';
import { abilitiesOf } from '../ends.ts';
import { at } from '../failure.ts';
import { readNote, writeNote } from '../note.ts';
import { added, changesOf, NO_COUNTS } from '../progress.ts';
import type { Counts } from '../run.ts';
import { ownerOf, ownersOf } from '../owners.ts';
import { quarantineOf } from '../stream.ts';
import { type StreamWork, targetOf } from '../stream-work.ts';
import { keepingFor } from '../undo-keeping.ts';
import { askedByKeys } from './by-keys.ts';
import { sourceFeed, targetFeed } from './feeds.ts';
import type { Findings } from './prove.ts';

const ROWS_AT_ONCE = 500;

/** Writes the rows that were seen to differ for good, as the source has them now, and takes those away that it does not have. */
export async function writeDifferences(work: StreamWork, target: Stream, { shape, suspects, known }: Findings): Promise<void> {
  const { source, target: end } = work.order;
  const filters = { source: abilitiesOf(source.type).filters, target: abilitiesOf(end.type).filters };
  const asked = askedByKeys(work.plan, known, filters) ?? [{ source: [], target: [] }];
  const repairing = await openRepair(work);
  try {
    // What comes back to the source meanwhile is written after it was taken away.
    if (shape.hasKey && suspects.counts().extra > 0)
      for (const one of asked)
        for await (const lines of targetFeed(work, target, one.target))
          for (const row of decodeRows(lines))
            if (suspects.differenceOf(shape.marksOf(row).key) === 'extra') await repairing.remove(shape.keyOf(row));
    await repairing.flush();
    for (const one of asked)
      for await (const lines of sourceFeed(work, {}, one.source))
        for (const row of decodeRows(lines)) {
          const { key } = shape.marksOf(row);
          if (!suspects.differenceOf(key)) continue;
          await repairing.put(row);
          // One of several that are alike was missing.
          if (!shape.hasKey) suspects.clear(key);
        }
    await repairing.finish();
  } finally {
    await repairing.close();
  }
}

interface Repairing {
  put(row: Row): Promise<void>;
  /** Of the key alone. */
  remove(key: Row): Promise<void>;
  flush(): Promise<void>;
  finish(): Promise<void>;
  close(): Promise<void>;
}

/** A writer with a checkpoint of its own: the position of the stream stays what it is. What was counted before a crash is counted. */
async function openRepair(work: StreamWork): Promise<Repairing> {
  const { order, plan, report, ports, signal, state } = work;
  let counts: Counts = { ...NO_COUNTS, read: report.read, bytes: report.bytes };
  const request: WriteRequest = {
    ...plan.write,
    mode: plan.write.mode === 'append' ? 'append' : 'upsert',
    owner: `${ownerOf(order.syncId, plan.write.stream)}/repair`,
    token: order.token,
    // A worker that was asleep may still think that a run is its own, and the other way round.
    fences: ownersOf(order.syncId, [plan.write.stream]),
    ...keepingFor(order),
    resume: (text) => {
      const note = readNote(text);
      const isMine = note?.run === order.id;
      if (isMine) counts = { ...note.counts, read: report.read, bytes: report.bytes };
      return isMine;
    },
    signal,
  };
  const writer: Writer = await at(targetOf(work), () => work.target.write(request));
  let rows: Row[] = [];
  let operation: 'write' | 'delete' = 'write';
  let pieces = 0;
  const quarantine = quarantineOf(work);
  const write = async (): Promise<void> => {
    if (rows.length === 0) return;
    signal.throwIfAborted();
    const position = `repair ${++pieces}`;
    const version = (index: number): string => JSON.stringify({ repair: order.id, row: rows[index] });
    let after = counts;
    const settle = async ({ rejects, ...changes }: Awaited<ReturnType<Writer['write']>>): Promise<string> => {
      // Only what was to be written is at hand, not the row of the source that it was made of.
      await quarantine.keep(quarantine.refusedAtEnd(rejects), counts.rejected);
      after = added(counts, { ...changesOf({ rejects, ...changes }), rejected: rejects.length });
      return writeNote({ run: order.id, generation: state.generation, finished: false, counts: after });
    };
    await at(targetOf(work), () => writer.write(Batch.ofRows(rows, { position, operation, version }), settle));
    counts = after;
    rows = [];
    tell();
  };
  const tell = (): void => {
    Object.assign(report, counts);
    ports.progress(plan.index, report);
  };
  const add = async (row: Row, kind: 'write' | 'delete'): Promise<void> => {
    if (operation !== kind) await write();
    operation = kind;
    if (rows.push(row) >= (writer.batchRows ?? ROWS_AT_ONCE)) await write();
  };
  return {
    put: (row) => add(row, 'write'),
    remove: (key) => add(key, 'delete'),
    flush: write,
    finish: async () => {
      await write();
      await at(targetOf(work), () => writer.finish());
      tell();
    },
    close: () => writer.close(),
  };
}
