import type { CanonicalType } from '../../connectors/canonical.ts';
import type { Changes, Differences, Stream, Writer, WriteResult } from '../../connectors/contract.ts';
import { abilitiesOf } from '../ends.ts';
import { at, StreamFailure } from '../failure.ts';
import { objection } from '../guard.ts';
import { type Note, writeNote } from '../note.ts';
import { NO_COUNTS, rateSince } from '../progress.ts';
import type { Counts } from '../run.ts';
import { copyStream, isOfThis, openWriter, remember } from '../stream.ts';
import { type StreamWork, targetOf } from '../stream-work.ts';
import { completeStructure } from '../structure.ts';
import { compareContents } from './compare-contents.ts';
import { TARGET_UNREADABLE } from './feeds.ts';
import { FewDifferences, TooManyDifferences } from './few-differences.ts';
import { ProofShape } from './proof-shape.ts';

/** With fewer rows than that, it makes no difference how they are mirrored. */
const WORTH_IT = 1_000;
/** A mirror that has changed more rows than this the last time is expected to do so again. */
const MANY_CHANGES = 20_000;
/** Equal keys of these types are equal at every system, and others are not: letters may be alike to one, and not to another. */
const EXACT: ReadonlySet<CanonicalType> = new Set(['int64', 'uuid', 'boolean', 'date', 'timestamp', 'timestamptz']);

/** A row cannot be used: the usual way of a mirror tells of it, and spares what the target has of it. */
class UnusableRow extends Error {}

/**
 * Brings a stream over. Where a mirror is expected to change little, both ends are read and compared, and only what differs is written: the target need not
 * take in everything to compare it itself. Whenever anything is unsure, the mirror goes its usual way.
 */
export async function mirrorStream(work: StreamWork, source: Stream | undefined, target: Stream | undefined): Promise<void> {
  if (!target || !canCompare(work, source, target) || !(await mirrorByDifference(work, target))) await copyStream(work);
  // It may be one that an interrupted run has made and loaded.
  else await completeStructure(work);
}

/** Whether both ends can be read and compared by a key that tells rows apart at both. */
function canCompare({ plan, order, state, part }: StreamWork, source: Stream | undefined, target: Stream): boolean {
  const [from, to] = [abilitiesOf(order.source.type), abilitiesOf(order.target.type)];
  const { read, write, definition } = plan;
  const isTold = (stream: Stream, key: readonly string[]): boolean => stream.key.toSorted().join('\n') === key.toSorted().join('\n');
  const isExact = write.key.every((name) => {
    const there = target.fields.find((field) => field.name === name)?.type;
    return there !== undefined && EXACT.has(there) && there === write.fields.find((field) => field.name === name)?.type;
  });
  return (
    definition.mode === 'mirror' &&
    order.mode === 'run' &&
    !part &&
    !plan.isDelivered &&
    (state.rows ?? 0) >= WORTH_IT &&
    state.openRejects === 0 &&
    to.differences === true &&
    to.read &&
    target.unusable === undefined &&
    !from.tellsDeletions &&
    source !== undefined &&
    !source.tellsDeletions &&
    write.key.length > 0 &&
    isTold(source, read.key) &&
    isTold(target, write.key) &&
    isExact &&
    write.fields.every(({ name }) => target.fields.some((field) => field.name === name))
  );
}

/** True when it is done; false when nothing has been, and it has to go its usual way. */
async function mirrorByDifference(work: StreamWork, target: Stream): Promise<boolean> {
  const { report } = work;
  let last: Note | undefined;
  // The token is taken over first: nobody else changes the target for us while it is read.
  const writer = await openWriter(work, (note) => {
    last = note;
    return isOfThis(work, note);
  });
  try {
    if (!writer.finishWith || writer.checkpoint !== undefined || isOfThis(work, last) || hasChangedMuch(last)) return false;
    const found = await differencesOf(work, target);
    const isDone = found !== undefined && (await finish(work, writer, found));
    if (!isDone) Object.assign(report, NO_COUNTS);
    else if (report.status !== 'needs_approval') {
      report.status = 'succeeded';
      await remember(work, true);
    }
    return isDone;
  } finally {
    await writer.close();
  }
}

/** Nothing is known of a first load: everything is new then. */
function hasChangedMuch(last: Note | undefined): boolean {
  if (!last) return false;
  const { inserted, updated, deleted, unchanged } = last.counts;
  return inserted + updated + deleted > MANY_CHANGES && updated + deleted + unchanged > 0;
}

interface Found {
  readonly rows: number;
  readonly bytes: number;
  readonly differences: Differences;
}

/** Compares both ends, whole; undefined when too much differs, or a row cannot be used. */
async function differencesOf(work: StreamWork, target: Stream): Promise<Found | undefined> {
  const { plan, report, ports } = work;
  const shape = new ProofShape(plan.write.fields, plan.write.key);
  const few = new FewDifferences(shape);
  const began = performance.now();
  const digested = (count: number): void => {
    report.read += count;
    report.rows_per_second = rateSince(began, report.read);
    ports.progress(plan.index, report);
  };
  const read = (lines: Buffer, count: number, rejected: number): void => {
    if (rejected > 0) throw new UnusableRow();
    report.bytes += lines.length;
    digested(count);
  };
  try {
    await compareContents({ work, target, shape, listener: { read }, digested, unmatched: few });
  } catch (error) {
    const isUnread = error instanceof StreamFailure && error.error.code === TARGET_UNREADABLE;
    if (error instanceof TooManyDifferences || error instanceof UnusableRow || isUnread) return undefined;
    throw error;
  }
  const differences = few.take();
  const count = differences.put.length + differences.gone.length;
  ports.log('info', {
    stream: plan.definition.source,
    message: `Both ends were compared: ${count} rows differ, ${report.read} are at the source.`,
  });
  return { rows: report.read, bytes: report.bytes, differences };
}

/** Writes what differs, under the guard; false when the target cannot take it like that. */
async function finish(work: StreamWork, writer: Writer, { rows, bytes, differences }: Found): Promise<boolean> {
  const { plan, report, order, state, ports } = work;
  const equal = rows - differences.put.length;
  const countsOf = ({ inserted, updated, deleted, unchanged }: Changes): Counts => {
    return { ...NO_COUNTS, read: rows, bytes, inserted, updated, deleted, unchanged: unchanged + equal };
  };
  const approve = (changes: Changes): boolean => {
    const { inserted, updated, deleted, unchanged } = countsOf(changes);
    const whole = { inserted, updated, deleted, unchanged };
    const refusal = objection(order.definition.guard, { target: plan.write.stream, changes: whole, read: rows, rowsBefore: state.rows });
    if (!refusal || order.approved) return true;
    Object.assign(report, { status: 'needs_approval', error: refusal, changes: whole });
    return false;
  };
  const settle = (result: WriteResult): string =>
    writeNote({ run: order.id, generation: state.generation, finished: true, counts: countsOf(result) });
  const result = await at(targetOf(work), async () => writer.finishWith?.(differences, approve, settle));
  if (!result) return false;
  if (!result.refused) Object.assign(report, countsOf(result));
  ports.progress(plan.index, report);
  return true;
}
